#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""vnpu-smi trace: the picture is complete and in order; however a recording
ends, it leaves nothing in the kernel.
"""

import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True      # the tree may be shared with a guest

# pylint: disable=wrong-import-position
from harness import B, BUSY, SCHEMA, equal, run_tests, test

SMI = f"{B}/bin/vnpu-smi"
RELAY = f"{B}/selftests/tool/relay"
PIPELINE = f"{B}/examples/pipeline"
INSTANCES = "/sys/kernel/tracing/instances"
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
DIR = tempfile.mkdtemp()
FILE = f"{DIR}/trace.json"

# Five runs of 16 pieces on one stream, then on three, with three waits each.
PIPELINE_WAITS = 5 * 16 * 3


def trace(*args, status=0, prefix=()):
    done = subprocess.run([*prefix, SMI, "trace", *args], check=False,
                          encoding="utf-8", stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    equal((done.returncode, done.stderr.count("\n")), (status, int(status > 0)))
    return done


def instances():
    return [i for i in os.listdir(INSTANCES) if i.startswith("vnpu-smi-")]


class Picture:
    """A trace file; times in ns."""

    def __init__(self, path=FILE):
        with open(path, encoding="utf-8") as f:
            self.whole = json.load(f)
        self.spans = collections.defaultdict(list)
        self.names = {}
        self.flows = collections.defaultdict(dict)
        for e in self.whole["traceEvents"]:
            place = (e["pid"], e["tid"])
            if e["ph"] == "X":
                start = self.ns(e["ts"])
                e["start"], e["end"] = start, start + self.ns(e["dur"])
                self.spans[place].append(e)
            elif e["ph"] == "M":
                if "name" in e["args"]:
                    self.names[e["name"], place] = e["args"]["name"]
            else:
                assert e["ph"] not in self.flows[e["id"]], e
                self.flows[e["id"]][e["ph"]] = e

    @staticmethod
    def ns(us):
        return round(us * 1000)

    def of(self, category):
        return [e for spans in self.spans.values() for e in spans
                if e["cat"] == category]

    def tracks(self, prefix):
        return [place for (what, place), name in self.names.items()
                if what == "thread_name" and name.startswith(prefix)]

    def check_order(self):
        for place, spans in self.spans.items():
            assert ("thread_name", place) in self.names
            whole = sorted((e for e in spans if e["cat"] != "part"),
                           key=lambda e: e["start"])
            for a, b in zip(whole, whole[1:]):
                assert a["end"] <= b["start"], f"{a}\noverlaps\n{b}"
            self.check_parts(whole, [e for e in spans if e["cat"] == "part"])

    @staticmethod
    def check_parts(turns, parts):
        parts = sorted(parts, key=lambda e: e["start"])
        for a, b in zip(parts, parts[1:]):
            assert a["end"] <= b["start"], f"{a}\noverlaps\n{b}"
        turns = iter(turns)
        turn = {"end": -1}
        for part in parts:
            while turn["end"] < part["end"]:
                turn = next(turns)
            assert turn["start"] <= part["start"], f"{part}\nis in no turn"
            equal(turn["cat"], "turn")

    def around(self, e):
        """The span at the end of an arrow at its time."""
        now = self.ns(e["ts"])
        found = [s for s in self.spans[e["pid"], e["tid"]]
                 if s["start"] <= now < max(s["end"], s["start"] + 1)]
        equal(len(found), 1)
        return found[0]


def ready():
    if not os.path.isdir(INSTANCES):
        subprocess.run(["mount", "-t", "tracefs", "none",
                        "/sys/kernel/tracing"], check=False)
    return None if os.path.isdir(INSTANCES) else "tracefs is missing"


@test("a pipeline of three streams")
def pipeline():
    os.environ["LD_LIBRARY_PATH"] = f"{B}/lib"
    out = trace("-o", FILE, "--json", "--", "sh", "-c",
                f"{PIPELINE} >{DIR}/out").stdout
    summary = json.loads(out)
    SCHEMA.validate("trace", summary)
    picture = Picture()
    picture.check_order()

    equal(summary["lost_events"], 0)
    equal(summary["streams"], len(picture.tracks("stream ")))
    equal(summary["streams"], 3)
    equal(summary["engines"],
          len(picture.tracks("copy ")) + len(picture.tracks("vector ")))
    equal(summary["tasks"], len(picture.of("task")))
    equal(summary["waits"], len(picture.flows))
    other = picture.whole["otherData"]
    equal(other["duration_ns"] // 1000, summary["duration_us"])
    end = max(e["end"] for e in picture.of("task"))
    assert end <= other["duration_ns"]
    # Each piece is copied in, twice on the device, and out.
    copies = [e for e in picture.of("task") if e["name"] == "copy"]
    equal(len(copies), 2 * 5 * 16 * 4)
    equal({e["args"]["length"] for e in copies}, {4 << 20})
    equal({e["args"]["errno"] for e in picture.of("task")}, {0})
    assert any(what == "process_name" and name.endswith(" pipeline")
               for (what, _), name in picture.names.items()), picture.names


@test("engines run the tasks of each stream")
def parts():
    picture = Picture()
    of_task = collections.Counter()
    for e in picture.of("part"):
        if e["name"] == "copy":
            of_task["ns"] += e["end"] - e["start"]
    copies = [e for e in picture.of("task") if e["name"] == "copy"]
    whole = sum(e["end"] - e["start"] for e in copies)
    # A stream that waits for an engine is in no turn.
    assert 0 < of_task["ns"] <= whole, (of_task, whole)


def arrows(picture):
    """Return the two spans of each arrow."""
    for ends in picture.flows.values():
        equal(sorted(ends), ["f", "s"])
        begin, end = picture.around(ends["s"]), picture.around(ends["f"])
        assert ends["s"]["ts"] <= ends["f"]["ts"]
        assert begin["start"] <= end["end"]
        equal(end["name"], "wait")
        yield begin, end


@test("arrows lead from tasks to their waiters")
def flows():
    count = 0
    for begin, end in arrows(Picture()):
        count += (begin["cat"], end["cat"]) == ("task", "task") and \
            begin["tid"] != end["tid"]
    # Except for a few of each run, whose signals were not recorded on this
    # stream.
    assert PIPELINE_WAITS * 0.9 <= count <= PIPELINE_WAITS, count


@test("arrows lead from signals to their waiters")
def relay():
    trace("-o", FILE, "--", "sh", "-c", f"{RELAY} >{DIR}/ids")
    with open(f"{DIR}/ids", encoding="utf-8") as f:
        ids = [int(line) for line in f]
    picture = Picture()
    picture.check_order()
    found = sorted((end["args"]["timeline"], begin["cat"], begin["name"],
                    end["cat"], end["name"]) for begin, end in arrows(picture))
    equal(found, [(ids[0], "call", "signal", "task", "wait"),
                  (ids[1], "task", "signal", "call", "wait"),
                  (ids[1], "task", "signal", "task", "wait"),
                  (ids[2], "task", "signal", "call", "wait")])


@test("a wait that does not end is there until the end")
def unfinished():
    trace("-o", FILE, "--", BUSY, "-k", "wait", "-s", "3", "sleep", "0.3")
    picture = Picture()
    picture.check_order()
    waits = [e for e in picture.of("task") if e["name"] == "wait"]
    equal(len(waits), 3)
    for e in waits:
        equal(e["args"].get("timeline", 0) > 0, True)


@test("tasks without end, until the duration is over")
def busy():
    # A slow machine needs longer for the same number.
    for seconds in 1, 2, 4, 8, 16:
        out = trace("-o", FILE, "-d", str(seconds), "--json", "--",
                    BUSY, "-k", "copy", "sleep", "60").stdout
        duration = json.loads(out)["duration_us"]
        assert seconds * 1000000 <= duration < 50000000, out
        picture = Picture()
        picture.check_order()
        if len(picture.of("task")) > 100:
            break
    assert len(picture.of("task")) > 100
    equal({e["name"] for e in picture.of("task")}, {"copy"})


@test("two at a time")
def two():
    other = subprocess.Popen([SMI, "trace", "-o", f"{DIR}/other", "-d", "60",
                              "--", "sh", "-c",
                              f"{SMI} trace -o {FILE} -- {PIPELINE}"],
                             stdout=subprocess.DEVNULL)
    equal(other.wait(), 0)
    equal(len(Picture().of("task")), len(Picture(f"{DIR}/other").of("task")))


@test("a page that draws it, and needs nothing else")
def page():
    html = f"{DIR}/trace.html"
    hostile = "</script><&]]>"
    shutil.copy(BUSY, f"{DIR}/{hostile.replace('/', '_')}")
    trace("-o", FILE, "--html", html, "--", f"{DIR}/<_script><&]]>", "-k",
          "copy", "-s", "2", "sleep", "0.2")
    with open(html, encoding="utf-8") as f:
        source = f.read()
    root = ElementTree.fromstring(source)
    at = "{http://www.w3.org/1999/xhtml}"
    data, script = root.iter(at + "script")
    equal(data.attrib, {"type": "application/json", "id": "trace"})
    equal(script.attrib, {})
    with open(FILE, encoding="utf-8") as f:
        equal(json.loads(data.text), json.load(f))
    # As a parser of HTML reads it, which ends a script at the first such tag.
    raw = source.split('id="trace">')[1].split("</script")[0]
    equal(json.loads(raw), json.loads(data.text))
    assert "<_script><&" in data.text.replace("\\u003c", "<") \
        .replace("\\u003e", ">").replace("\\u0026", "&")
    for element in root.iter():
        assert not {"src", "href", "data", "action"} & set(element.attrib)
    for word in ("http", "url(", "import", "fetch", "XMLHttp", "WebSocket"):
        assert word not in script.text, word
    equal(source.replace(at[1:-1], "").replace(raw, "").count("://"), 0)

    os.remove(FILE)
    trace("-H", html, "-d", "1")
    assert not os.path.exists(FILE)
    assert "output" in trace("-H", "/dev/full", "-d", "1", status=7).stderr
    trace("-H", "/nosuch/file", "-d", "1", status=7)
    trace("-H", html, "--html", html, status=1)


@test("nothing stays in the kernel")
def nothing_stays():
    equal(instances(), [])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP,
                   signal.SIGQUIT):
        child = subprocess.Popen([SMI, "trace", "-o", FILE],
                                 stdout=subprocess.DEVNULL)
        while not instances():
            time.sleep(0.01)
        time.sleep(0.2)
        child.send_signal(number)
        equal(child.wait(), 0)
        equal(instances(), [])
        Picture()


@test("the remains of a killed run are removed by the next one")
def killed():
    child = subprocess.Popen([SMI, "trace", "-o", FILE])
    while not instances():
        time.sleep(0.01)
    child.kill()
    child.wait()
    equal(len(instances()), 1)
    trace("-o", FILE, "-d", "1")
    equal(instances(), [])


@test("failures have a status and a sentence")
def failures():
    assert "status 3" in trace("-o", FILE, "--", "sh", "-c", "exit 3",
                               status=7).stderr
    Picture()
    assert "signal 9" in trace("-o", FILE, "--", "sh", "-c", "kill -9 $$",
                               status=7).stderr
    Picture()
    assert "nosuch" in trace("-o", FILE, "--", "nosuch", status=7).stderr
    assert "/nosuch/" in trace("-o", "/nosuch/file", status=7).stderr
    assert "output" in trace("-o", "/dev/full", "--", "true", status=7).stderr
    for args in ([], ["-o"], ["-o", FILE, "-o", FILE], ["-o", FILE, "-d", "0"],
                 ["-o", FILE, "-d", "x"], ["-o", FILE, "--bogus"]):
        trace(*args, status=1)
    equal(instances(), [])


@test("it needs the right to trace")
def permission():
    if not shutil.which("setpriv"):
        return "setpriv is missing"
    done = trace("-o", "/dev/null", "-d", "1", status=4, prefix=NOBODY)
    assert "permission" in done.stderr
    return None


if __name__ == "__main__":
    try:
        why = ready()
        if why:
            print(f"1..0 # SKIP {why}")
        else:
            run_tests()
    finally:
        shutil.rmtree(DIR)
