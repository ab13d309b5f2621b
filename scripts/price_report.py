"""Tables and the picture of docs/price.md, from what whybits-price measured.

    python3 scripts/price_report.py docs/price/price.tsv docs/images/price.svg

Prints the tables as Markdown and writes the picture: how fast fixed.gemm is beside the faster of
cuBLASLt's own choice and its unsplit kernel, over the rows of the batch. Needs nothing but Python.
"""

import csv
import math
import sys

LAYERS = {"qkv": ("6144×4096", "#0072b2"), "o": ("4096×4096", "#d55e00"),
          "gate-up": ("28672×4096", "#009e73"), "down": ("4096×14336", "#000000")}
SHOWN = [1, 4, 16, 32, 64, 96, 128, 256, 512, 1024, 2048, 4096]  # batches of the tables of times
GOOD = 0.9


def read(path):
    """{layer: {m: {kernel: row of the file}}}"""
    table = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            table.setdefault(row["layer"], {}).setdefault(int(row["m"]), {})[row["kernel"]] = row
    return table


def faster_cublaslt(kernels):
    return min(float(kernels[name]["us"]) for name in ("own", "unsplit"))


def speed(kernels):
    return faster_cublaslt(kernels) / float(kernels["fixed"]["us"])


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---:" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def speeds(table):
    rows = []
    for m in table["down"]:
        cells = [speed(table[layer][m]) for layer in LAYERS]
        rows.append([f"{m:,}"] + [f"{x:.3f}" if x >= GOOD else f"*{x:.3f}*" for x in cells])
    return markdown(["m"] + list(LAYERS), rows)


def times(batches):
    head = ["m", "own µs", "unsplit µs", "persistent µs", "`fixed.gemm` µs", "own: slices",
            "own: rms error"]
    rows = []
    for m in SHOWN:
        us = [f"{float(batches[m][k]['us']):,.2f}" for k in ("own", "unsplit", "persistent", "fixed")]
        rows.append([f"{m:,}"] + us + [batches[m]["own"]["slices"], batches[m]["own"]["f32_rms"]])
    return markdown(head, rows)


def errors(table):
    head = ["layer", "slices of `fixed.gemm`", "`fixed.gemm`", "unsplit, persistent", "own",
            "any of them, in bf16"]
    rows = []
    for layer, batches in table.items():
        f32 = {k: sorted({b[k]["f32_rms"] for b in batches.values()}, key=float)
               for k in ("own", "unsplit", "persistent", "fixed")}
        bf16 = sorted({row["bf16_rms"] for b in batches.values() for row in b.values()}, key=float)
        whole = sorted({*f32["unsplit"], *f32["persistent"]}, key=float)
        slices = sorted({b["fixed"]["slices"] for b in batches.values()})
        rows.append([layer] + [", ".join(c) for c in (slices, f32["fixed"], whole, f32["own"], bf16)])
    return markdown(head, rows)


def findings(table):
    """What the page says of each layer in words."""
    rows = []
    for layer in LAYERS:
        batches = table[layer]
        us = {m: {k: float(row["us"]) for k, row in kernels.items()} for m, kernels in batches.items()}
        good = [str(m) for m in batches if speed(batches[m]) >= GOOD]
        worst = min(batches, key=lambda m: speed(batches[m]))
        unsplit = {m: us[m]["unsplit"] / us[m]["own"] - 1 for m in batches}
        dear = max(unsplit, key=unsplit.get)
        slow = [us[m]["persistent"] / faster_cublaslt(batches[m]) for m in batches]
        rows.append([layer, ", ".join(good), f"{speed(batches[worst]):.3f} at {worst}",
                     f"{100 * unsplit[dear]:+.1f} % at {dear}", f"{min(slow):.1f} to {max(slow):.1f}"])
    above = [speed(table[layer][m]) for layer in LAYERS for m in table[layer] if m > 48]
    return markdown(["layer", f"at least {GOOD} at m =", "worst", "most for unsplit over own",
                     "persistent, times the faster cuBLASLt"], rows) + (
        f"\nAbove 48 rows {sum(x < GOOD for x in above)} of {len(above)} are below {GOOD}.\n")


def picture(table):
    left, right, top, bottom, width, height = 60, 20, 64, 48, 760, 400
    batches = list(table["down"])
    low, high = 0.5, 1.1

    def x(m):
        return left + (width - left - right) * math.log2(m) / math.log2(batches[-1])

    def y(value):
        return height - bottom - (height - top - bottom) * (value - low) / (high - low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
           'font-family="DejaVu Sans, Helvetica, Arial, sans-serif" font-size="13">',
           "  <title>Speed of fixed.gemm beside the faster cuBLASLt kernel, over the rows of the "
           "batch</title>", f'  <rect width="{width}" height="{height}" fill="#ffffff"/>',
           f'  <text x="{left}" y="22" font-weight="bold">Time of the faster cuBLASLt kernel / time '
           "of fixed.gemm, NVIDIA H200, bf16</text>"]
    for step in range(round((high - low) * 10) + 1):
        value = low + step / 10
        mark = abs(value - GOOD) < 1e-9 or abs(value - 1) < 1e-9
        out.append(f'  <line x1="{left}" x2="{width - right}" y1="{y(value):.1f}" y2="{y(value):.1f}" '
                   f'stroke="{"#6b7280" if mark else "#e5e7eb"}"'
                   + (' stroke-dasharray="4 4"' if abs(value - GOOD) < 1e-9 else "") + "/>")
        out.append(f'  <text x="{left - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.1f}</text>')
    for power in range(13):
        out.append(f'  <text x="{x(2**power):.1f}" y="{height - bottom + 20}" text-anchor="middle">'
                   f"{2**power:,}</text>")
    out.append(f'  <text x="{(left + width - right) / 2}" y="{height - 8}" text-anchor="middle">'
               "rows of the batch, m</text>")
    for i, (layer, (shape, colour)) in enumerate(LAYERS.items()):
        points = [(x(m), y(speed(table[layer][m]))) for m in batches]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        out.append(f'  <polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out.extend(f'  <circle cx="{a:.1f}" cy="{b:.1f}" r="2.5" fill="{colour}"/>' for a, b in points)
        place = left + i * 172
        out.append(f'  <line x1="{place}" x2="{place + 18}" y1="42" y2="42" stroke="{colour}" '
                   'stroke-width="3"/>')
        out.append(f'  <text x="{place + 24}" y="46">{layer} {shape}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    table = read(sys.argv[1])
    print("Speed\n\n" + speeds(table))
    print("Findings\n\n" + findings(table))
    print("Error\n\n" + errors(table))
    for layer in LAYERS:
        print(f"{layer}\n\n" + times(table[layer]))
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(picture(table))


main()
