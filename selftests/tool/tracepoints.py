#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The driver's tracepoints as seen by common tools, perf and bpftrace of
Debian, and by the documentation.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True      # the tree may be shared with a guest

# pylint: disable=wrong-import-position
import yaml
from harness import B, equal, run_tests, test

EVENTS = f"{B}/selftests/tool/events"
TRACEFS = "/sys/kernel/tracing"
DOC = "Documentation/tracing.md"

# Each by its name, and allocated and freed memory by arguments.
SCRIPT = """
tracepoint:vnpu:* { @[probe] = count(); }
tracepoint:vnpu:vnpu_mem_alloc { @alloc = sum(args->length); }
tracepoint:vnpu:vnpu_mem_free { @free = sum(args->length); }
"""

# If kernel headers are installed, bpftrace assumes that they are complete,
# which they need not be in a machine. Formats and BTF suffice.
BPFTRACE = ["unshare", "--mount", "sh", "-c",
            'mount -t tmpfs none /lib/modules && exec bpftrace "$@"', "sh"]


def tracepoints():
    """Return their names, or None."""
    if not os.path.isdir(f"{TRACEFS}/events"):
        subprocess.run(["mount", "-t", "tracefs", "none", TRACEFS], check=False)
    place = f"{TRACEFS}/events/vnpu"
    if not os.path.isdir(place):
        return None
    return {name for name in os.listdir(place) if name.startswith("vnpu_")}


def lacks(tool, kernel_file):
    """Return why a tool cannot be run, or None."""
    if not tracepoints():
        return "tracefs is missing"
    if not os.path.exists(kernel_file):
        return f"the kernel lacks what {tool} needs"
    return None if shutil.which(tool) else f"{tool} is missing"


def run(*args):
    done = subprocess.run(args, check=False, encoding="utf-8",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert done.returncode == 0, f"{args}: {done.returncode}\n{done.stderr}"
    return done.stdout


def expected(text):
    """The expected events: names, each with some of the fields."""
    lines = [line.split() for line in text.splitlines()
             if line.startswith("vnpu_")]
    return [(name, set(fields)) for name, *fields in lines]


def missing(wanted, seen):
    """Return the events that are missing in this order; an event may occur
    twice.
    """
    at = dict.fromkeys((name for name, _ in wanted), 0)
    for name, fields in wanted:
        found = [i for i, (other, others) in enumerate(seen)
                 if i >= at[name] and other == name and fields <= others]
        if not found:
            yield name, fields
        else:
            at[name] = found[0] + 1


@test("each is documented, and nothing else is")
def documented():
    if not tracepoints():
        return "tracefs is missing"
    with open(DOC, encoding="utf-8") as f:
        rows = re.findall(r"^\| `(vnpu_\w+)` \| ([^|]*) \|", f.read(), re.M)
    equal({name for name, _ in rows}, tracepoints())
    for name, fields in rows:
        with open(f"{TRACEFS}/events/vnpu/{name}/format",
                  encoding="utf-8") as f:
            found = re.findall(r"field:.*?(\w+);", f.read())
        equal((name, {i for i in found if not i.startswith("common_")}),
              (name, set(re.findall(r"\w+", fields))))
    return None


@test("injected faults have the names of the netlink family")
def kinds():
    if not tracepoints():
        return "tracefs is missing"
    with open("uapi/netlink/vnpu.yaml", encoding="utf-8") as f:
        [kind] = [d for d in yaml.safe_load(f)["definitions"]
                  if d["name"] == "inject-kind"]
    with open(f"{TRACEFS}/events/vnpu/vnpu_inject/format",
              encoding="utf-8") as f:
        found = re.findall(r'\{ (\w+), "([\w-]+)" \}', f.read())
    equal(found, [(str(i), entry["name"])
                  for i, entry in enumerate(kind["entries"])])
    return None


@test("perf record and perf script show each with its fields")
def perf():
    why = lacks("perf", "/proc/sys/kernel/perf_event_paranoid")
    if why:
        return why
    with tempfile.TemporaryDirectory() as place:
        data = f"{place}/perf.data"
        # Neither symbols nor other processes matter here.
        wanted = expected(run("perf", "record", "-q", "-a", "-o", data,
                              "--no-buildid", "--no-buildid-cache",
                              "--no-bpf-event", "--synth=no",
                              "-e", "vnpu:*", "--", EVENTS))
        text = run("perf", "script", "-i", data, "-F", "event,trace")
    seen = [(name, set(fields.split())) for name, fields in
            re.findall(r"^\s*vnpu:(\w+): (.*)$", text, re.M)]
    equal({name for name, _ in wanted}, tracepoints())
    equal(list(missing(wanted, seen)), [])
    return None


@test("bpftrace counts each, and reads arguments")
def bpftrace():
    why = lacks("bpftrace", "/sys/kernel/btf/vmlinux")
    if why:
        return why
    text = run(*BPFTRACE, "-e", SCRIPT, "-c", EVENTS)
    wanted = expected(text)
    counts = {name: int(count) for name, count in re.findall(
        r"^@\[tracepoint:vnpu:(\w+)\]: (\d+)$", text, re.M)}
    sums = dict(re.findall(r"^@(alloc|free): (\d+)$", text, re.M))
    equal(set(counts), tracepoints())
    for name in counts:
        assert counts[name] >= sum(name == other for other, _ in wanted), name
    # All memory of a program is freed when it has ended.
    equal(counts["vnpu_mem_alloc"], counts["vnpu_mem_free"])
    equal(sums["alloc"], sums["free"])
    equal(counts["vnpu_bind"], counts["vnpu_unbind"])
    return None


if __name__ == "__main__":
    run_tests()
