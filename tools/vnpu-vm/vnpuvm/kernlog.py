# SPDX-License-Identifier: GPL-2.0-only
"""The guest kernel's log, and the records in it that fail a run.

Records come from /dev/kmsg, where the kernel marks its own with facility 0 and
forces another on records of user space; so a program that logs "WARNING:" is
not a warning, and can neither provoke a splat nor forge one. A panicked kernel
only reports on its console, which has no such mark; there the panic itself
counts.
"""

import re

# How a complaint begins. Most kinds are a WARN, an oops or a "BUG:" (KASAN,
# refcounts, lists, soft lockups, lockdep's splats).
SPLAT = re.compile("|".join((
    r"-+\[ cut here \]-+",
    r"WARNING: ",
    r"(kernel |watchdog: )?BUG\b",
    r"Oops\b",
    r"general protection fault",
    r"(divide error|invalid opcode|stack segment|double fault): ",
    r"Kernel panic",
    r"UBSAN: ",
    r"pagealloc: ",
    r"INFO: (possible|inconsistent|trying to register|suspicious)",
    r"INFO: task .* blocked for more than",
    r"(rcu: )?INFO: rcu\w* .*detected",
    r"irq \d+: nobody cared",
    r"sysfs: cannot create duplicate",
    r"unregister_netdevice: waiting for",
    r"kmemleak: \d+ new suspected memory leaks",
)))

MAX_LINES = 200

KERN_ERR = 3


def find_splat(lines):
    """Return the part of a log to print: from the first splat on, or nothing.
    """
    for number, line in enumerate(lines):
        # A console line and a formatted record begin with "[time] ".
        text = re.sub(r"^\[ *\d+\.\d+\](\[ *\w+\])? ", "", line)
        if SPLAT.match(text):
            tail = lines[number:]
            if len(tail) > MAX_LINES:
                tail = tail[:MAX_LINES] + ["[...]"]
            return tail
    return []


class KernelLog:
    def __init__(self):
        self.lines = []         # all, as dmesg prints them
        self.own = []           # the kernel's own
        self.module_errors = []  # of those, the module's that are errors

    def feed(self, data):
        """Take whole records as /dev/kmsg gives them."""
        for line in data.decode(errors="replace").split("\n"):
            # A line that begins with a space carries a record's keys.
            if not line or line.startswith(" "):
                continue
            head, _, text = line.partition(";")
            fields = head.split(",")
            try:
                prefix, usec = int(fields[0]), int(fields[2])
            except (IndexError, ValueError):
                continue
            shown = f"[{usec // 10**6:5}.{usec % 10**6:06}] {text}"
            self.lines.append(shown)
            if prefix >> 3 == 0:
                self.own.append(shown)
                if prefix <= KERN_ERR and text.startswith("vnpu: "):
                    self.module_errors.append(shown)

    def splat(self):
        return find_splat(self.own)


class Console:
    """Take data from the serial port."""

    def __init__(self):
        self.data = bytearray()

    def lines(self):
        text = self.data.decode(errors="replace")
        return [line.rstrip("\r") for line in text.split("\n")]

    def panic(self):
        """The log of a kernel that panicked, or nothing. It was printed
        whole once more at the panic, so only its last beginning counts."""
        lines = self.lines()
        if not any("Kernel panic - not syncing" in line for line in lines):
            return []
        starts = [n for n, line in enumerate(lines)
                  if re.match(r"\[ *0\.0+\] Linux version", line)]
        return lines[starts[-1]:] if starts else lines
