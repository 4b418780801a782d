#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""vnpu-smi exporter: its text is in Prometheus' format, with correct values,
and available by HTTP, by default from this machine only.
"""

import fcntl
import http.client
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True      # the tree may be shared with a guest

# pylint: disable=wrong-import-position
from harness import B, MIB, Hold, equal, run_tests, test

SMI = f"{B}/bin/vnpu-smi"
DEFAULT = ("127.0.0.1", 9836)
LABEL = r'[a-z_]+="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"([a-z_]+)\{{({LABEL}(?:,{LABEL})*)\}} ([0-9]+(?:\.[0-9]+)?)")


def run(*args, status=0, prefix=()):
    done = subprocess.run([*prefix, SMI, "exporter", *args], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    equal((done.returncode, done.stderr.count(b"\n")),
          (status, int(status > 0)))
    return (done.stderr if status else done.stdout).decode("utf-8", "strict")


def parse(text):
    """Return samples by name and labels, and check the form."""
    samples, name, kind, seen = {}, None, None, set()
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name = line.split(" ")[2]
            assert name not in seen, f"{name} is there twice"
            assert re.fullmatch(r"vnpu_[a-z_]+", name), name
            assert len(line.split(" ", 3)[3]) > 0, line
            seen.add(name)
            kind = None
        elif line.startswith("# TYPE "):
            equal(line.split(" ")[2], name)
            kind = line.split(" ")[3]
            equal(kind == "counter", name.endswith("_total"))
            assert kind in ("counter", "gauge"), line
        else:
            match = SAMPLE.fullmatch(line)
            assert match, line
            equal(match.group(1), name)
            assert kind, f"{name} has no type"
            key = (name, match.group(2))
            assert key not in samples, f"{key} is there twice"
            samples[key] = float(match.group(3))
    return samples


def of_device(samples, name, device=0):
    return samples[name, f'device="{device}"']


@test("the text is in Prometheus' format")
def form():
    names = {name for name, _ in parse(run("--once"))}
    for name in ("device_info", "device_healthy", "memory_size_bytes",
                 "resets_total", "engine_busy_seconds_total"):
        assert f"vnpu_{name}" in names, names


def unpacked_promtool():
    """Where tools/build/promtool.sh puts it."""
    cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    return f"{cache}/vnpu/prometheus/usr/bin/promtool"


@test("scraped, promtool accepts the text")
def promtool():
    tool = shutil.which("promtool") or unpacked_promtool()
    if not os.path.exists(tool):
        return "promtool is missing"
    use_loopback()
    with Hold(MIB, "-p", "2"), Server() as server:
        text = server.ask()[1]
    assert 'name="hold"' in text, text
    done = subprocess.run([tool, "check", "metrics"], check=False,
                          input=text.encode(), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    equal((done.returncode, done.stdout), (0, b""))
    return None


@test("values agree with info --json")
def truth():
    with Hold(3 * MIB, "-p", "2") as pids:
        samples = parse(run("--once"))
        info = json.loads(subprocess.run([SMI, "info", "--json"], check=True,
                                         stdout=subprocess.PIPE).stdout)
    for d in info["devices"]:
        memory = d["memory"]
        for key, name in (("total", "size"), ("used", "used"),
                          ("free", "free"),
                          ("largest_free_block", "largest_free")):
            equal(of_device(samples, f"vnpu_memory_{name}_bytes", d["id"]),
                  memory[f"{key}_bytes"])
        equal(of_device(samples, "vnpu_device_healthy", d["id"]), 1)
        equal(of_device(samples, "vnpu_resets_total", d["id"]), d["resets"])
        for engine in d["engines"]:
            equal(samples["vnpu_engines",
                          f'device="{d["id"]}",class="{engine["class"]}"'],
                  engine["count"])
    for pid in pids:
        equal(samples["vnpu_process_memory_used_bytes",
                      f'device="0",pid="{pid}",name="hold"'], 3 * MIB)


@test("invisible processes are summed up as one")
def invisible():
    with Hold(MIB, "-p", "3", "-c", "2"):
        samples = parse(run("--once", prefix=["unshare", "--pid", "--fork",
                                              "--mount-proc"]))
    equal(samples["vnpu_process_memory_used_bytes",
                  'device="0",pid="0",name=""'], 6 * MIB)


@test("process names may have any bytes")
def names():
    # hold.c starts itself under this name, of which the kernel keeps 15 bytes.
    path = os.path.join(B, 'a"\\\n\u00e9')
    shutil.copy(f"{B}/selftests/tool/hold", path)
    try:
        out = subprocess.run([path, str(MIB), SMI, "exporter", "--once"],
                             check=True, stdout=subprocess.PIPE).stdout
    finally:
        os.unlink(path)
    assert any(r'name="a\"\\\n' + "\u00e9" + '"' in labels
               for _, labels in parse(out.decode())), out


class Server:
    """Run an exporter for as long as a block lasts."""

    def __init__(self, *args, address=DEFAULT, prefix=()):
        self.args, self.address = [*prefix, SMI, "exporter", *args], address
        self.process = None

    def __enter__(self):
        self.process = subprocess.Popen(self.args)
        for _ in range(1000):
            try:
                socket.create_connection(self.address).close()
                return self
            except ConnectionRefusedError:
                assert self.process.poll() is None
                time.sleep(0.02)
        raise TimeoutError

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        equal(self.process.wait(), 0)

    def ask(self, method="GET", path="/metrics"):
        connection = http.client.HTTPConnection(*self.address, timeout=60)
        connection.request(method, path)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer, text


def use_loopback():
    # SIOCSIFFLAGS, IFF_UP | IFF_RUNNING
    with socket.socket() as s:
        fcntl.ioctl(s, 0x8914, struct.pack("16sH22x", b"lo", 0x41))


@test("it is scraped")
def scraped():
    use_loopback()
    with Server() as server:
        answer, text = server.ask()
        equal(answer.status, 200)
        equal(answer.getheader("Content-Type"),
              "text/plain; version=0.0.4; charset=utf-8")
        before = parse(text)
        with Hold(5 * MIB):
            after = parse(server.ask()[1])
        equal(of_device(after, "vnpu_memory_used_bytes") -
              of_device(before, "vnpu_memory_used_bytes"), 5 * MIB)
        equal(server.ask("HEAD")[0].status, 200)
        equal(server.ask("POST")[0].status, 405)
        equal(server.ask(path="/")[0].status, 404)
        equal(server.ask(path="/metrics/../../etc/passwd")[0].status, 404)


@test("a silent connection does not block other requests")
def silent():
    with Server() as server:
        idle = [socket.create_connection(DEFAULT) for _ in range(8)]
        idle[0].sendall(b"GET /metrics HT")
        idle[1].sendall(b"\x00\xff" * 9000)
        equal(server.ask()[0].status, 200)
        for s in idle:
            s.close()
        equal(server.ask()[0].status, 200)


@test("the address to listen at can be set")
def address():
    with Server("--listen", "127.0.0.2:19836",
                address=("127.0.0.2", 19836)) as server:
        equal(server.ask()[0].status, 200)
        assert "19836" in run("-l", "127.0.0.2:19836", status=7)
        try:
            socket.create_connection(("127.0.0.1", 19836)).close()
            raise AssertionError("it listens at other addresses, too")
        except ConnectionRefusedError:
            pass
    if os.path.exists("/proc/net/if_inet6"):
        with Server("-l", "[::1]:19836", address=("::1", 19836)) as server:
            equal(server.ask()[0].status, 200)


@test("mistakes are refused")
def mistakes():
    for at in ("", ":", "9836", ":9836", "localhost:9836", "127.0.0.1:",
               "127.0.0.1:65536", "127.0.0.1:x", "[::1:9836", "[]:9836",
               "1" * 300 + ":1"):
        assert "ADDRESS:PORT" in run("-l", at, status=1)
    run("-l", "127.0.0.1:1", "--once", status=1)
    run("-l", "127.0.0.1:1", "-l", "127.0.0.1:1", status=1)
    run("--bogus", status=1)
    run("argument", status=1)
    run("--listen", "192.0.2.1:9836", status=7)


if __name__ == "__main__":
    run_tests()
