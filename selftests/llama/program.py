# SPDX-License-Identifier: GPL-2.0-only
"""Programs of llama.cpp, and the TAP that tests of them print."""

import os
import subprocess
import sys

BUILD = os.environ.get("B", "build") + "/llama/bin/"


def run(name, *args):
    """Run a program, on the device that native.c stands for if $LLAMA_PRELOAD names
    that library."""
    env = dict(os.environ)
    if "LLAMA_PRELOAD" in env:
        env["LD_PRELOAD"] = env["LLAMA_PRELOAD"]
    return subprocess.run([BUILD + name, *args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, errors="replace", env=env,
                          check=False)


def note(text, lines=40):
    """Print the end of a text as a comment."""
    for line in text.splitlines()[-lines:]:
        print("# " + line)


def choose(variable, default):
    """What to test: arguments, words of the environment, or all."""
    return sys.argv[1:] or os.environ.get(variable, "").split() or default


def report(names, test):
    """Print TAP; test(name) returns a result and a text. The exit status."""
    status = 0
    print(f"1..{len(names)}")
    for number, name in enumerate(names, 1):
        is_good, text = test(name)
        print(f"{'ok' if is_good else 'not ok'} {number} {name}: {text}",
              flush=True)
        if not is_good:
            status = 1
    return status
