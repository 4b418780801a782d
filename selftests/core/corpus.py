#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The seed inputs of a fuzz target, kept as text.

    corpus.py unpack FILE DIRECTORY     a file for each line, for libFuzzer
    corpus.py pack DIRECTORY FILE       the reverse, shortest first
"""

import hashlib
import pathlib
import sys

HEAD = "# SPDX-License-Identifier: GPL-2.0-only\n"


def unpack(source, directory):
    directory.mkdir(parents=True, exist_ok=True)
    for line in source.read_text().splitlines():
        if not line.startswith("#"):
            data = bytes.fromhex(line)
            name = hashlib.sha1(data).hexdigest()
            (directory / name).write_bytes(data)


def pack(directory, target):
    inputs = {f.read_bytes() for f in directory.iterdir()} - {b""}
    inputs = sorted(inputs, key=lambda data: (len(data), data))
    target.write_text(HEAD + "".join(f"{i.hex()}\n" for i in inputs))


if __name__ == "__main__":
    actions = {"unpack": unpack, "pack": pack}
    if len(sys.argv) != 4 or sys.argv[1] not in actions:
        sys.exit(__doc__)
    actions[sys.argv[1]](*map(pathlib.Path, sys.argv[2:]))
