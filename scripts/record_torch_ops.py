"""Records rows of PyTorch's sums, softmax, norms and attention, for whybits to predict.

    python3 record_torch_ops.py FOLDER

runs sum, mean, softmax, log_softmax, rms_norm, layer_norm, scaled_dot_product_attention (flash) and
the flash kernel on chunks of a prompt on a CUDA device and writes a file of cases of each. Inputs
are whybits' streams, made on the device and checked here in whole numbers; of the outputs some rows
and columns are kept, as words (docs/recordings.md, "Operations"). Needs nothing but torch; a minute on an H200.
"""

import base64
import ctypes
import datetime
import json
import math
import os
import sys

MASK = (1 << 64) - 1
STEP, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mix(z):
    """splitmix64's finish of one word; the definition of every input."""
    z = (z + STEP) & MASK
    z = ((z ^ z >> 30) * FIRST) & MASK
    z = ((z ^ z >> 27) * SECOND) & MASK
    return z ^ z >> 31


def signed(word):
    """The int64 of the same bits."""
    return word - (1 << 64) if word >> 63 else word


def mixed(z):
    """mix of a tensor of int64, whose products wrap; its >> copies the sign, so that it is masked."""
    right = lambda x, n: (x >> n) & ((1 << 64 - n) - 1)
    z = z + signed(STEP)
    z = (z ^ right(z, 30)) * signed(FIRST)
    z = (z ^ right(z, 27)) * signed(SECOND)
    return z ^ right(z, 31)


