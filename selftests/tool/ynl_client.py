#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The netlink family by its specification: the kernel's own tool ynl is a
second client. It knows only uapi/netlink/vnpu.yaml, and must understand each
reply and get the same values as vnpu-smi. KSRC names the kernel's source,
which has ynl.
"""

import errno
import glob
import json
import os
import subprocess
import sys
import time
import uuid

sys.dont_write_bytecode = True      # the tree may be shared with a guest

# pylint: disable=wrong-import-position
from harness import B, HOLD, MIB, Busy, Hold, equal, run_tests, test

SMI = f"{B}/bin/vnpu-smi"
SPEC = "uapi/netlink/vnpu.yaml"
OWN_MEMORY = 64 * MIB
NAME = "sl\u00e4bby"
HANG_TIMEOUT = "/sys/module/vnpu/parameters/hang_timeout_ms"
SECONDS = 30


def find_ynl():
    cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    sources = glob.glob(f"{glob.escape(cache)}/vnpu/linux-source-6.12-*")
    for source in [os.environ.get("KSRC", ""), *sorted(sources, reverse=True)]:
        if os.path.exists(f"{source}/tools/net/ynl/lib/ynl.py"):
            return f"{source}/tools/net/ynl"
    return None


YNL = find_ynl()
if YNL:
    sys.path.insert(0, YNL)
    # pylint: disable=import-error
    from lib import NlError, YnlFamily, ynl as ynl_module

    # ynl assumes that strings are ASCII; names of processes are any bytes.
    ynl_module.NlAttr.as_strz = lambda attr: \
        attr.raw[:-1].decode("utf-8", "replace")


class Client:
    """Two instances of ynl, and the names that were used.

    One instance is for events, which ynl does not expect among replies.
    """

    def __init__(self):
        # netlink.py checks the specification itself against the schema.
        self.family = YnlFamily(SPEC, "")
        self.listener = YnlFamily(SPEC, "")
        self.listener.ntf_subscribe("events")
        self.used = set()

    def do(self, operation, **attributes):
        self.used.add((operation, "do"))
        return self.family.do(operation, {key.replace("_", "-"): value
                                          for key, value in attributes.items()})

    def dump(self, operation):
        self.used.add((operation, "dump"))
        return self.family.dump(operation, {})

    def refused(self, error, operation, **attributes):
        try:
            answer = self.do(operation, **attributes)
        except NlError as e:
            equal(e.error, error)
        else:
            raise AssertionError(f"{operation} is answered: {answer}")

    def events(self, name):
        """The events of one name since forget_events()."""
        self.listener.check_ntf()
        events = [event["msg"] for event in self.listener.async_msg_queue
                if event["name"] == name]
        if events:
            self.used.add((name, "event"))
        return events

    def wait_for(self, name, is_last):
        """The same, up to one that the caller expects."""
        deadline = time.monotonic() + SECONDS
        while True:
            events = self.events(name)
            for count, event in enumerate(events, 1):
                if is_last(event):
                    return events[:count]
            assert time.monotonic() < deadline, f"{name}: {events}"
            time.sleep(0.05)

    def forget_events(self):
        self.events("")
        self.listener.async_msg_queue.clear()


# Created by the first test; reading the specification takes most of the time.
CLIENT = []


def ynl():
    if not CLIENT:
        CLIENT.append(Client())
    return CLIENT[0]


def with_ynl(name):
    def add(function):
        def run():
            if not YNL:
                return "the kernel's source is missing"
            ynl().forget_events()
            function()
            return None
        return test(name)(run)
    return add


class Device:
    """Add a device, so that no other is affected; return its id."""

    def __enter__(self):
        self.id = ynl().do("dev-add", mem_total=OWN_MEMORY)["id"]
        return self.id

    def __exit__(self, *_):
        equal(ynl().do("dev-remove", id=self.id), {"id": self.id})


def smi(*args):
    out = subprocess.run([SMI, *args, "--json"], check=True,
                         stdout=subprocess.PIPE).stdout
    return json.loads(out)


def pick(record, names):
    """A record of ynl with the names that vnpu-smi uses."""
    return {new: record[old] for new, old in names.items()}


def as_device(d):
    return {
        "id": d["id"], "name": d["name"], "bus_id": d["bus-id"],
        "uuid": str(uuid.UUID(bytes=d["uuid"])), "resets": d["resets"],
        "hangs": d["hangs"], "memory": pick(d, {
            "total_bytes": "mem-total", "used_bytes": "mem-used",
            "free_bytes": "mem-free",
            "largest_free_block_bytes": "mem-largest-free"}),
        "engines": [(e["class"], e["count"]) for e in d["engines"]],
    }


@with_ynl("the tool itself, run as its users run it")
def tool():
    done = subprocess.run(
        [sys.executable, f"{YNL}/cli.py", "--spec", SPEC, "--no-schema",
         "--dump", "dev-get", "--output-json"], check=True,
        stdout=subprocess.PIPE, env={**os.environ,
                                     "PYTHONDONTWRITEBYTECODE": "1"})
    equal([(d["id"], d["uuid"]) for d in json.loads(done.stdout)],
          [(d["id"], d["uuid"].hex()) for d in ynl().dump("dev-get")])


@with_ynl("devices")
def devices():
    with Hold(3 * MIB, "-p", "2"):
        found = ynl().dump("dev-get")
        devices = smi("info")["devices"]
        equal([d["clients"] for d in found[:1]], [2])
    equal([d["health"] for d in found], ["ok"] * len(found))
    for d in devices:
        d["engines"] = [(e["class"], e["count"]) for e in d["engines"]]
        del d["health"], d["processes"]
    equal([as_device(d) for d in found], devices)
    for d in found:
        equal(as_device(ynl().do("dev-get", id=d["id"]))["uuid"],
              str(uuid.UUID(bytes=d["uuid"])))
    ynl().refused(errno.ENODEV, "dev-get", id=63)
    ynl().refused(errno.EINVAL, "dev-get")


@with_ynl("memory, its place, and the fit check")
def memory():
    with Hold(3 * MIB, "-h"):
        found = ynl().dump("mem-get")
        devices = smi("info", "-t", "frag")["devices"]
        cells = ynl().do("map-get", dev_id=0, cells=len(devices[0]["map"]))
        equal(ynl().do("mem-get", dev_id=0), found[0])
    for m, d in zip(found, devices, strict=True):
        names = {
            "id": "dev-id", "hbm_capacity_bytes": "total",
            "free_bytes": "free", "largest_free_bytes": "largest-free",
            "free_runs": "runs", "fragmentation_permille": "frag-index",
            "dirty_bytes": "dirty", "waste_bytes": "waste",
            "cleared_bytes": "cleared", "compactions": "compactions",
            "moved_bytes": "moved"}
        equal(pick(m, names), {key: d[key] for key in names})
        equal([(o["order"], o["free-blocks"]) for o in m.get("order", [])],
              [(o["order"], o["free_blocks"]) for o in d["orders"]])
        names = {"page_size_bytes": "page-size", "used_bytes": "used",
                 "free_bytes": "free", "largest_free_bytes": "largest",
                 "fragmentation_permille": "frag-index"}
        equal([pick(c, names) for c in m["class"]], d["classes"])
    equal([pick(c, {f"{n}_bytes": n for n in ("size", "used", "fixed",
                                              "dirty")})
           for c in cells["cell"]], devices[0]["map"])
    fit = ynl().do("fit-get", dev_id=0, length=MIB, page_size=4096,
                   contiguous=True)
    shown = smi("frag", "--fit", "1M", "--contiguous", "-i", "0")["devices"][0]
    equal(bool(fit["fits"]), shown["fits"])
    ynl().refused(errno.ENODEV, "mem-get", dev_id=63)


@with_ynl("clients, those that are gone, and their slabs")
def clients():
    with Hold(100, "-s", "3", "-n", NAME) as [pid]:
        found = ynl().dump("client-get")
        shown = smi("proc")["processes"]
        slabs = ynl().dump("slab-get")
    names = {"client": "id", "pid": "pid", "name": "name", "uid": "uid",
             "streams": "streams", "busy_ns": "busy", "host_pid": "host-pid",
             "own_pid": "ns-pid"}
    [mine] = [c for c in found if c["pid"] == pid]
    [its] = [p for p in shown if p["pid"] == pid]
    equal(pick(mine, names), {key: its[key] for key in names})
    [usage] = mine["usage"]
    equal((usage["dev-id"], usage["mem-used"], usage["mem-peak"]),
          (0, its["memory_bytes"], its["memory_peak_bytes"]))
    [slab] = [s for s in slabs if s["client-id"] == mine["id"]]
    equal((slab["pid"], sum(c["objects"] for c in slab["class"])), (pid, 3))

    gone = [c for c in ynl().dump("history-get") if c["id"] == mine["id"]]
    equal([(c["name"], c["opened"]) for c in gone],
          [(NAME, mine["opened"])])
    equal([e["closed"] for e in ynl().events("close-ntf")
           if e["id"] == mine["id"]], [c["closed"] for c in gone])


@with_ynl("a new client is reported")
def comes():
    with Hold(MIB) as [pid]:
        [mine] = [c for c in ynl().dump("client-get") if c["pid"] == pid]
        assert {"id": mine["id"], "opened": mine["opened"]} in \
            ynl().events("open-ntf")


@with_ynl("streams and engines")
def streams():
    with Busy("wait", 2) as [pid]:
        found = [s for s in ynl().dump("stream-get") if s["pid"] == pid]
        shown = smi("info", "-t", "stream", "-i", "0")["devices"][0]["streams"]
        engines = ynl().dump("engine-get")
        device = ynl().do("dev-get", id=0)
    names = {"number": "number", "client": "client-id", "id": "id",
             "pid": "pid", "priority": "priority", "errors": "errors"}
    shown = sorted((s for s in shown if s["pid"] == pid), key=lambda s: s["id"])
    equal([pick(s, names) for s in found],
          [{key: s[key] for key in names} for s in shown])
    equal([s["task-seq"] for s in found], [1, 1])
    for e in device["engines"]:
        equal([i["index"] for i in engines
               if (i["dev-id"], i["class"]) == (0, e["class"])],
              list(range(e["count"])))


@with_ynl("kernels")
def kernels():
    with Busy("launch", 1) as [pid]:
        [mine] = [k for k in ynl().dump("kernel-get") if k["pid"] == pid]
    equal((mine["dev-id"], mine["name"]), (0, "nothing"))
    assert mine["launches"] > 0 and mine["busy"] > 0, mine


@with_ynl("a device comes, is filled, and goes")
def hotplug():
    with Device() as own:
        equal([(d["id"], d["mem-total"]) for d in ynl().events("dev-add-ntf")],
              [(own, OWN_MEMORY)])
        hold = subprocess.run([HOLD, "-d", str(own), str(2 * OWN_MEMORY),
                               "true"], check=False, stderr=subprocess.DEVNULL)
        equal(hold.returncode, 125)
        [oom] = [e for e in ynl().events("oom-ntf") if e["dev-id"] == own]
        equal((oom["length"], oom["free"]), (2 * OWN_MEMORY, OWN_MEMORY))
        compacted = ynl().do("compact", dev_id=own)
        equal((compacted["dev-id"], compacted["free"]), (own, OWN_MEMORY))
        [event] = ynl().events("compact-ntf")
        equal(pick(event, {n: n for n in ("dev-id", "reason", "moved",
                                          "result")}),
              {"dev-id": own, "reason": "request", "moved": 0, "result": 0})
    equal([e["id"] for e in ynl().events("dev-remove-ntf")], [own])


@with_ynl("quotas")
def quotas():
    with Device() as own:
        key = {"dev_id": own, "scope": "uid", "id": os.getuid()}
        equal(ynl().do("quota-set", limit=MIB, **key)["limit"], MIB)
        hold = subprocess.run([HOLD, "-d", str(own), str(2 * MIB), "true"],
                              check=False, stderr=subprocess.DEVNULL)
        equal(hold.returncode, 125)
        [event] = [e for e in ynl().events("quota-ntf") if e["dev-id"] == own]
        equal((event["scope"], event["limit"], event["length"]),
              ("uid", MIB, 2 * MIB))
        [found] = [q for q in ynl().dump("quota-get") if q["dev-id"] == own]
        [shown] = smi("info", "-t", "quota", "-i", str(own))["devices"]
        [shown] = shown["quotas"]
        equal((found["limit"], found["used"], found["refused"]),
              (shown["limit"], shown["used"], 1))
        equal(ynl().do("quota-remove", **key), found)
        ynl().refused(errno.ENOENT, "quota-remove", **key)
    key = {"resource": "sync-files", "scope": "uid", "id": os.getuid()}
    equal(ynl().do("quota-set", limit=3, **key)["limit"], 3)
    [found] = [q for q in ynl().dump("quota-get")
               if q["resource"] == "sync-files"]
    equal(("dev-id" in found, found["limit"]), (False, 3))
    ynl().refused(errno.EINVAL, "quota-remove", dev_id=0, **key)
    equal(ynl().do("quota-remove", **key), found)


@with_ynl("faults and resets")
def faults():
    with Device() as own:
        fault = {"dev_id": own, "kind": "engine-slow", "class": "vector"}
        ynl().do("inject-set", delay_us=7, **fault)
        [found] = [f for f in ynl().dump("inject-get") if f["dev-id"] == own]
        equal(found, {"dev-id": own, "kind": "engine-slow", "class": "vector",
                      "delay-us": 7, "hits": 0})
        [shown] = [f for f in smi("inject", "list")["faults"]
                  if f["device_id"] == own]
        equal((shown["kind"], shown["delay_us"]), ("engine-slow", 7))
        ynl().do("inject-set", clear=True, **fault)
        equal([f for f in ynl().dump("inject-get") if f["dev-id"] == own], [])
        fault = {"dev-id": own, "kind": "core-slow", "nth": 3, "delay-us": 7}
        equal(ynl().do("inject-set", dev_id=own, kind="core-slow", nth=3,
                       delay_us=7), {**fault, "hits": 0})
        ynl().do("inject-set", clear=True, dev_id=own)

        equal(ynl().do("reset", id=own)["resets"], 1)
        [event] = [e for e in ynl().events("reset-ntf") if e["dev-id"] == own]
        equal(event, {"dev-id": own, "reason": "admin", "count": 1,
                      "health": "ok"})


class HangTimeout:
    """Set the driver's limit in ms for as long as a block lasts."""

    def __init__(self, limit):
        self.limit = limit
        self.kept = None

    def __enter__(self):
        with open(HANG_TIMEOUT, encoding="ascii") as f:
            self.kept = f.read()
        self.write(str(self.limit))

    def __exit__(self, *_):
        self.write(self.kept)

    @staticmethod
    def write(text):
        with open(HANG_TIMEOUT, "w", encoding="ascii") as f:
            f.write(text)


