"""Expected values of test_generators.cpp, from the definition of the inputs alone.

    python3 tests/lab/generated_inputs.py

prints the rows of the table in that file. Exact rational arithmetic, nothing shared with the C++.
"""
from fractions import Fraction

MASK = (1 << 64) - 1


def mix(z):
    z = (z + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


def word(stream, i):
    return mix((mix(stream) + i) & MASK)


# name: exponent bits, fraction bits, code of the largest finite number
FORMATS = {"f64": (11, 52, 0x7FEFFFFFFFFFFFFF), "f32": (8, 23, 0x7F7FFFFF), "tf32": (8, 10, 0x3FBFF),
           "bf16": (8, 7, 0x7F7F), "f16": (5, 10, 0x7BFF), "e5m2": (5, 2, 0x7B), "e4m3": (4, 3, 0x7E),
           "e3m2": (3, 2, 0x1F), "e2m1": (2, 1, 0x7)}


def encode(value, name):
    """Nearest code, ties to the even one, by searching all neighbours; saturates when narrow."""
    exponent_bits, fraction_bits, largest = FORMATS[name]
    bias = (1 << exponent_bits - 1) - 1

    def decode(code):
        field, fraction = code >> fraction_bits, code & ((1 << fraction_bits) - 1)
        if field == 0:
            return Fraction(fraction) * Fraction(2) ** (1 - bias - fraction_bits)
        return (1 + Fraction(fraction, 1 << fraction_bits)) * Fraction(2) ** (field - bias)

    magnitude = abs(value)
    low, high = 0, largest  # the largest code whose value is at most the magnitude
    if decode(largest) <= magnitude:
        low = largest
    else:
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if decode(middle) <= magnitude else (low, middle)
    code = low
    if low < largest:
        below, above = magnitude - decode(low), decode(low + 1) - magnitude
        if above < below or (above == below and low % 2 == 1):
            code = low + 1
    sign = 1 << exponent_bits + fraction_bits
    return code | (sign if value < 0 else 0)


def uniform(h):
    return Fraction(h >> 40, 1 << 23) - 1


def wide(h):
    return uniform(h) * Fraction(2) ** ((h & 15) - 8)


def outliers(h):
    return uniform(h) / (1 if h & 255 == 0 else 32)


if __name__ == "__main__":
    indices = [0, 1, 2, 3, 4, 1000, 58720255]
    for kind, value, stream in [("uniform", uniform, 11), ("wide", wide, 12), ("outliers", outliers, 14)]:
        for name in FORMATS:
            codes = ", ".join("0x%x" % encode(value(word(stream, i)), name) for i in indices)
            print('    {"%s:%d", "%s", {%s}},' % (kind, stream, name, codes))
    for name, bits in [("f64", 64), ("f32", 32), ("bf16", 16), ("e4m3", 8)]:
        codes = ", ".join("0x%x" % (word(13, i) >> 64 - bits) for i in indices)
        print('    {"bits:13", "%s", {%s}},' % (name, codes))
