#!/usr/bin/env python3
"""Writes point_table.c: multiples of Ed25519's base point (RFC 8032 5.1), as point_table.h says.

usage: point_table.py OUTPUT
"""
import sys

P = 2**255 - 19
D = -121665 * pow(121666, P - 2, P) % P
SHADOW_PRIME = 2**61 - 1
TABLES, TEETH, SPACE = 13, 5, 4
BASE_Y = 4 * pow(5, P - 2, P) % P


def base_point():
    """B as (X, Y, Z, T): y = 4/5, x even."""
    x2 = (BASE_Y**2 - 1) * pow(D * BASE_Y**2 + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if x * x % P != x2:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x % 2:
        x = P - x
    return (x, BASE_Y, 1, x * BASE_Y % P)


def add(p, q):
    """RFC 8032 5.1.4, complete: serves doubling too."""
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * D * p[3] * q[3] % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiples(point, step, count):
    """point, point + step, point + 2 step, ..."""
    out = [point]
    while len(out) < count:
        out.append(add(out[-1], step))
    return out


def negate(p):
    return (P - p[0], p[1], p[2], P - p[3])


def double_n(p, n):
    for _ in range(n):
        p = add(p, p)
    return p


def limbs(v):
    return "{" + ", ".join("UINT64_C(0x%016x)" % (v >> 64 * i & 2**64 - 1) for i in range(4)) + "}"


def niels(p):
    z = pow(p[2], P - 2, P)
    x, y = p[0] * z % P, p[1] * z % P
    values = ((y + x) % P, (y - x) % P, 2 * D * x * y % P)
    return "{" + ",\n      ".join(limbs(v) for v in values) + "}"


def main(path):
    out = ["/* Made by point_table.py. */", '#include "point_table.h"', ""]
    out += ["const bm_comb_entry bm_base_comb[BM_COMB_TABLES][BM_COMB_ENTRIES] = {"]
    tooth = base_point()
    for m in range(TABLES):
        entries = [((0, 1, 1, 0), 0)]  # each a point and the multiple of B that it is
        for j in range(TEETH):
            k = 2 ** (SPACE * (j + TEETH * m))
            signs = [(tooth, k)] if j == TEETH - 1 else [(negate(tooth), -k), (tooth, k)]
            entries = [(add(p, q), n + i) for q, i in signs for p, n in entries]
            tooth = double_n(tooth, SPACE)
        out.append("  {")
        for p, n in entries:
            out.append("    {%s,\n     UINT64_C(%d), 0}," % (niels(p), n % SHADOW_PRIME))
        out.append("  },")
    out += ["};", "", "const bm_niels bm_base_naf[BM_NAF_PARTS][BM_NAF_ENTRIES] = {"]
    part = base_point()
    for _ in range(4):
        out.append("  {")
        out += ["    %s," % niels(p) for p in multiples(part, add(part, part), 64)]
        out.append("  },")
        part = double_n(part, 64)
    out += ["};", ""]
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(out))


if __name__ == "__main__":
    main(sys.argv[1])
