#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the errors of the ioctls in the headers of the ABI with those that the
tests and the fuzzer accept, selftests/uapi/errnos.h.

usage: errnos.py
"""

import os
import re
import sys

HEADERS = ("uapi/linux/vnpu.h", "uapi/linux/vnpu_graph.h",
           "uapi/linux/vnpu_engine.h")
ERRNO = r"\bE[A-Z0-9]{2,}\b"
# Errors of tasks that the description of a call mentions.
OF_TASKS = {("VNPU_IOCTL_DEVICE_QUERY", "EIO")}


def read(path):
    with open(path) as f:
        return f.read()


def documented(text):
    """Return the set of errors in the table at the top of the header."""
    table = re.search(r"DOC: Errors\n(.*?)\*/", text, re.S)[1]
    return set(re.findall(r"^ \* (E[A-Z0-9]+)  ", table, re.M))


def mentioned(text):
    """Return {ioctl: errors} as the description of each names them in parentheses,
    or as the reason of a failure ("EBUSY: ...")."""
    found = {}
    start = 0
    for m in re.finditer(r"^#define (VNPU_IOCTL_\w+)\s+_IO\(", text, re.M):
        comments = re.findall(r"/\*\*\n \* struct .*?\*/", text[start:m.start()], re.S)
        errors = set()
        for part in re.findall(r"\((E[^()]*)\)", "".join(comments[-1:])):
            errors |= set(re.findall(ERRNO, part))
        errors |= set(re.findall(rf"({ERRNO}): ", "".join(comments[-1:])))
        found[m[1]] = errors
        start = m.end()
    return found


def accepted(text):
    """Return the errors of any call, and {ioctl: errors}, of errnos.h."""
    any_call = re.search(r"errnos_any\[\] = \{(.*?)\}", text, re.S)[1]
    rows = re.findall(r"\{ (VNPU_IOCTL_\w+),\s+\{([^}]*)\} \}", text)
    return (set(re.findall(ERRNO, any_call)),
            {name: set(re.findall(ERRNO, errors)) for name, errors in rows}, rows)


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
    texts = [read(path) for path in HEADERS]
    table = documented(texts[0])
    calls = {}
    for text in texts:
        calls.update(mentioned(text))
    any_call, listed, rows = accepted(read("selftests/uapi/errnos.h"))
    every = any_call.union(*listed.values())
    checks = (
        ("each ioctl has one row", sorted(
            set(calls) ^ set(listed)) + [n for n, _ in rows
                                         if [r[0] for r in rows].count(n) > 1]),
        ("the header's table has each error", sorted(every - table)),
        ("each error of the table is that of a call", sorted(table - every)),
        ("each error in a description is accepted", sorted(
            f"{name}: {error}" for name, errors in calls.items()
            for error in (errors & table) - any_call - listed.get(name, set())
            if (name, error) not in OF_TASKS)),
        ("no row repeats an error of any call", sorted(
            f"{name}: {error}" for name, errors in listed.items()
            for error in errors & any_call)),
    )
    print(f"1..{len(checks)}")
    for i, (name, found) in enumerate(checks, 1):
        print("not ok" if found else "ok", i, name)
        for line in found:
            print("#", line)
    return int(any(found for _, found in checks))


sys.exit(main())
