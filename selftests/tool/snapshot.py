#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""vnpu-smi snapshot and diff: additions, removals and changes, exactly the
leaks, and only valid files.
"""

import csv
import io
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True      # the tree may be shared with a guest

# pylint: disable=wrong-import-position
from harness import (B, MIB, SCHEMA, Busy, Hold, equal, no_duplicates,
                     run_tests, test)

SMI = f"{B}/bin/vnpu-smi"
DIR = tempfile.mkdtemp()
BEFORE, AFTER = f"{DIR}/before.json", f"{DIR}/after.json"


def run(*args, status=0, prefix=()):
    done = subprocess.run([*prefix, SMI, *args], check=False, encoding="utf-8",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    equal((done.returncode, done.stderr.count("\n")), (status, int(status > 0)))
    return done.stdout


def load(view, text):
    answer = json.loads(text, object_pairs_hook=no_duplicates)
    SCHEMA.validate(view, answer)
    return answer


def keep(name=BEFORE):
    equal(run("snapshot", "-o", name), "")
    with open(name, encoding="utf-8") as f:
        return load("snapshot", f.read())


def diff(*args, status=0):
    text = run("diff", *args, "--json", status=status)
    return load("diff", text)["changes"]


def facts(rows, *keys):
    return [tuple(row[key] for key in keys) for row in rows]


def write(text, name=AFTER):
    with open(name, "wb") as f:
        f.write(text)


@test("a snapshot has the values of info and proc")
def same():
    with Hold(MIB, "-c", "2") as pids:
        answer = load("snapshot", run("snapshot", "--json"))
        info = json.loads(run("info", "--json"))["devices"]
    equal(facts(answer["devices"], "device", "memory_bytes"),
          [(d["id"], d["memory"]["used_bytes"]) for d in info])
    equal(facts(answer["clients"], "pid", "name"), [(pids[0], "hold")] * 2)
    equal(facts(answer["usage"], "device", "pid", "memory_bytes", "objects"),
          [(0, pids[0], MIB, 1)] * 2)


@test("nothing has changed")
def nothing():
    with Hold(MIB):
        keep()
        equal(diff(BEFORE, "--fail-on-leak"), [])
        equal(diff(BEFORE, BEFORE, "--fail-on-leak"), [])


@test("a leak, seen from before and from after it")
def leak():
    keep()
    with Hold(2 * MIB) as pids:
        rows = diff(BEFORE, "--fail-on-leak", status=8)
        equal(diff(BEFORE), rows)
        keep(AFTER)
    usage = [row for row in rows if row["what"] == "usage"]
    equal(facts(usage, "change", "pid", "name", "field", "before", "after",
                "leak"),
          [("came", pids[0], "hold", "memory_bytes", 0, 2 * MIB, True),
           ("came", pids[0], "hold", "objects", 0, 1, True),
           ("came", pids[0], "hold", "memory_peak_bytes", 0, 2 * MIB, False)])
    device = [row for row in rows if row["field"] == "memory_bytes" and
              row["what"] == "device"]
    equal(facts(device, "change", "device", "client", "leak"),
          [("grew", 0, None, True)])
    equal(device[0]["after"] - device[0]["before"], 2 * MIB)

    rows = diff(AFTER, BEFORE, "--fail-on-leak")
    assert not any(row["leak"] for row in rows), rows
    equal({row["change"] for row in rows}, {"shrank", "gone"})


@test("a process that frees memory does not hide one that allocates it")
def exchange():
    with Hold(MIB):
        keep()
    with Hold(MIB):
        rows = diff(BEFORE, "-l", status=8)
    equal({row["change"] for row in rows if row["what"] == "usage"},
          {"came", "gone"})
    equal([row for row in rows if row["what"] == "device" and row["leak"]], [])


@test("a client that has nothing is shown, and is no leak")
def opened():
    keep()
    with Hold(0) as pids:
        rows = diff(BEFORE, "--fail-on-leak")
    equal(facts(rows, "change", "what", "pid", "leak"),
          [("came", "client", pids[0], False)])


@test("streams")
def streams():
    keep()
    with Busy("wait", 3):
        rows = diff(BEFORE, "--fail-on-leak", status=8)
    found = [row for row in rows if row["field"] == "streams"]
    equal(facts(found, "what", "before", "after", "leak"),
          [("device", 0, 3, True), ("client", 0, 3, True)])


@test("text fits 80 columns, and CSV has names with anything in them")
def forms():
    keep()
    with Hold(MIB, "-n", 'a,"b"\n\\c'):
        keep(AFTER)
        text = run("diff", BEFORE)
    for line in text.splitlines():
        assert len(line) <= 80, f"{len(line)} columns: {line}"
    equal(text.split()[:8], ["Change", "Dev", "Client", "Pid", "Field",
                             "Before", "After", "Leak"])
    rows = list(csv.DictReader(io.StringIO(
        run("diff", BEFORE, AFTER, "--format", "csv"))))
    equal({row["name"] for row in rows if row["client"]}, {'a,"b"\n\\c'})


@test("a module's next life has other clients of the same number")
def next_life():
    with Hold(MIB):
        kept = keep()
    for row in kept["clients"] + kept["usage"]:
        row["opened_ns"] += 1
    write(json.dumps(kept).encode())
    rows = [row for row in diff(BEFORE, AFTER) if row["what"] == "usage"]
    equal({row["change"] for row in rows}, {"came", "gone"})


@test("additions of later versions are ignored")
def later():
    kept = keep()
    kept["new"] = [{"a": [-1.5e3, None, True, "\u00e4\"\\"]}, []]
    kept["devices"][0]["more"] = {"b": {}}
    write(json.dumps(kept).encode())
    equal(diff(BEFORE, AFTER), [])


@test("files that are not snapshots")
def refused():
    with Hold(MIB):
        kept = keep()
    whole = json.dumps(kept).encode()
    step = max(len(whole) // 40, 1)
    bad = [whole[:n] for n in range(0, len(whole), step)]
    bad += [whole + b"x", whole + b"\0", b"\0" + whole, b"[" * 100000,
            b'{"a":' * 100000, b'{"snapshot_version": 1, "a": "\\u12',
            b'{"snapshot_version": 1, "devices": [], "usage": []}',
            b'{"snapshot_version": 2}', b"{}", b"[]", b"0", b""]
    for old, new in ((b'"device": 0', b'"device": -1'),
                     (b'"device": 0', b'"device": 0.5'),
                     (b'"device": 0', b'"device": 18446744073709551616'),
                     (b'"device": 0', b'"device": 18446744073709551615'),
                     (b'"device": 0', b'"device": null'),
                     (b'"device": 0', b'"device": true'),
                     (b'"device": 0', b'"device": "0"'),
                     (b'"device": 0', b'"device": 01'),
                     (b'"device": 0, ', b""), (b'"hold"', b'"\\x"'),
                     (b'"devices": [', b'"devices": [null, '),
                     (b'"devices": [', b'"devices": {}, "a": [')):
        assert old in whole
        bad.append(whole.replace(old, new, 1))
    for text in bad:
        write(text)
        equal(run("diff", BEFORE, AFTER, status=7), "")
    equal(run("diff", "/dev/zero", status=7), "")


@test("a file that would take far more memory than it has bytes")
def bounded():
    keep()
    for unit in (b"{},", b"[],", b"0,", b'"\\"",'):
        text = unit * (16 * MIB // len(unit))
        write(b'{"snapshot_version": 1, "devices": [' + text[:-1] + b"]}")
        equal(run("diff", BEFORE, AFTER, status=7), "")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert peak < 128 << 10, f"{peak} KiB"


@test("failures have a status and a sentence")
def failures():
    keep()
    for args in ([], ["--json"], [BEFORE, AFTER, BEFORE],
                 [BEFORE, "--fields", "bogus"], [BEFORE, "--bogus"]):
        run("diff", *args, status=1)
    run("snapshot", "-o", status=1)
    run("snapshot", "file", status=1)
    run("diff", "/nosuch/file", status=7)
    run("diff", DIR, status=7)
    run("snapshot", "-o", "/nosuch/file", status=7)
    run("snapshot", "-o", "/dev/full", status=7)


@test("a user without rights may do all of this")
def nobody():
    if not shutil.which("setpriv"):
        return "setpriv is missing"
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    os.chmod(DIR, 0o755)
    keep()
    load("snapshot", run("snapshot", prefix=prefix))
    run("diff", BEFORE, "-l", prefix=prefix)
    return None


if __name__ == "__main__":
    try:
        run_tests()
    finally:
        shutil.rmtree(DIR)
