"""Records sums of rows and rms_norm as torch.compile runs them, for whybits to predict.

    python3 record_inductor.py FOLDER [SECONDS]

compiles sum, a sum of squares and rms_norm for many shapes on a CUDA device, by several processes
that share it, each case in an empty cache, and writes a file of cases of each operation
(docs/recordings.md, "Operations"). Beside them inductor-launches.json keeps, of every case, the
kernels that were generated, the launches that were tried and the one that was kept; of rows cut over
more than two blocks, several compilations. Ends by itself after SECONDS (150). Needs nothing but
torch.
"""

import collections
import gc
import json
import multiprocessing
import os
import queue
import re
import subprocess
import sys
import time

import record_torch_ops as plain

WORKERS = 14
ALONE = 45  # seconds kept for compilations with the device to themselves

# attempt: "first", "again" (both while other processes use the device), "alone-1", "alone-2",
# "deterministic" (with Inductor's option of that name)
Task = collections.namedtuple("Task", "operation rows columns kind seed attempt")

OPERATIONS = ("sum", "sum_of_squares", "rms_norm")

# rows and columns of all operations in f32
SHAPES = [(1, 16384), (64, 16384), (1, 1024), (16, 4096), (263, 16384), (264, 16384), (1024, 1024),
          (1, 8192), (4, 10240), (1, 32768), (300, 8192), (128, 12288), (263, 10240), (264, 10240),
          (512, 1024), (513, 1024), (64, 2048), (1, 4096), (200, 14336), (128, 16384), (16, 65536),
          (264, 65536), (263, 32768), (1, 8200), (64, 5120), (300, 6144), (4, 16384), (128, 1024),
          (16, 16384), (200, 16384), (300, 16384), (512, 16384), (1, 12288), (1, 10240),
          (264, 32768), (1, 65536), (128, 65536), (1024, 4096), (1024, 8192), (300, 2048),
          (1, 14336), (16, 8192), (64, 8200), (263, 8200), (16, 32768)]
# in bf16 and f16
NARROW = [(1, 16384), (264, 16384), (1, 1024), (16, 4096), (1024, 1024), (64, 8192), (128, 10240),
          (300, 8192), (64, 16384), (263, 12288), (513, 1024), (512, 1024), (1, 14336), (64, 2048),
          (1, 5120), (16, 32768)]
# of lengths that fill no whole step, by sums only
RAGGED = [(16, 768), (1024, 512), (64, 1536), (16, 3000), (16, 4098), (16, 4097), (4, 8201),
          (1, 10241), (64, 100), (16, 1000)]
# cut over more than two blocks
MANY = [(1, 32768), (16, 32768), (1, 65536), (128, 65536)]


