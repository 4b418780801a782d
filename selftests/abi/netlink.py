#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The C of the netlink family is what the kernel's generator makes of
uapi/netlink/vnpu.yaml. The generator also checks the specification against the
kernel's schema, and its references.
"""

import os
import subprocess
import sys
import tempfile

import yaml

SPEC = "uapi/netlink/vnpu.yaml"
GENERATED = ("uapi/linux/vnpu_netlink.h", "driver/netlink/genl_gen.h",
             "driver/netlink/genl_gen.c")


def output(*command):
    """Return the lines that a command prints if it fails, else none."""
    p = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, check=False)
    return p.returncode and [f"{command[0]}: exit status {p.returncode}",
                             *p.stdout.splitlines()[-40:]]


def without_doc():
    with open(SPEC, encoding="utf-8") as f:
        return [f'{kind["name"]}: no doc'
                for kind in yaml.safe_load(f)["attribute-sets"]
                if not kind.get("doc")]


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    with tempfile.TemporaryDirectory() as new:
        checks = (
            ("sets of attributes are documented", without_doc()),
            ("the generator accepts the specification",
             output("tools/build/ynl-regen.sh", new)),
            *((f'{name} is up to date (else run "make ynl-regen")',
               output("diff", "-u", name, f"{new}/{name}"))
              for name in GENERATED))
    print(f"1..{len(checks)}")
    for i, (name, found) in enumerate(checks, 1):
        print("not ok" if found else "ok", i, name)
        for line in found or ():
            print("#", line)
    return int(any(found for _, found in checks))


sys.exit(main())