@with_ynl("an engine hangs, and the consequences")
def hang():
    with Device() as own, HangTimeout(1000):
        ynl().do("inject-set", dev_id=own, kind="engine-hang", nth=1)
        with Busy("vector", 1, own) as [pid]:
            [client] = [c["id"] for c in ynl().dump("client-get")
                        if c["pid"] == pid]
            found = ynl().wait_for("hang-ntf", lambda e: e["dev-id"] == own)
            healths = ynl().wait_for(
                "health-ntf", lambda e: (e["dev-id"], e["state"]) == (own, "ok"))
    equal((found[-1]["class"], found[-1]["client-id"], found[-1]["task"]),
          ("vector", client, 1))
    assert found[-1]["time-ns"] >= 1000 * 1000000, found
    alarm = [e for e in healths if e["dev-id"] == own][0]
    equal((alarm["state"], alarm["before"], alarm["hangs"]), ("alarm", "ok", 1))


@with_ynl("a task fails at an address")
def task_fault():
    with Busy("astray", 1) as [pid]:
        [client] = [c["id"] for c in ynl().dump("client-get")
                    if c["pid"] == pid]
        found = ynl().wait_for("task-fault-ntf",
                               lambda e: e["client-id"] == client)
        [stream] = [s for s in ynl().dump("stream-get") if s["pid"] == pid]
    equal(found[-1], {
        "dev-id": 0, "client-id": client, "stream-id": stream["id"],
        "stream-number": stream["number"], "task": 1, "op": 1,
        "error": errno.EFAULT, "offset": 64 * MIB, "unreported": 0})


@with_ynl("no operation is left out, and no event")
def all_operations():
    for name, operation in ynl().family.msgs.items():
        for mode in set(operation.modes) & {"do", "dump", "event"}:
            assert (name, mode) in ynl().used, (name, mode)


if __name__ == "__main__":
    run_tests()
