#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""One call of vnpu-smi costs at most three times one of "ip link".

Other work on the machine can only add to the cost. So the minimum of many
calls counts. The two commands are called in turns until the ratio is low
enough.
"""

import os
import subprocess
import sys

sys.dont_write_bytecode = True      # the tree may be shared with a guest

# pylint: disable=wrong-import-position
from harness import B, run_tests, test

SMI = f"{B}/bin/vnpu-smi"
IP = ["ip", "link"]
LIMIT = 3
LEAST_TURNS = 5
MOST_TURNS = 100


def cost(args):
    """Return the user and system time in seconds."""
    with subprocess.Popen(args, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{args} ended with {process.returncode}"
    return usage.ru_utime + usage.ru_stime


@test("a call of vnpu-smi costs at most three times one of ip link")
def cheap():
    verbs = {name: [SMI, *name.split()] for name in
             ("info", "info -l", "info --json", "proc --running",
              "health")}
    try:
        least = {"ip link": cost(IP)}
    except FileNotFoundError:
        return "ip is missing"
    for turn in range(MOST_TURNS):
        for name, args in {"ip link": IP, **verbs}.items():
            least[name] = min(cost(args), least.get(name, 3600))
        high = max(least[name] for name in verbs) / least["ip link"]
        if turn + 1 >= LEAST_TURNS and high <= LIMIT:
            break
    for name, seconds in least.items():
        print(f"# {name:12} {seconds * 1000:8.2f} ms "
              f"{seconds / least['ip link']:5.2f}")
    assert high <= LIMIT, f"{high:.2f} times"
    return None


if __name__ == "__main__":
    run_tests()
