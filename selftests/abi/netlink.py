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


def without_doc(spec):
    return [f'{kind["name"]}: no doc' for kind in spec["attribute-sets"]
            if not kind.get("doc")]


def wrong_states(spec):
    """Compare the constants of the engines' states with the enum."""
    prefix = "engine-state"
    enum, = (d["entries"] for d in spec["definitions"] if d["name"] == prefix)
    in_enum = {f'{prefix}-{entry["name"]}': value
               for value, entry in enumerate(enum)}
    constants = {d["name"]: d["value"] for d in spec["definitions"]
                 if d["type"] == "const" and d["name"].startswith(prefix)}
    return [f"{name}: {value}" for name, value in
            sorted(in_enum.items() ^ constants.items())]


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    with open(SPEC, encoding="utf-8") as f:
        spec = yaml.safe_load(f)
    with tempfile.TemporaryDirectory() as new:
        checks = (
            ("sets of attributes are documented", without_doc(spec)),
            ("constants of states have the values of their enum",
             wrong_states(spec)),
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
