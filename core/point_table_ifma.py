#!/usr/bin/env python3
"""Writes point_table_ifma.c: multiples of the base point as point_table_ifma.h says.

usage: point_table_ifma.py OUTPUT
"""
import sys

sys.dont_write_bytecode = True

from point_table import D, P, base_point, double_n, add, multiples

SHADOW_PRIME = 2**56 - 5


def coordinates(p, plain=False):
    """y - x, y + x, 2 d x y, or plainly x, y, x y, as lists of five digits."""
    z = pow(p[2], P - 2, P)
    x, y = p[0] * z % P, p[1] * z % P
    values = (x, y, x * y) if plain else (y - x, y + x, 2 * D * x * y)
    return [digits(v % P) for v in values]


def digits(v):
    return [v >> 51 * k & 2**51 - 1 for k in range(5)]


def vector(values):
    return "{" + ", ".join("0x%x" % v for v in values) + "},"


def main(path):
    out = ["/* Made by point_table_ifma.py. */", '#include "point_table_ifma.h"', ""]
    out += ["_Alignas(64) const bm_limb bm_base_rows_ifma[BM_ROWS_IFMA][16][BM_ROW_ENTRIES_IFMA] = {"]
    row = base_point()
    for i in range(26):
        entries = [coordinates(p, plain=i % 13 == 0) for p in multiples(row, row, 16)]
        out.append("  {")
        out += ["    " + vector(e[c][k] for e in entries) for c in range(3) for k in range(5)]
        out.append("    " + vector((j + 1) * 1024**i % SHADOW_PRIME for j in range(16)))
        out.append("  },")
        row = double_n(row, 10)
    out += ["};", "", "_Alignas(64) const bm_limb"]
    out += ["    bm_base_naf_ifma[BM_NAF_PARTS_IFMA][BM_NAF_ENTRIES][20] = {"]
    part = base_point()
    for _ in range(8):
        out.append("  {")
        for p in multiples(part, add(part, part), 64):
            c = coordinates(p) + [[2, 0, 0, 0, 0]]
            out.append("    " + vector(c[lane][k] for k in range(5) for lane in range(4)))
        out.append("  },")
        part = double_n(part, 32)
    out += ["};", ""]
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(out))


if __name__ == "__main__":
    main(sys.argv[1])
