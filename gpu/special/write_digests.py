"""Packs what whybits-record-special wrote for the tests: write_digests.py FOLDER > FILE.json

Of the 8192 digests of a function the lowest byte is kept, and the sum of all of them (mod 2^64),
which no wrong result can escape. Functions with the same results share an entry. Two-operand
functions keep their digests whole, those of 16 bits one digest of all words. Functions that the emulator does not have are left out."""

import base64
import json
import struct
import sys

BLOCKS = 8192
STREAMS = 3 * 64
PAIR_WORDS = 64 * 64
INSTRUCTIONS = ("rcp", "rsqrt", "sqrt", "lg2", "ex2", "sin", "cos", "tanh")
CUDA = ("expf exp2f exp10f logf log2f log10f sqrtf rsqrtf tanhf 1/x __expf __exp10f __logf __log2f "
        "__log10f __sinf __cosf __tanf").split()
PAIRS = ("x/y", "__fdividef", "__powf")


def lines(path):
    with open(path) as file:
        return file.read().splitlines()


def known(name):
    mode, _, function = name.partition(" ")
    return name.split(".")[0] in INSTRUCTIONS and name.endswith("f32") or function in CUDA


def known_pair(name):
    return name.startswith("div.") or name.partition(" ")[2] in PAIRS


def grouped(entries):
    """Names of equal digests together, in the order of their first."""
    groups = {}
    for name, digests in entries:
        groups.setdefault(digests, []).append(name)
    return groups.items()


def single(folder):
    with open(folder + "/digests.bin", "rb") as file:
        data = file.read()
    for i, name in enumerate(lines(folder + "/names.txt")):
        if known(name):
            yield name, data[i * BLOCKS * 8:(i + 1) * BLOCKS * 8]


def pairs(folder):
    with open(folder + "/pairs.bin", "rb") as file:
        data = file.read()
    step = STREAMS * 8 + PAIR_WORDS * 4
    for i, name in enumerate(lines(folder + "/pairs.txt")):
        if known_pair(name):
            yield name, data[i * step:i * step + STREAMS * 8]


def mix(z):
    z = (z + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def halves(folder):
    with open(folder + "/halves.bin", "rb") as file:
        data = file.read()
    for i, name in enumerate(lines(folder + "/halves.txt")):
        words = struct.unpack_from("<65536H", data, i * 2**17)
        yield {"name": name, "sum": f"{sum(mix(x << 32 | y) for x, y in enumerate(words)) % 2**64:016x}"}


def text(data):
    return base64.b64encode(data).decode()


def main(folder):
    print(json.dumps({
        "source": {"device": "NVIDIA H200", "compute_capability": "9.0", "driver": "580.159.04",
                   "cuda": "13.0", "nvcc": "13.0.88", "date": "2026-11-30",
                   "command": "whybits-record-special FOLDER"},
        "functions": [{"names": names,
                       "sum": f"{sum(struct.unpack(f'<{BLOCKS}Q', d)) % 2**64:016x}",
                       "lowest_bytes": text(d[::8])} for d, names in grouped(single(folder))],
        "pairs": [{"names": names, "digests": text(d)} for d, names in grouped(pairs(folder))],
        "halves": list(halves(folder)),
    }, indent=1))


main(*sys.argv[1:])
