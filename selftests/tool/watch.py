#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""vnpu-smi info watch, health and npu-smi's types of info: layout, values, and
a device in trouble.
"""

import csv
import io
import json
import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True      # the tree may be shared with a guest

# pylint: disable=wrong-import-position
from harness import (B, BUSY, MIB, SCHEMA, Busy, Hold, equal, no_duplicates,
                     run_tests, test)

SMI = f"{B}/bin/vnpu-smi"
SECONDS = 30
HANG_TIMEOUT = "/sys/module/vnpu/parameters/hang_timeout_ms"


def run(*args, status=0, env=None):
    done = subprocess.run([SMI, *args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8",
                          timeout=SECONDS, env=env)
    equal((done.returncode, done.stderr if not status else ""), (status, ""))
    return done.stdout


def load(view, text):
    answer = json.loads(text, object_pairs_hook=no_duplicates)
    SCHEMA.validate(view, answer)
    return answer


def watch(*args):
    return [load("watch", line) for line in
            run("info", "watch", "--json", *args).splitlines()]


def facts(*args):
    """Return {label: value} of the first device."""
    text = run("info", "-i", "0", *args)
    return dict(map(str.strip, line.split(" : ")) for line
                in text.splitlines() if " : " in line)


def write(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


def read(path):
    with open(path, encoding="ascii") as f:
        return f.read().strip()


@test("watch: npu-smi's columns, its widths, and its letters")
def watch_layout():
    lines = run("info", "watch", "-i", "0", "-n", "2", "-d", "0.01")
    equal(lines, "NpuID(Idx)  ChipId(Idx) Pwr(W)      Temp(C)     "
          "AI Core(%)  AI Cpu(%)   Ctrl Cpu(%) Memory(%)   Memory BW(%) "
          "NPU Util(%) AI Cube(%)\n" + 2 * (
              "0           0           NA          NA          "
              "0           NA          NA          0           NA           "
              "0           NA\n"))
    lines = run("info", "watch", "-i", "0", "-c", "0", "-n", "1", "-s", "man")
    equal(lines.splitlines()[0].split("  "),
          ["NpuID(Idx)", "ChipId(Idx) AI Core(%)", "Memory(%)",
           " NPU Util(%)"])


@test("watch: time stamps, and text of 80 columns by letters")
def watch_time():
    text = run("info", "watch", "-n", "1", "-T", "-s", "amn")
    assert all(len(line) <= 80 for line in text.splitlines()), text
    time.strptime(text.splitlines()[1][:14], "%m-%d %H:%M:%S")


@test("watch: busy engines, and the time of a sample")
def watch_busy():
    with Busy("vector", 4):
        start = time.monotonic()
        rows = watch("-i", "0", "-n", "4", "-d", "0.3")
        assert 0.9 <= time.monotonic() - start < 10
        equal(len(rows), 4)
        for row in rows:
            assert row["aicore_usage_percent"] > 30, row
            equal(row["npu_utilization_percent"], row["aicore_usage_percent"])
        stamps = [row["time"] for row in rows]
        equal(stamps, sorted(set(stamps)))
    equal(watch("-i", "0", "-n", "1")[0]["aicore_usage_percent"], 0)


@test("watch: memory, and CSV")
def watch_csv():
    total = load("info", run("info", "--json"))["devices"][0]["memory"]
    with Hold(total["total_bytes"] // 4 + MIB):
        rows = list(csv.DictReader(io.StringIO(
            run("info", "watch", "-n", "2", "-d", "0.1", "--format", "csv",
                "--fields", "id,memory_usage_percent"))))
        equal(rows[0], {"id": "0", "memory_usage_percent": "25"})
        equal(len(rows), 2 * len(json.loads(
            run("info", "--json"))["devices"]))


def top(*args):
    return [load("top", line) for line in
            run("top", "--json", *args).splitlines()]


def looks(rows):
    """Return the rows of each interval, by process id."""
    found = {}
    for row in rows:
        found.setdefault(row["time"], {})[row["pid"]] = row
    return list(found.values())


@test("top: a line for each process, look by look, the busiest first")
def top_busy():
    with Hold(MIB, "-c", "2", "-p", "2") as holders, \
            Busy("vector", 3) as workers:
        start = time.monotonic()
        rows = top("-n", "3", "-d", "0.5")
        assert time.monotonic() - start >= 1.1
        equal([r["pid"] for r in rows[::3]], 3 * workers)
        for look in looks(rows):
            equal(set(look), {*holders, *workers})
            worker = look[workers[0]]
            assert worker["busy_percent"] > 0, worker
            equal((worker["streams"], worker["devices"]), (3, [0]))
            for pid in holders:
                row = look[pid]
                equal((row["name"], row["uid"], row["busy_percent"],
                       row["memory_bytes"], row["memory_peak_bytes"],
                       row["streams"], row["devices"]),
                      ("hold", 0, 0, 2 * MIB, 2 * MIB, 0, [0]))
        stamps = [row["time"] for row in rows]
        equal((stamps, len(set(stamps))), (sorted(stamps), 3))


@test("top: text of 80 columns, CSV, and no busy process")
def top_forms():
    with Hold(5 * MIB, "-n", 'a,"b"\nc') as pids:
        text = run("top", "-b", "-n", "1")
        head, row = text.splitlines()
        assert max(len(head), len(row)) <= 80, text
        equal(head.split(), ["Pid", "Uid", "Dev", "Mem(MB)", "Peak(MB)",
                             "Busy%", "Streams", "Name"])
        equal(row.split()[:7], [str(pids[0]), "0", "0", "5", "5", "0", "0"])
        rows = list(csv.DictReader(io.StringIO(
            run("top", "--format", "csv", "-n", "1"))))
        equal([(set(r), r["name"]) for r in rows],
              [(set(top("-n", "1")[0]), 'a,"b"\nc')])
    equal(top("-n", "1"), [])
    equal(run("top", "--fields", "pid,busy_percent", "-n", "1").split(),
          ["Pid", "Busy%"])


def operators(*args):
    return [load("top-operators", line) for line in
            run("top", "-o", "--json", *args).splitlines()]


@test("top: the operators of each process")
def top_operators():
    with Busy("launch", 2) as [pid]:
        rows = operators("-n", "2", "-d", "0.5")
        text = run("top", "-o", "-b", "-n", "1").splitlines()
    equal([(r["pid"], r["device"], r["operator"], r["share_percent"],
            r["name"]) for r in rows], 2 * [(pid, 0, "nothing", 100, "busy")])
    for row in rows:
        assert row["launches"] > 0 and row["busy_ns"] > 0, row
    equal(text[0].split(), ["Pid", "Dev", "Operator", "Launches", "Time(ms)",
                            "Busy%", "Share%", "Name"])
    assert max(map(len, text)) <= 80, text
    equal(text[1].split()[:3], [str(pid), "0", "nothing"])
    with Busy("vector", 1):
        equal(operators("-n", "1"), [])


@test("top: it continues until its reader is gone")
def top_endless():
    with Hold(MIB), subprocess.Popen([SMI, "top", "-b", "-d", "0.1"],
                                     stdout=subprocess.PIPE) as viewer:
        for _ in range(4):
            assert viewer.stdout.readline()
        viewer.stdout.close()
        equal(viewer.wait(timeout=SECONDS), -13)


@test("top: a full disk is noticed")
def top_full():
    with Hold(MIB), open("/dev/full", "w", encoding="ascii") as full:
        equal(subprocess.run([SMI, "top", "-b"], stdout=full, check=False,
                             stderr=subprocess.DEVNULL,
                             timeout=SECONDS).returncode, 7)


@test("watch: it continues until it is ended")
def watch_endless():
    with subprocess.Popen([SMI, "info", "watch", "-d", "0.1", "-i", "0"],
                          stdout=subprocess.PIPE, encoding="utf-8") as watcher:
        for _ in range(5):
            assert watcher.stdout.readline()
        watcher.terminate()
        equal(watcher.wait(timeout=SECONDS), -15)


@test("types of npu-smi: its labels")
def labels():
    board = facts("-t", "board")
    equal((board["Product Name"], board["Chip Count"],
           board["Faulty Chip Count"], board["Firmware Version"]),
          ("vnpu", "1", "0", "NA"))
    equal(board["Model"], read("/sys/class/vnpu/vnpu0/soc"))
    equal(board["Software Version"], read("/sys/module/vnpu/version"))
    equal(board["PCIe Bus Info"],
          json.loads(run("info", "--json"))["devices"][0]["bus_id"])
    equal(facts("-t", "product"), {"NPU ID": "0", "Product Type": "vnpu"})
    equal(facts("-t", "health", "-c", "0"),
          {"Health": "OK", "Error Code": "NA", "Error Information": "NA"})
    equal(facts("-t", "temp", "-c", "0"), {"NPU Temperature (C)": "NA"})
    equal(facts("-t", "power", "-c", "0"), {"NPU Real-time Power(W)": "NA"})
    assert facts("-t", "ecc")["HBM Double Bit Error Count"].isdigit()
    equal(facts("-t", "ecc")["HBM Double Bit Isolated Pages Count"], "NA")
    assert all(line[41:44] == " : " for line in
               run("info", "-t", "ecc").splitlines() if line)
    equal(facts("-t", "op-timeout", "-c", "0"),
          {"OP Timeout(ms)": read(HANG_TIMEOUT)})


@test("common: usage and engines")
def common():
    with Busy("vector", 4):
        answer = facts("-t", "common", "-c", "0")
        assert int(answer["Aicore Usage Rate(%)"]) > 50, answer
        equal(answer["Aicore Count"], read("/sys/class/vnpu/vnpu0/ai_cores"))


@test("topo: each device to each")
def topo():
    devices = load("topo", run("info", "-t", "topo", "--json"))["devices"]
    for device in devices:
        equal([(l["id"], l["type"]) for l in device["links"]],
              [(d["id"], "X" if d["id"] == device["id"] else "SYS")
               for d in devices])
        equal(device["cpu_affinity"],
              read("/sys/devices/system/cpu/online"))
    text = run("info", "-t", "topo").splitlines()
    equal(text[0].split()[-2:], ["CPU", "Affinity"])
    equal(text[1].split()[:2], ["NPU0", "X"])


@test("health: all well")
def healthy():
    answer = load("health-verb", run("health", "--json"))["devices"]
    equal({d["health"] for d in answer}, {"OK"})
    assert all(len(line) <= 80 for line in run("health").splitlines())
    line = run("health", "--nagios", "-i", "0")
    assert line.startswith("VNPU OK - 1 of 1 devices healthy | npu0_hangs="), line
    run("health", "-i", "63", status=3)
    assert run("health", "-N", "-i", "63", status=3).startswith("VNPU UNKNOWN")


def sick(health, *args, status):
    env = {**os.environ, "SICK_HEALTH": str(HEALTH.index(health)),
           "LD_PRELOAD": f"{B}/selftests/tool/sick.so"}
    return run(*args, status=status, env=env)


HEALTH = ["OK", "Warning", "Alarm", "Critical", "UNKNOWN"]
NAGIOS = {"OK": (0, "OK"), "Warning": (1, "WARNING"),
          "Alarm": (2, "CRITICAL"), "Critical": (2, "CRITICAL"),
          "UNKNOWN": (3, "UNKNOWN")}


@test("health: every word, as we say it and as Nagios does")
def words():
    for health, (status, word) in NAGIOS.items():
        text = sick(health, "health", "--json",
                    status=0 if health == "OK" else 5)
        equal({d["health"] for d in load("health-verb", text)["devices"]},
              {health})
        text = sick(health, "health", "-N", status=status)
        assert text.startswith(f"VNPU {word} - "), text
    assert "1" in sick("Alarm", "info", "-t", "board", status=0).split()[-1:]
    assert "an engine hangs" in sick("Alarm", "info", "-t", "health", status=0)


@test("health: a hang and its end are reported")
def hang():
    kept = read(HANG_TIMEOUT)
    write(HANG_TIMEOUT, "400")
    with subprocess.Popen([SMI, "events", "--json", "-e", "health", "-n", "2",
                           "-t", str(SECONDS)], stdout=subprocess.PIPE,
                          encoding="utf-8") as events:
        try:
            # The new limit takes effect soon.
            time.sleep(1.5)
            run("inject", "set", "-k", "engine-hang", "-i", "0", "-y")
            subprocess.run([BUSY, "-k", "vector", "-s", "1", "sleep", "1"],
                           stderr=subprocess.DEVNULL, check=False)
            first, then = [load("event", line) for line in events.stdout]
        finally:
            run("inject", "clear", "-i", "0", "-y")
            write(HANG_TIMEOUT, kept)
    equal([(e["health"], e["before"]) for e in (first, then)],
          [("Alarm", "OK"), ("OK", "Alarm")])
    equal(load("health-verb", run("health", "--json"))
          ["devices"][0]["hangs"], first["hangs"])
    equal(facts("-t", "err-count", "-c", "0")["Error Count"],
          str(first["hangs"]))


if __name__ == "__main__":
    run_tests()
