#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run llama.cpp's test-llama-archs, and print a line of TAP for each architecture.

    archs.py [ARCHITECTURE...]

The program makes small models with random weights, and compares the logits of the
CANN backend with those of the CPU backend; then it saves and loads the model. The
architectures are a selection, or $LLAMA_ARCHS, or arguments.
"""

import re
import sys

sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from program import choose, note, report, run

SOME = """llama llama4 qwen2 qwen2moe qwen3 qwen3moe gemma gemma3 phi2 phi3 gpt2 gptneox
falcon mpt starcoder2 stablelm bloom olmo2 deepseek deepseek2 granite command-r
minicpm internlm2 exaone4 chatglm glm4 mamba mamba2 jamba mistral3 lfm2""".split()


ROW = re.compile(
    r"\|\s*Ascend\w+\|\s*(\w+)\|\s*(\w+) \(([^)]*)\)\s*\|\s*(\w+)\|")


def test(arch):
    """Look at the rows of CANN's device; others are of ggml's own devices."""
    result = run("test-llama-archs", "-s", "1", "-a", arch)
    output = re.sub("\033\\[[0-9;]*m", "", result.stdout + result.stderr)
    rows = ROW.findall(output)
    if not rows:
        note(output)
    is_good = bool(rows) and all(
        nmse == "OK" and saved in ("OK", "SKIP") for _, nmse, _, saved in rows)
    return is_good, ", ".join(f"{kind} {error}" for kind, _, error, _ in rows)


if __name__ == "__main__":
    sys.exit(report(choose("LLAMA_ARCHS", SOME), test))
