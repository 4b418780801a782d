#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""vnpu-smi --json: every view conforms to the schema, and every number equals
the device's own, whichever processes use it and whatever their names are.
"""

import copy
import json
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True      # the tree may be shared with a guest

# pylint: disable=wrong-import-position
from harness import (B, HOLD, MIB, PAGE, SCHEMA, Busy, Hold, equal,
                     no_duplicates, run_tests, test)
from schema import Invalid

SMI = [f"{B}/bin/vnpu-smi", "info", "--json"]
FIT = [f"{B}/bin/vnpu-smi", "frag", "--json"]
QUERY = f"{B}/selftests/tool/query"

VIEWS = {
    "info": [], "list": ["-l"], "mapping": ["-m"],
    "memory": ["-t", "memory"], "usages": ["-t", "usages"],
    "proc-mem": ["-t", "proc-mem"], "frag": ["-t", "frag"],
    "stream": ["-t", "stream"], "engine": ["-t", "engine"],
    "board": ["-t", "board"],
    "common": ["-t", "common"], "health-type": ["-t", "health"],
    "product": ["-t", "product"], "ecc": ["-t", "ecc"],
    "temp": ["-t", "temp"], "power": ["-t", "power"],
    "topo": ["-t", "topo"], "err-count": ["-t", "err-count"],
    "op-timeout": ["-t", "op-timeout"],
}
HEALTH = ["OK", "Warning", "Alarm", "Critical", "UNKNOWN"]
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
          "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"]

def ask(view="info", *options, prefix=()):
    """The output of vnpu-smi: strict JSON, in UTF-8, that conforms to the
    schema.
    """
    text = subprocess.run([*prefix, *SMI, *VIEWS[view], *options],
                          stdout=subprocess.PIPE, check=True).stdout
    answer = json.loads(text.decode("utf-8", "strict"),
                        object_pairs_hook=no_duplicates)
    SCHEMA.validate(view, answer)
    return answer["devices"]


def query():
    """The same facts as the device reports to a client of its own."""
    devices = []
    out = subprocess.run([QUERY], stdout=subprocess.PIPE, check=True,
                         encoding="utf-8").stdout
    for line in out.splitlines():
        ident, health, total, free, largest, uuid, bus_id, name = \
            line.split(" ", 7)
        devices.append({
            "id": int(ident), "name": name, "uuid": uuid, "bus_id": bus_id,
            "health": HEALTH[int(health)],
            "memory": {
                "total_bytes": int(total),
                "used_bytes": int(total) - int(free),
                "free_bytes": int(free),
                "largest_free_block_bytes": int(largest),
            },
            "processes": []})
    return devices


def ask_info(**options):
    """The values that query() returns as well."""
    devices = ask(**options)
    for device in devices:
        del device["engines"], device["resets"], device["hangs"]
    return devices


def holders(pids, size, name="hold"):
    return [{"pid": pid, "name": name, "memory_bytes": size}
            for pid in sorted(pids)]


def schema_holds(view):
    count = len(query())
    equal(len(ask(view)), count)
    equal(len(ask(view, "-i", str(count - 1))), 1)
    with Hold(MIB, "-p", "3", "-c", "2"):
        equal(len(ask(view)), count)


for each in VIEWS:
    test(f"{each}: what the schema says", each)(schema_holds)


@test("the schema refuses invalid documents")
def schema_bites():
    good = {"devices": ask()}

    def change(function):
        bad = copy.deepcopy(good)
        function(bad["devices"][0])
        try:
            SCHEMA.validate("info", bad)
        except Invalid:
            return
        raise AssertionError(f"accepted: {bad}")

    change(lambda d: d["memory"].pop("used_bytes"))
    change(lambda d: d.update(id="0"))
    change(lambda d: d.update(id=True))
    change(lambda d: d.update(health="ok"))
    change(lambda d: d.update(extra=1))
    change(lambda d: d.update(processes={}))
    change(lambda d: d.update(processes=[{"pid": 1, "name": "x"}]))
    change(lambda d: d.update(uuid="x"))
    change(lambda d: d["memory"].update(free_bytes=-1))


@test("the count and the numbers of the devices")
def numbers():
    count = len(query())
    text = subprocess.run([*SMI, "-l"], stdout=subprocess.PIPE,
                          check=True).stdout
    equal(json.loads(text)["total_count"], count)
    for view in VIEWS:
        equal([d["id"] for d in ask(view)], list(range(count)))


@test("idle: the values of the device")
def idle():
    equal(ask_info(), query())


def held(process_bytes, size, *options):
    with Hold(size, *options) as pids:
        expected = query()
        expected[0]["processes"] = holders(pids, process_bytes)
        equal(ask_info(), expected)
        equal(ask("proc-mem")[0]["processes"], expected[0]["processes"])


test("while another process holds 64 MiB", 64 * MIB, 64 * MIB)(held)
test("while it holds one byte", PAGE, 1)(held)
test("clients of one process are summed", 9 * MIB, MIB, "-c", "9")(held)
test("huge pages", 4 * MIB, 3 * MIB, "-h")(held)
test("12 processes, not just the first 8",
     2 * MIB, 2 * MIB, "-p", "12")(held)
# More than one message of the dump can hold.
test("200 processes", PAGE, PAGE, "-p", "200")(held)
test("1,000 clients", 100 * PAGE, PAGE, "-p", "10", "-c", "100")(held)


@test("used of usages in percent")
def usages():
    with Hold(33 * MIB):
        device = query()[0]["memory"]
        answer = ask("usages")[0]
        equal(answer["hbm_usage_percent"],
              device["used_bytes"] * 100 // device["total_bytes"])
        equal(answer["hbm_capacity_bytes"], device["total_bytes"])


@test("frag: all parts add up to the device's total")
def frag():
    with Hold(5 * MIB + 1), Hold(3 * MIB, "-h"):
        memory = query()[0]["memory"]
        answer = ask("frag")[0]
        equal(answer["free_bytes"], memory["free_bytes"])
        equal(answer["waste_bytes"], PAGE - 1 + MIB)
        equal(sum(c["used_bytes"] for c in answer["classes"]),
              memory["used_bytes"])
        equal(sum(o["block_bytes"] * o["free_blocks"]
                  for o in answer["orders"]), memory["free_bytes"])
        equal(sum(c["size_bytes"] for c in answer["map"]),
              memory["total_bytes"])
        equal(sum(c["used_bytes"] for c in answer["map"]),
              memory["used_bytes"])
        equal(sum(c["dirty_bytes"] for c in answer["map"]),
              answer["dirty_bytes"])
        equal(sum(c["fixed_bytes"] for c in answer["map"]), 0)


def fit(*options):
    text = subprocess.run([*FIT, *options], stdout=subprocess.PIPE,
                          check=True, encoding="utf-8").stdout
    answer = json.loads(text, object_pairs_hook=no_duplicates)
    SCHEMA.validate("fit", answer)
    return answer["devices"]


@test("frag --fit: all free memory fits, and not a byte more")
def fits():
    with Hold(MIB + 1):
        for i, device in enumerate(query()):
            free = device["memory"]["free_bytes"]
            for size, expected in ((1, True), (free, True), (free + 1, False)):
                answer = fit("--fit", str(size))[i]
                equal(answer["fits"], expected)
                equal(answer["fits_after_compaction"], expected)
                equal(answer["largest_bytes"], free)
                equal(answer["cost_bytes"], (size + PAGE - 1) // PAGE * PAGE)


@test("stream: activity and client of each stream")
def streams_at_work():
    with Busy("vector", 3) as pids:
        streams = ask("stream")[0]["streams"]
        equal([s["pid"] for s in streams], pids * 3)
        equal(len({s["number"] for s in streams}), 3)
        equal(len({s["client"] for s in streams}), 1)
        for stream in streams:
            assert stream["state"] in ("running", "ready"), stream
            equal(stream["engine_class"], "vector")
            assert stream["completed"] < stream["submitted"], stream
            equal((stream["errors"], stream["last_error"]), (0, None))
        later = ask("stream")[0]["streams"]
        for stream, then in zip(later, streams):
            assert stream["busy_ns"] >= then["busy_ns"], (stream, then)
            assert stream["completed"] >= then["completed"], (stream, then)
        assert sum(s["busy_ns"] for s in later) > 0, later
    equal(ask("stream")[0]["streams"], [])


@test("stream: a waiting stream")
def streams_that_wait():
    with Busy("wait", 1):
        stream = ask("stream")[0]["streams"][0]
        while stream["state"] != "blocked":
            stream = ask("stream")[0]["streams"][0]
        equal(stream["completed"], 0)
        equal((stream["task"]["seq"], stream["task"]["operation"]),
              (1, "wait"))


@test("stream: pid 0 where the process is not visible")
def streams_invisible():
    unshare = ["unshare", "--pid", "--fork", "--mount-proc"]
    with Busy("wait", 2):
        streams = ask("stream", prefix=unshare)[0]["streams"]
        equal([s["pid"] for s in streams], [0, 0])


@test("engine: what the engines run")
def engines_at_work():
    with Busy("vector", 3):
        streams = ask("stream")[0]["streams"]
        engines = ask("engine")[0]["engines"]
        numbers = {s["number"] for s in streams}
        at_work = [e for e in engines if e["stream"] in numbers]
        assert at_work, engines
        for engine in at_work:
            equal((engine["engine_class"], engine["state"]),
                  ("vector", "running"))
            equal(engine["client"], streams[0]["client"])
            equal((engine["failures"], engine["launches"]), (None, None))


@test("engine: AI cores, with their launches")
def cores_at_work():
    def cores():
        return [e for e in ask("engine")[0]["engines"]
                if e["engine_class"] == "aicore"]

    with Busy("launch", 3):
        client = ask("stream")[0]["streams"][0]["client"]
        first, = cores()
        equal(first["client"], client)
        equal((first["failures"], first["stream"]), (0, None))
        while cores()[0]["tasks"] == first["tasks"]:
            pass
    equal(cores(), [])


@test("how busy engines are")
def engines():
    with Busy("vector", 4):
        copies, vectors, cores = ask()[0]["engines"]
        equal((copies["class"], vectors["class"], cores["class"]),
              ("copy", "vector", "aicore"))
        assert vectors["usage_percent"] > 50, vectors
        equal(copies["usage_percent"], 0)
        assert vectors["count"] > 0 and vectors["busy_ns"] > 0, vectors
        equal(ask("usages")[0]["copy_usage_percent"], 0)
        assert ask("usages")[0]["aicore_usage_percent"] > 50
    for device in ask():
        for each_class in device["engines"]:
            equal(each_class["usage_percent"], 0)


@test("a process that only opened the device is not listed")
def opened_only():
    with Hold(0, "-p", "5", "-c", "3"):
        equal(ask_info(), query())


@test("a process is listed on the device whose memory it holds")
def elsewhere():
    last = len(query()) - 1
    with Hold(MIB, "-d", str(last)) as pids:
        for device in ask():
            equal(device["processes"],
                  holders(pids, MIB) if device["id"] == last else [])


@test("nothing is left when they are gone")
def afterwards():
    with Hold(MIB, "-p", "3", "-c", "3"):
        pass
    for device in ask():
        equal(device["memory"]["used_bytes"], 0)
        equal(device["processes"], [])


# As the Unicode standard recommends: U+FFFD for each byte that begins no
# character.
NAMES = {
    "a plain name": (b"python3", "python3"),
    "an empty name": (b"", ""),
    "quotes and backslashes": (b'"a\\"}],', '"a\\"}],'),
    "a newline and a tab": (b"a\nb\tc", "a\nb\tc"),
    "control characters": (b"\x01\x1b[31m\x7f", "\x01\x1b[31m\x7f"),
    "every kind of UTF-8": ("é显\U0001f600".encode(), "é显\U0001f600"),
    "bytes that are not UTF-8": (b"a\xff\xfeb", "a\ufffd\ufffdb"),
    "a character that was cut": (b"abcdefghijklm\xe6\x98",
                                 "abcdefghijklm\ufffd\ufffd"),
    "an overlong form": (b"\xc0\xafx", "\ufffd\ufffdx"),
    "a surrogate": (b"\xed\xa0\x80x", "\ufffd\ufffd\ufffdx"),
    "beyond Unicode": (b"\xf4\x90\x80\x80x", "\ufffd\ufffd\ufffd\ufffdx"),
}


def named(name, expected):
    with Hold(PAGE, "-n", name):
        equal([p["name"] for p in ask()[0]["processes"]], [expected])


for each, pair in NAMES.items():
    test(f"a name: {each}", *pair)(named)


@test("used and free add up to total while other processes allocate")
def consistent():
    with Hold(3 * MIB, "-l", "-p", "2", "-c", "2"):
        for _ in range(25):
            for device in ask():
                m = device["memory"]
                equal(m["used_bytes"] + m["free_bytes"], m["total_bytes"])
                assert m["largest_free_block_bytes"] <= m["free_bytes"], m


@test("the list is complete while other clients come and go")
def churn():
    """Change the list of clients in the middle of a dump, which has many parts.

    vnpu-smi reports that on standard error.
    """
    command = ["sh", "-c", f"while {QUERY} >/dev/null; do :; done"]
    with Hold(PAGE, "-p", "4", "-c", "150") as pids, \
            subprocess.Popen(command) as others:
        try:
            for _ in range(8):
                equal(ask()[0]["processes"], holders(pids, 150 * PAGE))
        finally:
            others.kill()


@test("invisible processes have pid 0 and stay separate")
def invisible():
    unshare = ["unshare", "--pid", "--fork", "--mount-proc"]
    with Hold(MIB, "-p", "3", "-c", "2"):
        processes = ask(prefix=unshare)[0]["processes"]
        equal([(p["pid"], p["memory_bytes"]) for p in processes],
              [(0, MIB)] * 6)
        # For a process in the same namespace, its pid there is shown.
        inner = [*unshare, HOLD, str(2 * MIB)]
        processes = ask(prefix=inner)[0]["processes"]
        equal([p["memory_bytes"] for p in processes if p["pid"]], [2 * MIB])


@test("the network namespace does not matter")
def network():
    with Hold(MIB) as pids:
        equal(ask(prefix=["unshare", "--net"])[0]["processes"],
              holders(pids, MIB))


@test("an unprivileged user sees the same, except for processes of other users")
def nobody():
    if not shutil.which("setpriv"):
        return "setpriv is missing"
    with Hold(MIB) as pids:
        expected = query()
        expected[0]["processes"] = [
            {"pid": 0, "name": "", "memory_bytes": MIB} for _ in pids]
        equal(ask_info(prefix=NOBODY), expected)
    return None


if __name__ == "__main__":
    run_tests()
