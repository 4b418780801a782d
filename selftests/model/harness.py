# SPDX-License-Identifier: GPL-2.0-only
"""Shared parts of the tests of atc and vnpu-model: models, runs of the tools, and
a list of tests that prints TAP.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile
import traceback

sys.path.insert(0, "lib/examples")

import onnx_file  # noqa: E402
from onnx_file import FLOAT, FLOAT16, INT64, UINT8, Model, npy, tensor  # noqa: E402,F401

DIR = os.environ.get("B", "build") + "/selftests/model"
START = "ATC start working now, please wait for a moment.\n"
SUCCESS = "ATC run success, welcome to the next use.\n"
FAILED = "ATC run failed\n"
# Tools that are not in DIR.
PLACES = {}
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Files:
    """A directory of files, which the tests share."""

    def __init__(self):
        self.dir = tempfile.TemporaryDirectory(prefix="vnpu-model-")

    def path(self, name):
        return os.path.join(self.dir.name, name)

    def write(self, name, content):
        if isinstance(content, Model):
            content = content.bytes()
        with open(self.path(name), "wb") as f:
            f.write(content.encode() if isinstance(content, str) else content)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()


FILES = Files()


def call(tool, *args):
    """Run a tool; return exit status, standard output and standard error."""
    done = subprocess.run([PLACES.get(tool, f"{DIR}/{tool}"), *args], capture_output=True,
                          check=False)
    text = done.stderr.decode(errors="replace")
    assert "Sanitizer" not in text, text
    return done.returncode, done.stdout.decode(), text


def compile_model(model, *options, name="m"):
    """Compile a model; return the path of the result, and what was noted."""
    source = FILES.write(name + ".onnx", model)
    status, out, err = call("atc", f"--model={source}", "--framework=5",
                            f"--output={FILES.path(name)}", "--soc_version=Ascend310P3",
                            *options)
    assert (status, out) == (0, START + SUCCESS), (status, out, err)
    return FILES.path(name + ".om"), err


def refuse_model(words, model, *options):
    """Compiling must fail with one line of error that has all words."""
    source = FILES.write("bad.onnx", model)
    status, out, err = call("atc", f"--model={source}", "--framework=5",
                            f"--output={FILES.path('bad')}", *options)
    assert status == 1 and out.endswith(FAILED), (status, out, err)
    errors = [line for line in err.splitlines() if line.startswith("atc: error: ")]
    assert len(errors) == 1, err
    for word in words:
        assert word in errors[0], (word, errors[0])
    assert not os.path.exists(FILES.path("bad.om"))
    assert not [n for n in os.listdir(FILES.dir.name) if n.startswith("bad.om")]


def refuse(tool, status, words, *args):
    actual, out, err = call(tool, *args)
    assert actual == status, (actual, out, err)
    assert err.splitlines()[-1].startswith(f"{tool}: "), err
    for word in words:
        assert word in err, (word, err)
    return out


def info(path):
    status, out, err = call("vnpu-model", "info", "--json", path)
    assert (status, err) == (0, ""), (status, err)
    return json.loads(out)


def run(path, *inputs, status=0, options=()):
    """Run a model on arrays as files; return what is printed as JSON."""
    actual, out, err = call("vnpu-model", "run", "--host", "--json", *options,
                            *(f"--input={i}" for i in inputs), path)
    assert actual == status, (actual, out, err)
    return json.loads(out)


def outputs_of(path, *inputs, options=()):
    """Run a model; return the first output as a list of floats."""
    run(path, *inputs, options=(f"--output={FILES.path('out')}", "--format=bin", *options))
    data = FILES.read("out/output_0.bin")
    return list(struct.unpack("<%df" % (len(data) // 4), data))


def affine(dims=(2, 3), opset=13):
    """y = 2 * x + 1."""
    m = Model("affine", opset)
    m.input("x", dims)
    m.constant("two", [], [2.0])
    m.constant("one", [], [1.0])
    m.node("Mul", ["x", "two"], ["doubled"], name="scale")
    m.node("Add", ["doubled", "one"], ["y"], name="shift")
    m.output("y")
    return m


def main():
    failed = 0
    print("TAP version 13")
    for number, function in enumerate(TESTS, 1):
        try:
            function()
            word = "ok"
        except Exception:  # pylint: disable=broad-except
            print("".join("# " + line for line in
                          traceback.format_exc().splitlines(keepends=True)))
            word, failed = "not ok", failed + 1
        print(word, number, function.__name__.replace("_", " "), flush=True)
    print(f"1..{len(TESTS)}")
    return failed != 0
