"""Records a matrix product of a PyTorch program, so that whybits can explain its bits.

    from record_torch import record_mm, record_linear
    record_mm("qkv.json", x, w)             # torch.mm(x, w), x m×k, w k×n
    record_linear("down.json", layer, x)    # an nn.Linear without bias; x is ...×k

    whybits explain qkv.json

Writes the recording and, beside it, the operands as raw words (NAME.a.bin, NAME.b.bin). Rows of the
output: all, or those in rows=. Needs nothing but torch.
"""

import base64
import ctypes
import datetime
import json
import os
import sys

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
MASK = (1 << 64) - 1
P32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
       0x27D4EB2F165667C5)


def xxh3_128(data):
    """XXH3's 128-bit hash, seed 0, of more than 240 bytes: 32 hexadecimal digits."""
    if len(data) <= 240:
        raise ValueError("record more outputs: at least 241 bytes of them")
    word = lambda source, at: int.from_bytes(source[at:at + 8], "little")
    keys = [word(SECRET, at) for at in range(len(SECRET) - 7)]
    acc = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]]

    def accumulate(at, key):
        for i in range(8):
            value = word(data, at + 8 * i)
            mixed = value ^ keys[key + 8 * i]
            acc[i ^ 1] = (acc[i ^ 1] + value) & MASK
            acc[i] = (acc[i] + (mixed & 0xFFFFFFFF) * (mixed >> 32)) & MASK

    stripes = (len(data) - 1) // 64
    for stripe in range(stripes):
        accumulate(64 * stripe, 8 * (stripe % 16))
        if stripe % 16 == 15:
            for i in range(8):
                acc[i] = ((acc[i] ^ acc[i] >> 47 ^ keys[128 + 8 * i]) * P32[0]) & MASK
    accumulate(len(data) - 64, 121)

    def merged(key, start):
        total = start
        for i in range(4):
            product = (acc[2 * i] ^ keys[key + 16 * i]) * (acc[2 * i + 1] ^ keys[key + 16 * i + 8])
            total += (product & MASK) ^ product >> 64
        total &= MASK
        total = (total ^ total >> 37) * 0x165667919E3779F9 & MASK
        return total ^ total >> 32

    low = merged(11, len(data) * P64[0] & MASK)
    high = merged(117, ~(len(data) * P64[1]) & MASK)
    return f"{high:016x}{low:016x}"


def _type_name(torch, dtype):
    names = {torch.bfloat16: "bf16", torch.float16: "f16", torch.float32: "f32"}
    if dtype not in names:
        raise TypeError(f"{dtype} is not recorded; use {', '.join(names.values())}")
    return names[dtype]


def _words(tensor):
    kept = tensor.detach().cpu().contiguous()
    return ctypes.string_at(kept.data_ptr(), kept.numel() * kept.element_size())


def _record(path, x, w, out, layout_b, command, rows):
    import torch
    m, k = x.shape
    n = w.shape[1]
    stem = os.path.splitext(os.path.basename(path))[0]
    folder = os.path.dirname(path) or "."
    files = {"a": f"{stem}.a.bin", "b": f"{stem}.b.bin"}
    for name, tensor in (("a", x), ("b", w)):
        with open(os.path.join(folder, files[name]), "wb") as file:
            file.write(_words(tensor))
    chosen = list(range(m)) if rows is None else sorted(set(rows))
    words = _words(out[chosen])
    cuda = x.is_cuda
    capability = torch.cuda.get_device_capability(x.device) if cuda else None
    source = {"device": torch.cuda.get_device_name(x.device) if cuda else "cpu",
              "date": str(datetime.date.today()), "command": command}
    if cuda:
        source["compute_capability"] = f"{capability[0]}.{capability[1]}"
        source["cuda"] = torch.version.cuda or "none"
    kind = _type_name(torch, x.dtype)
    recording = {
        "whybits_recording": 1, "source": source,
        "library": {"name": "torch", "version": torch.__version__},
        "settings": {"allow_tf32": torch.backends.cuda.matmul.allow_tf32},
        "kernel": "torch.matmul", "guarantee": "run_to_run", "computation": "gemm",
        "shape": {"m": m, "n": n, "k": k}, "layout": {"a": "mk", "b": layout_b},
        "types": {"a": kind, "b": _type_name(torch, w.dtype), "accumulate": "f32",
                  "out": _type_name(torch, out.dtype)},
        "inputs": {name: {"file": file} for name, file in files.items()},
        "output": {"rows": chosen, "xxh3_128": xxh3_128(words),
                   "bits": {"base64": base64.b64encode(words).decode()}}}
    temporary = path + ".part"
    with open(temporary, "w") as file:
        json.dump(recording, file, indent=1)
    os.replace(temporary, path)


def record_mm(path, x, w, rows=None):
    """Runs torch.mm(x, w), records it and returns the product. x is m×k, w k×n."""
    import torch
    out = torch.mm(x, w)
    _record(path, x, w, out, "kn", "torch.mm(x, w)", rows)
    return out


def record_linear(path, layer, x, rows=None):
    """Runs an nn.Linear, records it and returns its output. Its bias must be None."""
    if layer.bias is not None:
        raise ValueError("a bias cannot be recorded yet: record layer.weight without it")
    out = layer(x)
    flat_x, flat_out = x.reshape(-1, x.shape[-1]), out.reshape(-1, out.shape[-1])
    _record(path, flat_x, layer.weight.t(), flat_out, "nk", "torch.nn.Linear(x)", rows)
    return out


if __name__ == "__main__":
    print(__doc__, file=sys.stderr)
    sys.exit(2)