def tasks():
    out = [Task(op, r, c, "f32", 0, "first") for r, c in SHAPES for op in OPERATIONS]
    narrow = [Task(op, r, c, kind, 0, "first")
              for r, c in NARROW for op in OPERATIONS for kind in ("bf16", "f16")]
    ragged = [Task("sum", r, c, kind, 0, "first") for r, c in RAGGED for kind in ("f32", "bf16")]
    seeded = [task._replace(seed=5000 + 10 * i) for i, task in enumerate(out + narrow + ragged)]
    again = [task._replace(attempt="again") for task in seeded
             if (task.rows, task.columns) in MANY and task.kind == "f32"]
    # so that a run that is cut off holds something of everything
    head, rest = seeded[:len(out) // 2], seeded[len(out) // 2:len(out)] + seeded[len(out) + len(narrow):]
    middle = seeded[len(out):len(out) + len(narrow)]
    mixed = [task for pair in zip(middle, rest) for task in pair]
    longer = max(middle, rest, key=len)
    return head + again + mixed + longer[min(len(middle), len(rest)):]


def alone(all_tasks):
    kept = [task for task in all_tasks if task.attempt == "again"]
    return [task._replace(attempt=attempt) for task in kept
            for attempt in ("alone-1", "alone-2", "deterministic")]


def heads(code):
    """What the generated text says of each kernel: its heuristic, hints and sizes."""
    found = []
    for part in code.split("@triton_heuristics.")[1:]:
        kernel = {"heuristic": part.split("(", 1)[0]}
        for name, pattern in (("size_hints", r"size_hints=(\{[^}]*\})"),
                              ("hint", r"reduction_hint=ReductionHint\.(\w+)"),
                              ("name", r"def (triton_\w+)\("), ("xnumel", r"\n\s+xnumel = (\d+)"),
                              ("rnumel", r"\n\s+r0_numel = (\d+)"),
                              ("xblock", r"\n\s+XBLOCK: tl\.constexpr = (\d+)"),
                              ("rblock", r"\n\s+R0_BLOCK: tl\.constexpr = (\d+)")):
            match = re.search(pattern, part)
            if match:
                kernel[name] = match.group(1)
        kernel["loops"] = len(re.findall(r"\n\s+for r0_offset", part))
        found.append(kernel)
    return found


def config_of(config):
    return dict({k: str(v) for k, v in config.kwargs.items()}, num_warps=config.num_warps,
                num_stages=config.num_stages)


def layouts(result):
    """The lines of Triton's intermediate text that say which thread holds what."""
    try:
        text = result.kernel.asm["ttgir"]
    except Exception as error:  # this is for reading, whatever the version of Triton calls it
        return [f"not readable: {error}"[:120]]
    return [line.strip()[:200] for line in text.splitlines()
            if line.startswith("#blocked") or '"tt.reduce"' in line]


def launched(tuners):
    """The launches of kernels that were run: what was tried and what was kept."""
    out = []
    for tuner in tuners:
        results = list(getattr(tuner, "compile_results", None) or [])
        kept = [launcher.config for launcher in (getattr(tuner, "launchers", None) or [])]
        chosen = [r for r in results if r.config in kept] or results[:1]
        out.append({"name": getattr(getattr(tuner, "fn", None), "__name__", ""),
                    "tried": [config_of(r.config) for r in results],
                    "kept": [config_of(config) for config in kept],
                    "layouts": layouts(chosen[0]) if chosen else []})
    return out


def tuners_now(kind):
    return [o for o in gc.get_objects() if issubclass(type(o), kind)]


def function_of(torch, task, eps):
    if task.operation == "sum":
        return lambda x: x.sum(dim=-1, dtype=torch.float32)
    if task.operation == "sum_of_squares":
        return lambda x: x.float().square().sum(dim=-1)
    if task.kind == "f32":
        return lambda x, w: torch.nn.functional.rms_norm(x, [x.shape[-1]], w, eps)
    return lambda x, w: torch.ops.aten._fused_rms_norm(x, [x.shape[-1]], w, eps)


def case_of(torch, task):
    """The case, its generated kernels and their launches."""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner
    from torch._inductor.utils import run_and_get_code
    specs = {"x": f"{'wide' if task.seed % 20 else 'uniform'}:{task.seed}"}
    inputs = [plain.stream(torch, specs["x"], (task.rows, task.columns), plain.dtype_of(task.kind))]
    parameters = {}
    if task.operation == "rms_norm":
        specs["w"] = f"uniform:{task.seed + 1}"
        inputs.append(plain.stream(torch, specs["w"], (task.columns,), plain.dtype_of(task.kind)))
        parameters["eps"] = plain.EPS
    torch._dynamo.reset()
    before = tuners_now(CachingAutotuner)
    compiled = torch.compile(function_of(torch, task, plain.EPS), dynamic=False)
    result, codes = run_and_get_code(compiled, *inputs)
    again = compiled(*inputs)
    results = result if isinstance(result, tuple) else (result,)
    for one, other in zip(results, again if isinstance(again, tuple) else (again,)):
        if not torch.equal(one, other):
            raise RuntimeError("gives other bits in a second run of the same launch")
    known = {id(o) for o in before}
    tuners = [o for o in tuners_now(CachingAutotuner) if id(o) not in known]
    column = lambda t: plain.kept(t.reshape(-1, 1), 64, 1)
    if task.operation != "rms_norm":
        outputs = {"y" if task.operation == "sum" and task.kind == "f32" else "f32": column(results[0])}
    elif len(results) == 1:
        outputs = {"y": plain.kept(results[0], 2, 128)}
    else:
        outputs = {"y": plain.kept(results[0], 2, 128), "rstd": column(results[1])}
    case = {"shape": {"rows": task.rows, "columns": task.columns}, "type": task.kind,
            "inputs": specs, "parameters": parameters, "outputs": outputs}
    return case, [k for code in codes for k in heads(code)], launched(tuners)


def source_of(torch):
    import triton
    capability = torch.cuda.get_device_capability()
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        driver = subprocess.run(query, capture_output=True, text=True, timeout=20).stdout.split()[0]
    except (OSError, IndexError, subprocess.TimeoutExpired):
        driver = "not known"
    return {"device": torch.cuda.get_device_name(), "cuda": torch.version.cuda, "driver": driver,
            "compute_capability": f"{capability[0]}.{capability[1]}", "torch": torch.__version__,
            "triton": triton.__version__, "date": time.strftime("%Y-%m-%d", time.gmtime()),
            "command": "scripts/record_inductor.py"}


def work(tasks_in, results_out):
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # in this process
    import torch
    import torch._dynamo
    import torch._inductor.config as config
    from torch._inductor import utils
    plain.NAMES.update({torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16"})
    fresh = getattr(utils, "fresh_cache", None) or utils.fresh_inductor_cache
    results_out.put((None, source_of(torch)))
    while (task := tasks_in.get()) is not None:
        began = time.time()
        try:
            with fresh(), config.patch({"deterministic": True} if task.attempt == "deterministic"
                                       else {}):
                case, generated, launches = case_of(torch, task)
            results_out.put((task, {"case": case, "generated": generated, "launches": launches,
                                    "seconds": round(time.time() - began, 2)}))
        except Exception as error:  # any of the compiler's; the case is named and left out
            results_out.put((task, f"{type(error).__name__}: {error}"[:600]))


def one_a_line(document, key, path):
    with open(path + ".part", "w") as file:
        head = json.dumps(dict(document, **{key: []}), indent=1)
        lines = ",\n".join("  " + json.dumps(one) for one in document[key])
        file.write(head.replace(f'"{key}": []', f'"{key}": [\n{lines}\n ]') + "\n")
    os.replace(path + ".part", path)


def write(folder, source, done):
    order = sorted(done, key=lambda task: (task.seed, task.attempt))
    for operation in OPERATIONS:
        cases = [done[task]["case"] for task in order
                 if task.operation == operation and task.attempt == "first"]
        if cases:
            one_a_line({"whybits_operations": 1, "source": source,
                        "library": {"name": "torch.compile", "version": source["torch"]},
                        "guarantee": "run_to_run", "operation": operation, "cases": cases}, "cases",
                       os.path.join(folder, f"inductor-{operation.replace('_', '-')}.json"))
    notes = [dict(task._asdict(), generated=done[task]["generated"],
                  launches=done[task]["launches"], seconds=done[task]["seconds"],
                  outputs=done[task]["case"]["outputs"] if task.attempt != "first" else {})
             for task in order]
    one_a_line({"source": source, "launches": notes}, "launches",
               os.path.join(folder, "inductor-launches.json"))


def main(folder, seconds):
    started = time.time()
    context = multiprocessing.get_context("spawn")
    to, back = context.Queue(), context.Queue()
    workers = [context.Process(target=work, args=(to, back), daemon=True) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    os.makedirs(folder, exist_ok=True)
    together = tasks()
    last = alone(together)
    waiting, done, source, flying, written = collections.deque(together), {}, {}, 0, 0
    for _ in range(min(WORKERS, len(waiting))):
        to.put(waiting.popleft())
        flying += 1
    solo = False
    while flying and time.time() - started < seconds and any(w.is_alive() for w in workers):
        try:
            task, result = back.get(timeout=1)
        except queue.Empty:
            task = None
        else:
            if task is None:
                source = source or result
                continue
            flying -= 1
            if isinstance(result, str):
                print(f"{tuple(task)} is left out: {result}", file=sys.stderr, flush=True)
            else:
                done[task] = result
            if len(done) >= written + 20:
                write(folder, source, done)
                written = len(done)
        if not solo and time.time() - started > seconds - ALONE:
            print(f"{len(waiting)} cases were not reached", file=sys.stderr, flush=True)
            waiting.clear()
        if not solo and task is not None and waiting:
            to.put(waiting.popleft())
            flying += 1
        late = time.time() - started > seconds - ALONE + 10  # one that hangs is not waited for
        if not waiting and not solo and (late or not flying):
            flying = 0
            solo, waiting = True, collections.deque(last)
        if solo and not flying and waiting:
            to.put(waiting.popleft())
            flying += 1
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join(1)
        if worker.is_alive():
            worker.kill()
    if done:
        write(folder, source, done)
    print(f"{len(done)} compilations of {len(together) + len(last)} in {time.time() - started:.0f} s",
          file=sys.stderr, flush=True)
    os._exit(0 if done else 1)  # without waiting for queues of processes that were ended


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) == 3 else 150)
