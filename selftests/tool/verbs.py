#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""vnpu-smi proc, events and wait: the values in each form are correct, and
arrive in time.
"""

import csv
import errno
import io
import json
import os
import signal
import subprocess
import sys
import time
import unicodedata

sys.dont_write_bytecode = True      # the tree may be shared with a guest

# pylint: disable=wrong-import-position
from harness import (B, HOLD, MIB, PAGE, SCHEMA, Busy, Hold, equal,
                     no_duplicates, run_tests, test)

SMI = f"{B}/bin/vnpu-smi"
INSIDE = ["unshare", "--pid", "--fork", "--mount-proc"]
SECONDS = 20


def run(*args, status=0, prefix=()):
    done = subprocess.run([*prefix, SMI, *args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8",
                          timeout=SECONDS)
    equal((done.returncode, done.stderr if not status else ""), (status, ""))
    return done.stdout


def load(view, text):
    answer = json.loads(text, object_pairs_hook=no_duplicates)
    SCHEMA.validate(view, answer)
    return answer


def processes(*args, **options):
    return load("proc", run("proc", "--json", *args, **options))["processes"]


def running(*args, **options):
    return processes("--running", *args, **options)


def fits(text):
    for line in text.splitlines():
        assert len(line) <= 80, f"{len(line)} columns: {line}"


class Events:
    """Run vnpu-smi events, and return once it listens."""

    def __init__(self, *args, form=("--json",)):
        self.args = [SMI, "events", *form, *args]
        self.process = None

    def __enter__(self):
        self.process = subprocess.Popen(self.args, stdout=subprocess.PIPE,
                                        encoding="utf-8")
        deadline = time.monotonic() + SECONDS
        while not self.is_listening():
            assert time.monotonic() < deadline, "it does not listen"
            time.sleep(0.01)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def is_listening(self):
        """Whether its socket is in a group; libnl makes the port of the pid.
        """
        with open("/proc/net/netlink", encoding="ascii") as f:
            for line in list(f)[1:]:
                _, family, port, groups, *_ = line.split()
                if family == "16" and int(groups, 16) and \
                        int(port) & 0x3fffff == self.process.pid:
                    return True
        return False

    def next(self):
        return load("event", self.process.stdout.readline())

    def end(self, status=0):
        equal(self.process.wait(timeout=SECONDS), status)
        return [load("event", line) for line in self.process.stdout]


@test("proc: a process that holds memory, with its clients together")
def proc_running():
    with Hold(MIB, "-c", "3", "-p", "2") as pids:
        rows = running()
        equal([(r["pid"], r["host_pid"], r["own_pid"]) for r in rows],
              [(pid, pid, pid) for pid in sorted(pids)])
        for row in rows:
            equal((row["state"], row["name"], row["devices"]),
                  ("running", "hold", [0]))
            equal((row["memory_bytes"], row["memory_peak_bytes"]),
                  (3 * MIB, 3 * MIB))
            equal((row["busy_ns"], row["streams"], row["uid"]), (0, 0, 0))
            assert row["open_ns"] > 0 and row["closed_ago_ns"] is None, row
    equal(running(), [])


@test("proc: busy time and streams")
def proc_busy():
    with Busy("vector", 3) as pids:
        first = running()
        equal([(r["pid"], r["streams"]) for r in first], [(pids[0], 3)])
        time.sleep(0.2)
        assert running()[0]["busy_ns"] > first[0]["busy_ns"] > 0


@test("proc: ended processes, with the memory that they held")
def proc_exited():
    with Hold(2 * MIB, "-p", "2") as pids:
        pass
    last = processes()[-2:]
    equal(sorted(r["pid"] for r in last), sorted(pids))
    for row in last:
        equal((row["state"], row["memory_bytes"], row["memory_peak_bytes"]),
              ("exited", 2 * MIB, 2 * MIB))
        assert 0 < row["closed_ago_ns"] < SECONDS * 10**9, row
        assert row["open_ns"] > 0, row


@test("proc: from inside of a pid namespace")
def proc_inside():
    with Hold(MIB) as pids:
        row = running(prefix=INSIDE)[0]
        # The process is not visible, but root gets its pid.
        equal((row["pid"], row["host_pid"], row["name"]),
              (None, pids[0], None))
    inner = [*INSIDE, HOLD, str(MIB)]
    row = running(prefix=inner)[0]
    equal(row["pid"], row["own_pid"])
    assert row["host_pid"] > row["own_pid"], row
    # The same for a reader outside, of a process inside that has ended.
    row = processes()[-1]
    equal((row["pid"], row["state"]), (row["host_pid"], "exited"))
    assert row["own_pid"] < row["host_pid"], row


@test("proc: of one device")
def proc_device():
    with Hold(MIB):
        equal(len(running("-i", "0")), 1)
    run("proc", "-i", "63", status=3)


@test("proc: text fits 80 columns, and has the values of JSON")
def proc_text():
    with Hold(5 * MIB, "-n", "fifteen letters") as pids:
        text = run("proc")
        fits(text)
        head, *rows = text.splitlines()
        equal(head.split()[:4], ["Host-Pid", "Own-Pid", "State", "Dev"])
        row = rows[0].split(None, 8)
        equal(row[:6], [str(pids[0]), str(pids[0]), "running", "0", "5", "5"])
        equal(row[8], "fifteen letters")


@test("CSV: fields, and names with anything in them")
def proc_csv():
    with Hold(PAGE, "-n", 'a,"b"\nc') as pids:
        text = run("proc", "-r", "--format", "csv", "--fields",
                   "name,memory_bytes,pid,devices")
        equal(list(csv.reader(io.StringIO(text))),
              [["name", "memory_bytes", "pid", "devices"],
               ['a,"b"\nc', str(PAGE), str(pids[0]), "0"]])
        rows = list(csv.DictReader(io.StringIO(
            run("proc", "-r", "--format=csv"))))
        equal(set(rows[0]), set(running()[0]))


@test("a name moves no cursor, in no form")
def proc_controls():
    name = b"a\x1b[2J\r\t\x7f\xc2\x9bb\xff"
    with Hold(PAGE, "-n", name):
        texts = [run("proc", "-r", *form) for form in
                 ([], ["-j"], ["--format", "csv"])]
        equal(running()[0]["name"], "a\x1b[2J\r\t\x7f\x9bb\ufffd")
    for text in texts:
        equal([c for c in text if unicodedata.category(c) == "Cc" and
               c != "\n"], [])
    row, = csv.DictReader(io.StringIO(texts[2]))
    equal(row["name"], "a?[2J????b\ufffd")


@test("events: clients that open and close, one object a line")
def events_clients():
    with Events("-n", "2") as events:
        with Hold(MIB):
            opened = events.next()
            equal((opened["event"], opened["device"]), ("open", None))
        closed, = events.end()
        equal((closed["event"], closed["client"], closed["busy_ns"]),
              ("close", opened["client"], 0))
        assert opened["time"] < closed["time"]


def lacks_memory(form):
    """Hold memory, let a request fail, and get the output about it."""
    with Hold(3 * MIB), Events("-e", "oom", "-i", "0", form=form) as events:
        subprocess.run([HOLD, str(1 << 50), "true"], stderr=subprocess.DEVNULL)
        return events.process.communicate(timeout=SECONDS)[0]


@test("events: the holders of the memory that a request lacks")
def events_holders():
    event = load("event", lacks_memory(("--json",)))
    assert 1 <= len(event["holders"]) <= 3
    used = [holder["used_bytes"] for holder in event["holders"]]
    equal(used, sorted(used, reverse=True))
    assert 3 * MIB in used, used
    text = lacks_memory(())
    fits(text)
    _, event, largest, holders = text.splitlines()
    assert event.endswith(" frag=0"), event
    assert largest.strip().startswith("largest=4K:") and largest.count(",") == 2, largest
    assert holders.strip().startswith("holders=") and ":3M" in holders, holders
    row, = csv.DictReader(io.StringIO(lacks_memory(("--format", "csv"))))
    assert " largest=4K:" in row["detail"] and " holders=" in row["detail"], row
    equal(lacks_memory(("--fields", "event")).split(), ["Event", "oom"])


@test("events: no memory, no quota, and only the requested kinds")
def events_refused():
    with Events("-e", "oom", "-i", "0") as events:
        subprocess.run([HOLD, str(1 << 50), "true"], stderr=subprocess.DEVNULL)
        event, = events.end()
        equal((event["event"], event["device"], event["length_bytes"]),
              ("oom", 0, 1 << 50))
        equal((event["contiguous"], event["compaction_helps"]), (False, 0))
        sizes = [c["page_size_bytes"] for c in event["classes"]]
        equal(sizes, [4096, 2 * MIB, 1024 * MIB])
        equal(event["classes"][0]["free_bytes"], event["free_bytes"])
        equal(event["classes"][0]["fragmentation_permille"],
              event["fragmentation_permille"])
    quota = ["set", "-t", "quota", "-i", "0", "--uid", "0", "-y"]
    run(*quota, "--limit", "1M")
    try:
        with Events("-e", "quota") as events:
            subprocess.run([HOLD, str(2 * MIB), "true"],
                           stderr=subprocess.DEVNULL)
            event, = events.end()
            equal((event["resource"], event["scope"], event["asked"],
                   event["limit"]), ("memory", "uid", 2 * MIB, MIB))
    finally:
        run(*quota, "--remove")


@test("events: a reset")
def events_reset():
    with Events("--event=reset") as events:
        run("set", "-t", "reset", "-i", "0", "-y")
        event, = events.end()
        equal((event["reason"], event["health"]), ("admin", "OK"))


@test("events: a compaction")
def events_compact():
    with Events("--event=compact") as events:
        subprocess.run([f"{B}/selftests/tool/fragment", str(4 * MIB), SMI,
                        "set", "-t", "compact", "-i", "0", "-y"],
                       stdout=subprocess.DEVNULL, check=True)
        event, = events.end()
        equal((event["device"], event["client"], event["reason"], event["errno"]),
              (0, None, "request", 0))
        assert event["moved_bytes"] >= 4 * MIB, event
        assert event["objects"] > 0 and event["duration_ns"] > 0, event


@test("events: tasks that fail at an address, of each client a few")
def events_fault():
    with Events("-e", "fault", "-n", "3") as events:
        with Busy("astray", 1):
            found = events.end()
    equal([(e["device"], e["client"], e["task"], e["operation"],
            e["offset_bytes"], e["errno"], e["unreported"]) for e in found],
          [(0, found[0]["client"], n, "copy", 64 * MIB, errno.EFAULT, 0)
           for n in (1, 2, 3)])
    with subprocess.Popen([SMI, "events", "-e", "fault"],
                          stdout=subprocess.PIPE, encoding="utf-8") as events:
        text = events.stdout.readline()
        with Busy("astray", 1):
            text += events.stdout.read()
    fits(text)
    equal(text.split()[-2:], ["at=0x4000000", "errno=14"])


@test("events: devices that are added and removed")
def events_devices():
    def write(name, text):
        with open(f"/sys/class/vnpu/{name}", "w", encoding="ascii") as f:
            f.write(text)

    with Events("-e", "add") as events:
        write("new_device", "4M\n")
        added, = events.end()
        equal((added["event"], added["total_bytes"]), ("add", 4 * MIB))
    with Events("-e", "remove") as events:
        write("del_device", str(added["device"]))
        removed, = events.end()
        equal((removed["event"], removed["device"]),
              ("remove", added["device"]))


@test("events: time-out, and none without an end that is waited for")
def events_timeout():
    start = time.monotonic()
    run("events", "-t", "0.3", status=6)
    run("events", "-f", "-t", "0.3")
    assert 0.6 <= time.monotonic() - start < 5


@test("events: the time-out comes while there is always one more to read")
def events_timeout_more():
    with Events("-f", "-t", "1") as events:
        events.process.send_signal(signal.SIGSTOP)
        with Hold(0, "-c", "400"):      # more than the pipe holds
            pass
        events.process.send_signal(signal.SIGCONT)
        start = time.monotonic()
        node = None
        while events.process.stdout.readline():
            assert time.monotonic() - start < SECONDS, "it goes on"
            if node is None:
                node = os.open("/dev/vnpu", os.O_RDWR)
            else:
                node = os.close(node)
        equal(events.process.wait(timeout=SECONDS), 0)
        if node is not None:
            os.close(node)


@test("events: an event in time counts, even if it is read late")
def events_late():
    with Events("-n", "2", "-t", "1") as events:
        events.process.send_signal(signal.SIGSTOP)
        with Hold(0):
            pass
        time.sleep(1.2)
        events.process.send_signal(signal.SIGCONT)
        equal([event["event"] for event in events.end()], ["open", "close"])


@test("events: lost events are reported")
def events_lost():
    with Events("-f") as events:
        events.process.send_signal(signal.SIGSTOP)
        # 4 MiB hold some thousand; each of these makes two.
        subprocess.run(["sh", "-c", "i=0; while [ $i -lt 40 ]; do "
                        f"{HOLD} -c 400 0 true; i=$((i + 1)); done"],
                       check=True)
        events.process.send_signal(signal.SIGCONT)
        while events.next()["event"] != "lost":
            pass


@test("events: an overrun and later events are reported")
def events_overrun():
    def fail():
        subprocess.run([HOLD, str(1 << 50), "true"], stderr=subprocess.DEVNULL)

    with Events("-f", "-e", "oom") as events:
        fail()
        equal(events.next()["event"], "oom")
        run("inject", "set", "-k", "event-overrun", "-i", "0", "-y")
        try:
            fail()
            fault, = load("faults", run("inject", "list",
                                        "--json"))["faults"]
            equal((fault["kind"], fault["nth"], fault["hits"]),
                  ("event-overrun", 0, 1))
        finally:
            run("inject", "clear", "-i", "0", "-k", "event-overrun", "-y")
        fail()
        lost = events.next()
        equal((lost["event"], lost["device"], lost["client"]),
              ("lost", None, None))
        equal(events.next()["event"], "oom")


@test("events: text fits 80 columns")
def events_text():
    with subprocess.Popen([SMI, "events", "-n", "3"], stdout=subprocess.PIPE,
                          encoding="utf-8") as events:
        text = events.stdout.readline()
        equal(text.split(), ["Time", "Event", "Dev", "Client", "Detail"])
        subprocess.run([HOLD, str(1 << 50), "true"], stderr=subprocess.DEVNULL)
        text += events.stdout.read()
        fits(text)
        equal([line[19:24].strip() for line in text.splitlines()[1:]],
              ["open", "oom", "", "close"])


@test("events: a reader that goes away ends it")
def events_pipe():
    with Events("-f") as events:
        events.process.stdout.close()
        with Hold(0), Hold(0):
            pass
        equal(events.process.wait(timeout=SECONDS), -signal.SIGPIPE)


@test("wait: at once where there is room")
def wait_at_once():
    total = load("info", run("info", "--json"))["devices"][0]["memory"]
    answer = load("wait", run("wait", "--free", "1M", "-i", "0", "--json"))
    equal(answer["devices"], [{"id": 0, "free_bytes": total["free_bytes"],
                               "clients": 0, "streams": 0}])
    run("wait", "--idle", "--all", "-t", "0")
    fits(run("wait", "--idle"))


def wakes(what, *args):
    """It waits while @what lasts, and no longer."""
    with what:
        with subprocess.Popen([SMI, "wait", "-i", "0", *args],
                              stdout=subprocess.DEVNULL) as waiter:
            time.sleep(0.5)
            equal(waiter.poll(), None)
            what.__exit__()
            start = time.monotonic()
            equal(waiter.wait(timeout=SECONDS), 0)
            assert time.monotonic() - start < 2
            what.__enter__()


test("wait: until a process that held memory is gone",
     Hold(MIB), "--idle")(wakes)
test("wait: until a process with streams is gone",
     Busy("wait", 1), "--idle")(wakes)


@test("wait: until there is so much memory")
def wait_free():
    free = load("info", run("info", "--json"))["devices"][0]["memory"]
    wakes(Hold(2 * MIB), "--free", str(free["total_bytes"] - MIB))


@test("wait: time-out")
def wait_timeout():
    with Hold(MIB):
        start = time.monotonic()
        run("wait", "--idle", "-i", "0", "-t", "0.4", status=6)
        assert 0.4 <= time.monotonic() - start < 5
        run("wait", "--idle", "--all", "--timeout=0", status=6)


@test("wait: for a condition that is never satisfied")
def wait_never():
    run("wait", "--free", "1T", status=7)
    run("wait", "--idle", "-i", "63", status=3)


@test("a user without rights may do all of this")
def nobody():
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    with Hold(MIB) as pids:
        rows = running(prefix=prefix)
        equal(len(rows), len(pids))
        for row in rows + running(prefix=["unshare", "--pid", "--fork",
                                          *prefix]):
            equal((row["pid"], row["host_pid"], row["own_pid"], row["name"]),
                  (None, None, None, None))
    run("wait", "--idle", prefix=prefix)
    run("events", "-f", "-t", "0.1", prefix=prefix)


@test("a full disk is noticed")
def full():
    for args in (["proc"], ["wait", "--idle"], ["events", "-f", "-t", "0.1"]):
        with open("/dev/full", "w", encoding="ascii") as f:
            equal(subprocess.run([SMI, *args], stdout=f, check=False,
                                 stderr=subprocess.DEVNULL).returncode, 7)


if __name__ == "__main__":
    os.environ["TZ"] = "UTC"
    run_tests()
