#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run ggml's test-backend-ops on the CANN backend, and print a line of TAP for each
operator.

    ops.py [OPERATOR...]

The operators are those that the backend supports, or $LLAMA_OPS, or arguments. A
case fails if its results differ from those of the CPU backend. Each operator has a
process of its own, since the first error of a call ends it.
"""

import re
import sys

sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from program import choose, note, report, run

ALL = """ABS ACC ADD ARANGE ARGMAX ARGSORT CLAMP CONCAT CONT CONV_TRANSPOSE_1D COS
COUNT_EQUAL CPY CROSS_ENTROPY_LOSS CUMSUM DIAG DIAG_MASK_INF DIV DUP ELU EXP FILL
FLASH_ATTN_EXT GATED_LINEAR_ATTN GEGLU GEGLU_ERF GEGLU_QUICK GELU GELU_ERF
GELU_QUICK GET_ROWS GROUP_NORM HARDSIGMOID HARDSWISH IM2COL L2_NORM LEAKY_RELU LOG
MEAN MUL MUL_MAT MUL_MAT_HADAMARD MUL_MAT_ID NEG NORM OUT_PROD PAD PAD_REFLECT_1D
POOL_2D REGLU RELU REPEAT RMS_NORM ROPE SCALE SET SET_ROWS SGN SIGMOID SILU SIN
SOFTPLUS SOFT_MAX SOLVE_TRI SQR SQRT SSM_CONV STEP SUB SUM SUM_ROWS SWIGLU
SWIGLU_CLAMP TANH TIMESTEP_EMBEDDING TRI UPSCALE""".split()

# Cases that the backend supports by its own account, but makes wrong calls for.
# These end the program: the strides of blocks are no strides of elements; and the
# cached tables of rotary embeddings do not grow with the dimensions, only with the
# positions, so the last cases use memory behind them.
ONLY = {"CONCAT": "type=[^q]", "ROPE": r"ne_a=\[(?!256,\d+,512|512,)"}
# A view of quantised rows does not find its scales, which are behind all rows;
# rows of f16 are read as f32; inputs beyond f16 are cast to it.
KNOWN = {
    "GET_ROWS": r"type=q8_0,.*vs0=1",
    "SET_ROWS": r"type_src=f16,type_dst=f32",
    "MUL_MAT_ID": r"type_a=q8_0,.*amax=100000",
}


def cases(op):
    """The cases of an operator: how many there are, and those that failed."""
    result = run("test-backend-ops", "test", "-b", "CANN0", "-o", op, "-p",
                 ONLY.get(op, "."))
    found = re.search(r"(\d+)/(\d+) tests passed", result.stdout)
    if not found:
        note(result.stderr)
        return 0, []
    passed, count = map(int, found.groups())
    failed = re.findall(rf"^  ({op}\(.*\))$", result.stdout, re.MULTILINE)
    if len(failed) != count - passed:
        raise SystemExit(f"{op}: {count - passed} cases failed, not {failed}")
    return count, failed


def test(op):
    count, failed = cases(op)
    known = [c for c in failed if op in KNOWN and re.search(KNOWN[op], c)]
    for case in failed:
        if case not in known:
            print("# failed: " + case)
    text = f"{count - len(failed)} of {count} cases"
    if known:
        text += f", {len(known)} of the others fail in ggml itself"
    return count > 0 and len(known) == len(failed), text


if __name__ == "__main__":
    sys.exit(report(choose("LLAMA_OPS", ALL), test))
