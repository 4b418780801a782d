#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The examples of Python, and the functions that they use."""

import os
import subprocess
import sys
import tempfile

from tap import B, SITE, equal, main, raises, test

import acl
import numpy

import vnpu
from vnpu import onnx

EXAMPLES = "lib/examples/python"
FOLDER = tempfile.TemporaryDirectory()


def run(program):
    """Run an example; return what it prints."""
    done = subprocess.run(
        [sys.executable, f"{EXAMPLES}/{program}", FOLDER.name], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        env={**os.environ, "PYTHONPATH": SITE,
             "PATH": f"{os.path.abspath(B)}/cann/bin:{os.environ['PATH']}"})
    assert done.returncode == 0, done.stdout
    return done.stdout


@test
def models():
    """The models of the examples are written and compiled."""
    run("models.py")
    assert os.path.exists(f"{FOLDER.name}/denoise.om")


@test
def video():
    """Frames pass three models on two streams."""
    assert "6 frames of 24 x 16 became 48 x 32" in run("video.py")


@test
def sharded():
    """The parts of a model give the result of the whole, and their memory is free."""
    assert "give the result of the whole" in run("sharded.py")


@test
def lists_of_shards():
    """Shards that vnpu-model split makes have the output of the whole, bit for bit."""
    path = f"{FOLDER.name}/network.onnx"
    x = numpy.load(f"{FOLDER.name}/samples.npy")
    model = vnpu.load_model(path)
    x = x.astype(model.inputs[0].dtype).reshape((-1, *model.inputs[0].shape))[0]
    expected = vnpu.execute(model, x).numpy()
    for option in "--om", "--json":
        subprocess.run([f"{B}/bin/vnpu-model", "split", "-n3", option,
                        f"--output={FOLDER.name}/cut", path], check=True,
                       stdout=subprocess.DEVNULL)
        shards = vnpu.load_model_shard(f"{FOLDER.name}/cut.json")
        output = vnpu.execute_shard(shards, x)
        assert numpy.array_equal(output.numpy(), expected)
        acl.rt.free(output)
    raises(TypeError, vnpu.execute_shard, shards, {"other": x})
    with open(f"{FOLDER.name}/other.json", "w", encoding="utf-8") as file:
        file.write("{}")
    raises(ValueError, vnpu.load_model_shard, f"{FOLDER.name}/other.json")


@test
def precision():
    """A search tries all choices, and the best one is the smallest within the limit."""
    lines = run("precision.py").splitlines()
    equal(sum("throughput" in line and "x  " in line for line in lines), 12)
    assert float(lines[-1].split()[-1].rstrip("%")) < 1, lines
    tried = [line.split() for line in lines if "bytes" in line and "loss" in line]
    sizes = [int(words[-2]) for words in tried
             if float(words[words.index("loss") + 1].rstrip("%")) < 1]
    assert f"its size: {min(sizes)} bytes" in "\n".join(lines), lines


@test
def precisions():
    """Lower precisions of weights change outputs a little; unknown ones are errors."""
    x = numpy.linspace(-1, 1, 64, dtype="float32").reshape(1, 64)
    path = f"{FOLDER.name}/large_shard0.onnx"
    exact = vnpu.execute(vnpu.load_model(path), x).numpy()
    for name, limit in (("fp16", 1e-3), ("bf16", 1e-2), ("int8", 2e-2)):
        loss = abs(vnpu.execute(vnpu.load_model(path, name), {"input": x}).numpy()
                   - exact).max()
        assert 0 < loss < limit, (name, loss)
    with open(path, "rb") as file:
        once = onnx.convert(file.read(), lambda *_: "int8")
    equal(onnx.convert(once, lambda *_: "fp16"), once)
    raises(ValueError, vnpu.load_model, path, "fp8")
    raises(TypeError, vnpu.execute, vnpu.load_model(path), {"other": x})


@test
def constraint():
    """A search with a limit that no choice meets is an error, with the best loss."""
    def selector(**options):
        return vnpu.AutoPrecisionSelector(f"{FOLDER.name}/network.onnx",
                                          f"{FOLDER.name}/samples.npy", **options)
    error = raises(vnpu.Error, selector(accuracy_constraint="<0.0001% loss").search,
                   {"ffn": ["int8"]})
    assert "the best one loses" in str(error), error
    raises(ValueError, lambda: selector(target_metric="speed"))
    raises(ValueError, lambda: selector(accuracy_constraint="little"))
    raises(ValueError, selector().search, {"ffn": ["fp8"]})
    raises(ValueError, selector().search, {"ffn": ["int8"]}, 0)


main()
