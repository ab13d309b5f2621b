"""Times PyTorch's own operations beside this project's kernels that are recipes.

    whybits-recipe-times SUITE.json > times.tsv
    python3 time_torch_ops.py SUITE.json times.tsv

runs the same operation, sizes and type as each case of the suite on a CUDA device and prints both
times as a Markdown table (docs/kernels.md). A time is the median of series of launches, one after
the other without a pause, as whybits-recipe-times takes it. Needs nothing but torch.
"""

import json
import statistics
import sys

SERIES, LAUNCHES = 11, 20  # gpu/run_recipe_kernel.hpp
TYPES = {"bf16": "bfloat16", "f16": "float16", "f32": "float32"}


def rms_norm(torch, size, make, eps):
    x, w = make(size["rows"], size["columns"]), make(size["columns"])
    return lambda: torch.nn.functional.rms_norm(x, w.shape, w, eps)


def add_rms_norm(torch, size, make, eps):
    x, residual = (make(size["rows"], size["columns"]) for _ in range(2))
    w = make(size["columns"])
    return lambda: torch.nn.functional.rms_norm(x + residual, w.shape, w, eps)


def softmax(torch, size, make, _):
    x = make(size["rows"], size["columns"])
    return lambda: torch.softmax(x, 1)


def attention(torch, size, make, scale):
    q = make(1, size["heads"], size["queries"], size["head_size"])
    k, v = (make(1, size["kv_heads"], size["keys"], size["head_size"]) for _ in range(2))
    return lambda: torch.nn.functional.scaled_dot_product_attention(
        q, k, v, scale=scale, enable_gqa=size["heads"] != size["kv_heads"])


def moe_combine(torch, size, make, _):
    x = make(size["tokens"], size["experts"], size["columns"])
    w = make(size["tokens"], size["experts"], 1)
    return lambda: (x * w).sum(1)


OPERATIONS = {"rms.norm": rms_norm, "add.rms.norm": add_rms_norm, "row.softmax": softmax,
              "split.attention": attention, "moe.combine": moe_combine}


def microseconds(torch, launch):
    """Median of the series after the first, which warms up."""
    times = []
    for _ in range(SERIES + 1):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(LAUNCHES):
            launch()
        end.record()
        end.synchronize()
        times.append(1000 * begin.elapsed_time(end) / LAUNCHES)
    return statistics.median(times[1:])


def torch_time(torch, kernel, case):
    dtype = getattr(torch, TYPES[case["type"]])
    make = lambda *shape: torch.empty(shape, dtype=dtype, device="cuda").uniform_(-1, 1)
    number = next(iter(case["parameters"].values()), None)
    return microseconds(torch, OPERATIONS[kernel](torch, case["shape"], make, number))


def main(suite_path, times_path):
    import torch
    with open(suite_path, encoding="utf-8") as file:
        suite = json.load(file)
    with open(times_path, encoding="utf-8") as file:
        times = [line.rstrip("\n").split("\t") for line in file][1:]
    cases = [(o["kernel"], case) for o in suite["operations"] for case in o["cases"]]
    if [kernel for kernel, _ in cases] != [line[1] for line in times]:
        sys.exit(f"{times_path} is not of {suite_path}")
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}\n")
    print("| kernel | sizes | launch | µs | PyTorch µs |\n| --- | --- | --- | ---: | ---: |")
    for (kernel, case), line in zip(cases, times):
        sizes = ", ".join(f"{name} {size:,}" for name, size in case["shape"].items())
        launch = ", ".join(f"{knob}={value}" for knob, value in case["launch"].items())
        print(f"| `{kernel}` | {sizes} | {launch} | {float(line[3]):,.1f} | "
              f"{torch_time(torch, kernel, case):,.1f} |")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
