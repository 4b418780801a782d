# SPDX-License-Identifier: GPL-2.0-only
"""Shared parts of the tests of vnpu-smi in Python: a list of tests that prints
TAP, and processes that use the device meanwhile.
"""

import contextlib
import os
import subprocess
import sys
import traceback

from schema import Schema

B = os.environ.get("B", "build")
HOLD = f"{B}/selftests/tool/hold"
BUSY = f"{B}/selftests/tool/busy"
SCHEMA = Schema("Documentation/vnpu-smi.schema.json")
CLEAR_MS = "/sys/module/vnpu/parameters/scrub_ms"

PAGE = 4096
MIB = 1 << 20

TESTS = []


def test(name, *args):
    def add(function):
        TESTS.append((name, function, args))
        return function
    return add


class Hold:
    """Run processes that hold memory, see hold.c, for as long as a block
    lasts.
    """

    def __init__(self, size, *options):
        self.args = [HOLD, *options, str(size), "sh", "-c",
                     "echo $HOLD_PIDS; read line; exit 0"]
        self.process = None

    def __enter__(self):
        self.process = subprocess.Popen(
            self.args, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return [int(pid) for pid in self.process.stdout.readline().split()]

    def __exit__(self, *_):
        self.process.communicate()
        assert self.process.returncode == 0, self.process.returncode


class Busy(Hold):
    """Run busy streams, see busy.c."""

    def __init__(self, kind, streams, device=0):
        super().__init__(0)
        self.args = [BUSY, "-d", str(device), "-k", kind, "-s", str(streams),
                     "sh", "-c", "echo $BUSY_PID; read line; exit 0"]


def no_duplicates(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key occurs twice in {keys}"
    return dict(pairs)


def equal(actual, expected):
    assert actual == expected, f"\n{actual}\nis not\n{expected}"


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


@contextlib.contextmanager
def still():
    """Disable clearing in the background, so that two queries see the same
    state.
    """
    try:
        with open(CLEAR_MS, encoding="ascii") as file:
            before = file.read()
        write(CLEAR_MS, "0")
    except OSError:
        # There is no module, or the tests cannot change its parameters.
        yield
        return
    try:
        yield
    finally:
        write(CLEAR_MS, before)


def run_tests():
    with still():
        failed = run_all()
    sys.exit(failed > 0)


def run_all():
    print("TAP version 13")
    print(f"1..{len(TESTS)}")
    failed = 0
    for i, (name, function, args) in enumerate(TESTS, 1):
        try:
            skipped = function(*args)
            print(f"ok {i} {name}" + (f" # SKIP {skipped}" if skipped else ""))
        # pylint: disable=broad-except
        except Exception:
            failed += 1
            print(f"not ok {i} {name}")
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
        sys.stdout.flush()
    return failed