def stream(torch, spec, shape, dtype):
    """uniform:S or wide:S, row-major, rounded to dtype."""
    kind, number = spec.split(":")
    count = math.prod(shape)
    start = mix(int(number))
    out = torch.empty(count, dtype=dtype, device="cuda")
    piece = 1 << 25
    for begin in range(0, count, piece):
        end = min(begin + piece, count)
        h = mixed(torch.arange(begin, end, device="cuda") + signed(start))
        u = ((h >> 40) & 0xFFFFFF).double() * 2.0**-23 - 1
        if kind == "wide":
            u = u * (((h & 15) - 8 + 1023) << 52).view(torch.float64)
        out[begin:end] = u.float().to(dtype)
        for i in {begin, begin + (end - begin) // 3, end - 1}:
            if mix((start + i) & MASK) != int(h[i - begin]) & MASK:
                sys.exit(f"word {i} of {spec} is wrong on this device")
    return out.reshape(shape)


def words(tensor):
    kept = tensor.detach().cpu().contiguous()
    return base64.b64encode(ctypes.string_at(kept.data_ptr(),
                                             kept.numel() * kept.element_size())).decode()


NAMES = {}  # dtype: name, filled when torch is there
EPS = 1e-5


def dtype_of(kind):
    return next(dtype for dtype, name in NAMES.items() if name == kind)


def kept(tensor, most_rows, most_columns):
    """Some rows, the first and the last among them, and every so many-th column of a matrix."""
    rows, columns = tensor.shape
    chosen = sorted({i * (rows - 1) // max(1, most_rows - 1) for i in range(min(rows, most_rows))}
                    | {0, rows - 1})
    stride = -(-columns // most_columns)
    part = tensor[chosen][:, ::stride]
    return {"type": NAMES[tensor.dtype], "rows": chosen, "column_stride": stride,
            "bits": {"base64": words(part)}}


ROWS = (1, 2, 4, 16, 64)


def sum_cases():
    cases = [(r, v, "f32") for v in (100, 1000, 4096, 8192, 11008, 32000, 128256) for r in (1, 3, 64)]
    cases += [(r, 151936, "f32") for r in (1, 2, 4, 8, 16, 30, 64, 264, 529)]
    cases += [(r, v, t) for t in ("bf16", "f16") for v in (96, 1000, 4096, 8192, 128256)
              for r in (1, 4, 64)]
    cases += [(r, 151936, "bf16") for r in (1, 64, 529)]
    cases += [(r, v, t) for t in ("f32", "bf16") for v in (1001, 4098, 151937) for r in (1, 2)]
    return cases


def softmax_cases():
    cases = [(r, v, "f32") for v in (1, 7, 32, 100, 1000, 1024) for r in (1, 64)]
    cases += [(2, v, "f32") for v in (1025, 2048, 3000, 4096, 9216, 9217, 9220, 10240, 12252, 12256,
                                      12288, 16384, 32000, 50257, 128256)]
    cases += [(r, 151936, "f32") for r in ROWS]
    cases += [(2, v, t) for t in ("bf16", "f16") for v in (1000, 1024, 4096, 9216, 10240, 12288,
                                                           24504, 24512, 32000, 151936)]
    return cases


def norm_cases():
    return [(r, h, t) for t in ("f32", "bf16", "f16")
            for h in (4, 128, 512, 1000, 2048, 4096, 5120, 7168, 8192, 12288, 16384)
            for r in ((1, 256) if h == 4096 else (64,))] + \
           [(64, h, t) for t in ("f32", "bf16") for h in (132, 1028, 3000, 4100)]


def attention_cases():
    """batch, heads, key-value heads, queries, keys, head size, causal, type, factor of the scale."""
    cases = [(1, 8, 8, 1, k, 128, False, "bf16", f) for k in (1, 64, 127, 128, 129, 256, 1000, 1024,
                                                             4096, 16384) for f in (1, 8)]
    cases += [(b, 8, 8, 1, 4096, 128, False, "bf16", 8) for b in (2, 4, 8, 32)]
    cases += [(1, 8, 8, 512, 512, 64, c, "bf16", 8) for c in (False, True)]
    cases += [(8, 16, 16, 1024, 1024, d, True, "bf16", 8) for d in (64, 128)]
    cases += [(32, 16, 16, 128, 1024, 128, False, t, 8) for t in ("bf16", "f16")]
    cases += [(2, 32, 4, 1, 2048, 128, False, t, f) for t in ("bf16", "f16") for f in (1, 8)]
    cases += [(2, 8, 8, 77, 1000, 128, False, t, 8) for t in ("bf16", "f16")]
    cases += [(16, 16, 16, 512, 512, d, c, "bf16", 8) for d in (96, 256) for c in (False, True)]
    cases += [(1, 4, 4, 1, 3000, d, False, "bf16", 8) for d in (64, 96, 256)]
    cases += [(1, 4, 4, 1, 8192, 64, False, "f16", 8), (64, 8, 8, 1, 129, 64, False, "bf16", 8),
              (1, 2, 2, 300, 300, 64, True, "f16", 8), (4, 32, 8, 100, 100, 128, True, "bf16", 8)]
    return cases


def chunk_cases():
    """As attention_cases: fewer queries than keys under a causal mask, as chunks of a prompt are."""
    sizes = ((512, 512), (512, 1024), (512, 4096), (100, 700), (64, 65), (7, 300), (2, 1000),
             (1, 1000), (129, 130), (2048, 4096))
    cases = [(1, 8, 8, queries, keys, d, True, "bf16", 8) for d in (64, 128, 96, 256)
             for queries, keys in sizes if d in (64, 128) or keys <= 2000]
    return cases + [(16, 16, 16, 256, 1000, 128, True, "bf16", 8),
                    (16, 16, 16, 256, 1000, 64, True, "f16", 8),
                    (1, 32, 8, 128, 1024, 128, True, "bf16", 8),
                    (1, 32, 8, 3, 1024, 128, True, "bf16", 8),
                    (2, 8, 2, 300, 777, 64, True, "f16", 8)]


def norm(torch, operation, x, seed, specs):
    """Outputs of a norm; puts what it multiplies by and adds into specs."""
    columns = x.shape[1]
    specs["w"] = f"uniform:{seed + 1}"
    w = stream(torch, specs["w"], (columns,), x.dtype)
    if operation == "rms_norm":
        y, rstd = torch.ops.aten._fused_rms_norm(x, [columns], w, EPS)
        return {"rstd": kept(rstd.reshape(-1, 1), 64, 1), "y": kept(y, 2, 128)}
    specs["bias"] = f"uniform:{seed + 2}"
    bias = stream(torch, specs["bias"], (columns,), x.dtype)
    y, mean, rstd = torch.native_layer_norm(x, [columns], w, bias, EPS)
    return {"mean": kept(mean.reshape(-1, 1), 64, 1), "rstd": kept(rstd.reshape(-1, 1), 64, 1),
            "y": kept(y, 2, 128)}


def record_rows(torch, operation, case, number):
    """A case of a row operation: (rows, columns, type)."""
    rows, columns, kind = case
    seed = 1000 + 10 * number
    wide = number % (3 if "softmax" in operation else 2) == 1
    specs = {"x": f"{'wide' if wide else 'uniform'}:{seed}"}
    x = stream(torch, specs["x"], (rows, columns), dtype_of(kind))
    parameters = {}
    if operation in ("sum", "mean"):
        run = getattr(torch, operation)
        outputs = {"y": kept(run(x, dim=1).reshape(-1, 1), 64, 1)}
        if kind != "f32":  # what the last rounding hides
            outputs["f32"] = kept(run(x, dim=1, dtype=torch.float32).reshape(-1, 1), 64, 1)
    elif "softmax" in operation:
        outputs = {"y": kept(getattr(torch, operation)(x, dim=1), 2, 128)}
    else:
        parameters["eps"] = EPS
        outputs = norm(torch, operation, x, seed, specs)
    return {"shape": {"rows": rows, "columns": columns}, "type": kind, "inputs": specs,
            "parameters": parameters, "outputs": outputs}


def attention_inputs(torch, case, seed):
    """Specs and tensors of q, k, v, and the scale."""
    batch, heads, kv_heads, queries, keys, size, _, kind, factor = case
    specs = {name: f"uniform:{seed + i}" for i, name in enumerate("qkv")}
    rows = {"q": (heads, queries), "k": (kv_heads, keys), "v": (kv_heads, keys)}
    tensors = [stream(torch, specs[name], (batch, *rows[name], size), dtype_of(kind))
               for name in "qkv"]
    return specs, tensors, factor / math.sqrt(size)


def attention_entry(case, specs, scale, outputs):
    batch, heads, kv_heads, queries, keys, size, causal, kind, _ = case
    return {"shape": {"batch": batch, "heads": heads, "kv_heads": kv_heads, "queries": queries,
                      "keys": keys, "head_size": size, "causal": causal},
            "type": kind, "inputs": specs, "parameters": {"scale": scale}, "outputs": outputs}


def record_attention(torch, _, case, number):
    """A case of scaled_dot_product_attention; its rows are batch, head, query in this order."""
    _, heads, kv_heads, _, _, size, causal, _, _ = case
    specs, (q, k, v), scale = attention_inputs(torch, case, 1000 + 10 * number)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION):
        y = torch.nn.functional.scaled_dot_product_attention(
            q, k, v, is_causal=causal, scale=scale, enable_gqa=heads != kv_heads)
    outputs = {"y": kept(y.reshape(-1, size), 6, 256)}
    if heads == kv_heads:
        again, lse = torch.ops.aten._scaled_dot_product_flash_attention(
            q, k, v, 0.0, causal, False, scale=scale)[:2]
        if not torch.equal(again, y):
            sys.exit(f"{case}: the flash kernel gives other bits in a second run")
        outputs["lse"] = kept(lse.reshape(-1, 1), 64, 1)
    return attention_entry(case, specs, scale, outputs)


def record_chunk(torch, _, case, number):
    """A case of the flash kernel alone, whose mask lies bottom right: the last query sees every key."""
    _, _, _, queries, keys, size, causal, _, _ = case
    specs, (q, k, v), scale = attention_inputs(torch, case, 90000 + 10 * number)
    y, lse = torch.ops.aten._flash_attention_forward(
        q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), None, None, queries, keys, 0.0,
        causal, False, scale=scale)[:2]
    y = y.transpose(1, 2).contiguous()
    return attention_entry(case, specs, scale, {"y": kept(y.reshape(-1, size), 8, 256),
                                                "lse": kept(lse.reshape(-1, 1), 64, 1)})


def record(torch, operation, cases, one):
    """All cases; one that this PyTorch refuses is named and left out."""
    recorded = []
    for number, case in enumerate(cases):
        try:
            recorded.append(one(torch, operation, case, number))
        except (RuntimeError, TypeError, AttributeError) as error:
            print(f"{operation} {case} is left out: {error}", file=sys.stderr)
    return recorded


def main(folder):
    import torch
    NAMES.update({torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16"})
    capability = torch.cuda.get_device_capability()
    source = {"device": torch.cuda.get_device_name(), "cuda": torch.version.cuda,
              "compute_capability": f"{capability[0]}.{capability[1]}",
              "date": str(datetime.datetime.now(datetime.timezone.utc).date()),
              "command": "scripts/record_torch_ops.py"}
    files = [("sum", "", sum_cases(), record_rows), ("mean", "", sum_cases(), record_rows),
             ("softmax", "", softmax_cases(), record_rows),
             ("log_softmax", "", softmax_cases(), record_rows),
             ("rms_norm", "", norm_cases(), record_rows),
             ("layer_norm", "", norm_cases(), record_rows),
             ("attention", "", attention_cases(), record_attention),
             ("attention", "-chunks", chunk_cases(), record_chunk)]
    os.makedirs(folder, exist_ok=True)
    for operation, of, cases, one in files:
        document = {"whybits_operations": 1, "source": source,
                    "library": {"name": "torch", "version": torch.__version__},
                    "guarantee": "run_to_run", "operation": operation,
                    "cases": record(torch, operation, cases, one)}
        path = os.path.join(folder, f"torch-{operation.replace('_', '-')}{of}.json")
        with open(path + ".part", "w") as file:
            head = json.dumps(dict(document, cases=[]), indent=1)
            lines = ",\n".join("  " + json.dumps(case) for case in document["cases"])
            file.write(head.replace('"cases": []', '"cases": [\n' + lines + "\n ]") + "\n")
        os.replace(path + ".part", path)
        print(f"{path}: {len(document['cases'])} cases, {os.path.getsize(path)} bytes", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(sys.argv[1])
