#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Print driver/core/normal_table.h, see driver/core/normal.h."""

import math
import statistics

OCTAVES = 32
SEGMENTS = 16
DEGREE = 3
FRACTION = 28


def fit(function):
    """The polynomial over 0..1 that meets function at Chebyshev's nodes."""
    count = DEGREE + 1
    nodes = [(1 - math.cos(math.pi * (2 * k + 1) / (2 * count))) / 2
             for k in range(count)]
    # Newton's divided differences, then his polynomial multiplied out.
    table = [function(x) for x in nodes]
    for step in range(1, count):
        for k in range(count - 1, step - 1, -1):
            table[k] = ((table[k] - table[k - 1]) /
                        (nodes[k] - nodes[k - step]))
    result = [0.0] * count
    for k in range(count - 1, -1, -1):
        result = [(result[i - 1] if i else table[k]) - nodes[k] * result[i]
                  for i in range(count)]
    return result


def main():
    quantile = statistics.NormalDist().inv_cdf
    print("/* SPDX-License-Identifier: GPL-2.0-only */")
    print("/* Made by tools/build/normal-table.py. See normal.h. */")
    for octave in range(OCTAVES):
        for segment in range(SEGMENTS):
            scale = 0.25 / (1 << octave)
            row = fit(lambda x, a=segment, s=scale:
                      -quantile((1 + (a + x) / SEGMENTS) * s))
            row = [round(c * (1 << FRACTION)) for c in row]
            print("{ " + ", ".join(str(c) for c in row) + " },")


main()
