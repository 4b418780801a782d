#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Each exported function of the library that can fail sets the name of the call.

usage: calls.py

The message of an error begins with this name, see VNPU_CALL() in
lib/src/base/error.h. Print FILE: FUNCTION for each that returns an aclError and does
not set it.
"""

import glob
import os
import re

# These cannot fail.
EXCEPT = {"aclrtSetOpExecuteTimeOut", "aclrtSetOpExecuteTimeOutWithMs",
          "aclrtSetOpWaitTimeout"}
FUNCTION = re.compile(r"^(?:VNPU_PUBLIC )?aclError\s+(\w+)\([^;{}]*\)\n\{\n(.*?)^\}\n", re.M | re.S)


def main():
    with open("lib/libvnpu.map") as f:
        exported = set(re.findall(r"^\t(\w+);", f.read(), re.M)) - EXCEPT
    for path in sorted(glob.glob("lib/src/*/*.c")):
        with open(path) as f:
            for name, body in FUNCTION.findall(f.read()):
                if name in exported and not re.search(r"VNPU_CALL(_AS)?\(", body):
                    print(f"{path}: {name}")


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
    main()
