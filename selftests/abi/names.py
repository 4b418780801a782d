#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check that names in texts about the code exist.

usage: names.py

Print each function of the walks in Documentation/architecture.md that the file
beside it does not define, each room that the page lacks, and each function in
selftests/cover/reasons.md that its file does not contain.
"""

import os
import re
import sys

sys.dont_write_bytecode = True
import rooms

PAGE = "Documentation/architecture.md"
REASONS = "selftests/cover/reasons.md"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def walks():
    """Yield the last function of each line of the walks, and its file."""
    for block in re.findall(r"^```\n(.*?)^```", read(PAGE), re.M | re.S):
        for line in block.splitlines():
            match = re.match(r"(.*\(\)) .*?\b([a-z_]+/[a-z_]+\.[ch])\b", line)
            if match:
                yield re.findall(r"(\w+)\(\)", match[1])[-1], match[2]


def defines(path, function):
    return os.path.exists(path) and re.search(
        rf"^(?!\s)(?:[^;{{}}]*\W)?{function}\([^;{{}}]*\)\s*\{{", read(path), re.M)


def main():
    for function, path in walks():
        if not any(defines(f"{top}/{path}", function) for top in ("driver", "lib/src", "lib")):
            print(f"{PAGE}: {path} does not define {function}()")
    for top in ("driver", "lib/src"):
        for room in rooms.ORDER[top]:
            if room != "." and f"| `{room}/` |" not in read(PAGE):
                print(f"{PAGE}: no room {room}/ of {top}/")
    for path, names in re.findall(r"^    (driver/\S+): (.*)$", read(REASONS), re.M):
        for name in names.split():
            if name != "*" and not re.search(rf"\b{name}\(", read(path)):
                print(f"{REASONS}: {path} has no {name}()")


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
    main()
