#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""vnpu-smi --format csv: the columns of every view are the keys of the schema
of its JSON, with the values of its JSON.
"""

import csv
import glob
import io
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True      # the tree may be shared with a guest

# pylint: disable=wrong-import-position
from harness import B, MIB, SCHEMA, Busy, Hold, equal, run_tests, test

SMI = f"{B}/bin/vnpu-smi"
FIT = ["frag", "--fit", "1M"]
QUOTA = ["set", "-t", "quota", "-i", "0", "--uid", "12345", "-y"]
HOST_QUOTA = ["set", "-t", "quota", "--uid", "12345", "--resource", "bindings",
              "-y"]
FAULT = ["-k", "engine-slow", "-i", "0", "-y"]
DUMPS = "/sys/class/devcoredump/devcd*/data"

VIEWS = {
    "info": ["info"], "list": ["info", "-l"], "mapping": ["info", "-m"],
    "fit": FIT, "faults": ["inject", "list"],
}
TYPES = ["board", "common", "memory", "usages", "product", "ecc", "temp",
         "power", "proc-mem", "topo", "err-count", "op-timeout", "frag",
         "quota", "stream", "engine"]
for each in TYPES:
    VIEWS[each] = ["info", "-t", each]
VIEWS["health-type"] = ["info", "-t", "health"]

# Times differ between two calls.
MOVING = ("busy_ns", "running_ns", "usage_percent", "utilization_percent")


def run(*args, status=0):
    done = subprocess.run([SMI, *args], stdout=subprocess.PIPE,
                          stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, encoding="utf-8",
                          check=False)
    equal((done.returncode, done.stderr if not status else ""), (status, ""))
    return done.stdout


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


def resolve(rule):
    while "$ref" in rule:
        rule = SCHEMA.root["$defs"][rule["$ref"].removeprefix("#/$defs/")]
    return rule


def keys_of(rule, lists, where=(), key=""):
    """All values of a schema, by the list that contains them."""
    rule = resolve(rule)
    if "properties" in rule:
        lists.setdefault(where, [])
        for name, inner in rule["properties"].items():
            keys_of(inner, lists, where, f"{key}.{name}" if key else name)
    elif rule.get("type") == "array":
        keys_of(rule["items"], lists, (*where, key))
    else:
        lists[where].append(key)
    return lists


def prefix(lists, where):
    """The only list at the top is the default."""
    if len([path for path in lists if len(path) == 1]) == 1:
        where = where[1:]
    return "".join(name + "." for name in where)


def columns_of(lists, where):
    """Fields of the objects of a list, after those of the enclosing objects.
    """
    return [(where[:depth], key, prefix(lists, where[:depth]) + key)
            for depth in range(len(where) + 1)
            for key in lists[where[:depth]]]


def flatten(value, where, values=None, at=()):
    """A row as {(list, key): value} for each object of a list."""
    values = dict(values or {})

    def take(value, key):
        if isinstance(value, dict):
            for name, inner in value.items():
                take(inner, f"{key}.{name}" if key else name)
        elif not isinstance(value, list):
            values[at, key] = value

    take(value, "")
    if at == where:
        return [values]
    deeper = where[:len(at) + 1]
    return [row for item in value[deeper[-1]]
            for row in flatten(item, where, values, deeper)]


def text_of(value):
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def same(name, args):
    document = json.loads(run(*args, "--json"))
    SCHEMA.validate(name, document)
    lists = keys_of(SCHEMA.root["$defs"][name], {})
    for where in lists:
        columns = [c for c in columns_of(lists, where)
                   if not c[1].endswith(MOVING)]
        names = [c[2] for c in columns]
        if not names:
            continue
        head, *rows = rows_of(run(*args, "--format", "csv", "--fields",
                                  ",".join(names)))
        equal(head, names)
        # A document has such values only around its lists.
        equal(rows, [[text_of(row.get(c[:2])) for c in columns]
                     for row in flatten(document, where)])


def whole(name, args):
    """Without --fields: a list of the view, with all its fields."""
    head, *rows = rows_of(run(*args, "--format=csv"))
    lists = keys_of(SCHEMA.root["$defs"][name], {})
    assert sorted(head) in [sorted(c[2] for c in columns_of(lists, where))
                            for where in lists], head
    for row in rows:
        equal(len(row), len(head))


for each, arguments in VIEWS.items():
    test(f"{each}: the head of what is empty", each, arguments)(whole)


@test("every view, with processes, streams, quotas and faults")
def used():
    run(*QUOTA, "--limit", "64M")
    run(*HOST_QUOTA, "--limit", "64K")
    run("inject", "set", "-d", "1", *FAULT)
    try:
        with Hold(MIB, "-n", 'a,"b"\nc'), Busy("wait", 2):
            for name, args in VIEWS.items():
                same(name, args)
    finally:
        run(*QUOTA, "--remove")
        run(*HOST_QUOTA, "--remove")
        run("inject", "clear", *FAULT)


def acts(name, *args):
    """The columns are those of the schema, and there is one row."""
    head, *rows = rows_of(run(*args, "--format", "csv"))
    lists = keys_of(SCHEMA.root["$defs"][name], {})
    equal(sorted(head), sorted(key for keys in lists.values() for key in keys))
    equal([len(row) for row in rows], [len(head)])
    return dict(zip(head, rows[0]))


@test("the result of an action is reported")
def done():
    equal(acts("compact", "set", "-t", "compact", "-i", "0", "-y")["id"], "0")
    acts("reset", "set", "-t", "reset", "-i", "0", "-y")
    timeout = json.loads(run("info", "-t", "op-timeout", "--json"))
    before = str(timeout["devices"][0]["op_timeout_ms"])
    equal(acts("set-op-timeout", "set", "-t", "op-timeout", "-y", "-d",
               "12345"), {"op_timeout_ms": "12345", "before_ms": before})
    timeout = json.loads(run("info", "-t", "op-timeout", "--json"))
    equal(timeout["devices"][0]["op_timeout_ms"], 12345)
    answer = json.loads(run("set", "-t", "op-timeout", "-y", "-d", before, "-j"))
    SCHEMA.validate("set-op-timeout", answer)
    equal(answer, {"op_timeout_ms": int(before), "before_ms": 12345})
    run("set", "-t", "op-timeout", "-d", "1", status=7)     # no answer
    equal(acts("set-quota", *QUOTA, "--limit", "64M")["removed"], "false")
    equal(acts("set-quota", *QUOTA, "--remove")["removed"], "true")
    equal(acts("faults", "inject", "set", "-d", "1", *FAULT)["kind"],
          "engine-slow")
    equal(rows_of(run("inject", "clear", *FAULT, "--format=csv"))[1:], [])
    added = acts("device", "device", "add", "-m", "4M")
    equal(added["state"], "added")
    equal(acts("device", "device", "remove", "-y", "-i", added["id"])["state"],
          "removed")


@test("a trace")
def trace():
    with tempfile.TemporaryDirectory() as path:
        acts("trace", "trace", "-o", os.path.join(path, "trace"), "-d", "1")


def forget_dumps():
    for name in glob.glob(DUMPS):
        with open(name, "w", encoding="ascii") as f:
            f.write("1")


@test("a dump of a device")
def coredump():
    forget_dumps()
    with Busy("vector", 3):
        run("set", "-t", "reset", "-i", "0", "-y")
    dumps = glob.glob(DUMPS)
    if not dumps:
        return "the kernel has no device coredumps"
    same("coredump", ["coredump", dumps[0]])
    whole("coredump", ["coredump", dumps[0]])
    forget_dumps()
    return None


@test("invalid fields are refused before anything is done")
def refused():
    resets = json.loads(run("info", "--json"))["devices"][0]["resets"]
    for fields in ("bogus", "id,", ",", "idx", "i", "id.x", ".id"):
        run("set", "-t", "reset", "-i", "0", "-y", "--format", "csv",
            "--fields", fields, status=1)
    run("set", "-t", "reset", "-i", "0", "-y", "--fields", "id", status=1)
    run("set", "-t", "reset", "-i", "0", "-y", "--fields", "id", "-j",
        status=1)
    run("set", "-t", "reset", "-i", "0", "-y", "--format", "xml", status=1)
    equal(json.loads(run("info", "--json"))["devices"][0]["resets"], resets)
    run("info", "--format", "csv", "--fields", "engines.count,processes.pid",
        status=1)
    run("info", "--format", "csv", "--fields", ",".join(["id"] * 49), status=1)
    equal(len(rows_of(run("info", "--format", "csv", "--fields",
                          ",".join(["id"] * 48)))[0]), 48)


if __name__ == "__main__":
    run_tests()
