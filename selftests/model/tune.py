#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""vnpu-model tune: the precisions that it chooses, and the models that it writes."""

import json
import os
import random
import struct

from harness import (FILES, FLOAT, Model, affine, call, compile_model, main, npy, outputs_of,
                     refuse, test)
from onnx_file import field, tensor

LAYERS = [(16, 64), (64, 64), (64, 4)]


def numbers(seed, count, low=-1.0, high=1.0):
    source = random.Random(seed)
    return [source.uniform(low, high) for _ in range(count)]


def network(batch=2, opset=13):
    """Three layers, and a small weight."""
    m = Model("net", opset)
    m.input("x", [batch, 16])
    value = "x"
    for i, (rows, columns) in enumerate(LAYERS):
        m.constant(f"w{i}", [rows, columns], numbers(i, rows * columns))
        m.node("MatMul", [value, f"w{i}"], [f"m{i}"], name=f"layer{i}/matmul")
        m.node("Tanh", [f"m{i}"], [f"t{i}"])
        value = f"t{i}"
    m.constant("b", [1, 4], [0.1, 0.2, 0.3, 0.4])
    m.node("Add", [value, "b"], ["y"], name="bias")
    m.output("y")
    return m


def tune(path, *args, status=0):
    actual, out, err = call("vnpu-model", "tune", "--json", *args, path)
    assert actual == status, (actual, out, err)
    return json.loads(out)


def precisions(report):
    return {part["name"]: part["precision"] for part in report["parts"]}


def sample(seed=9, batch=2):
    return FILES.write(f"x{seed}.npy", npy([batch, 16], numbers(seed, 16 * batch)))


def distance(left, right):
    return (sum((a - b) ** 2 for a, b in zip(left, right)) / sum(b * b for b in right)) ** 0.5


@test
def wrong_command_lines():
    path = FILES.write("net.onnx", network())
    x = sample()
    for words, args in [
            (["the model is missing"], []), (["only one model"], [path, path]),
            (["--loss=-1"], ["--loss=-1", path]), (["--loss=1x"], ["--loss=1x", path]),
            (["--loss=%"], ["--loss=%", path]), (["--loss=nan"], ["--loss=nan", path]),
            (["--seed=0"], ["--seed=0", path]),
            (["WORD=PRECISION"], ["--part=w0", path]),
            (["WORD=PRECISION"], ["--part==fp16", path]),
            (["'fp8' must be"], ["--part=w0=fp16,fp8", path]),
            (["'' must be"], ["--part=w0=", path]),
            (["'' must be"], ["--part=w0=fp16,", path]),
            (["--part=none: no weight"], ["--part=none=fp16", path]),
            (["--part=w0: no weight that is left"], ["--part=w=int8", "--part=w0=fp16", path]),
            (["2 inputs, and 1"], [f"--input={x}", FILES.write("two.onnx", two_inputs())])]:
        assert refuse("vnpu-model", 1, words, "tune", *args) == ""


def two_inputs():
    m = Model("two")
    m.input("x", [2, 2])
    m.input("z", [2, 2])
    m.constant("w", [2, 2], [1.0, 2.0, 3.0, 4.0])
    m.node("MatMul", ["x", "w"], ["a"])
    m.node("Add", ["a", "z"], ["y"])
    m.output("y")
    return m


@test
def files_that_are_not_valid():
    content = network().bytes()
    path = FILES.write("net.onnx", content)
    refuse("vnpu-model", 2, ["no weights"], "tune", FILES.write("affine.onnx", affine()))
    refuse("vnpu-model", 2, ["/none.onnx"], "tune", "/none.onnx")
    refuse("vnpu-model", 2, ["/none.npy"], "tune", "--input=/none.npy", path)
    refuse("vnpu-model", 2, ["[2, 16]", "given 3"], "tune",
           "--input=" + FILES.write("bad.npy", npy([3, 16], [0.0] * 48)), path)
    refuse("vnpu-model", 2, ["input 0 of sample 1"], "tune", f"--input={sample()}",
           "--input=" + FILES.write("bad.bin", b"1234"), path)
    refuse("vnpu-model", 2, ["give its shape"], "tune",
           FILES.write("open.onnx", network(batch="n")))
    for at in range(0, len(content), len(content) // 40):
        for damaged in (content[:at], content[:at] + bytes([content[at] ^ 255])
                        + content[at + 1:]):
            status, _, err = call("vnpu-model", "tune", "--seed=2",
                                  FILES.write("damaged.onnx", damaged))
            assert status in (0, 2, 3, 4), (at, status, err)


@test
def outputs_that_are_no_numbers():
    m = network()
    m.node("Log", ["y"], ["z"])
    m.output("z")
    refuse("vnpu-model", 2, ["no numbers"], "tune",
           "--input=" + FILES.write("huge.npy", npy([2, 16], [float("nan")] * 32)),
           FILES.write("nan.onnx", m))


@test
def the_result_stays_within_the_bound():
    path = FILES.write("net.onnx", network())
    x = sample()
    expected = outputs_of(compile_model(network())[0], x)
    last = None
    for bound in 0.2, 0.01, 0.003, 0.0001:
        report = tune(path, f"--input={x}", f"--loss={bound}",
                      f"--output={FILES.path('tuned.onnx')}")
        tuned = FILES.read("tuned.onnx")
        actual = distance(outputs_of(compile_model(tuned)[0], x), expected)
        assert actual <= bound and abs(actual - report["loss"]) < 1e-5, (actual, report)
        assert report["size_after"] == len(tuned) and report["bound"] == bound
        assert report["samples"] == 1
        assert last is None or len(tuned) >= last, (bound, len(tuned), last)
        last = len(tuned)


@test
def a_bound_that_nothing_meets_changes_nothing():
    path = FILES.write("net.onnx", network())
    report = tune(path, "--loss=0", f"--output={FILES.path('same.onnx')}")
    assert set(precisions(report).values()) == {"fp32"}, report
    assert FILES.read("same.onnx") == FILES.read("net.onnx")
    assert report["loss"] == 0 and report["size_before"] == report["size_after"]
    # Samples are random without --input.
    assert report["samples"] == 4


@test
def precisions_that_are_too_low():
    path = FILES.write("net.onnx", network())
    output = FILES.path("none.onnx")
    report = tune(path, "--loss=1e-9", "--part=w=int8,fp16", f"--output={output}", status=3)
    assert precisions(report) == {"w": "fp16"} and report["loss"] > 1e-9
    assert not os.path.exists(output)
    assert "more than the bound" in call("vnpu-model", "tune", "--loss=0", "--part=w=int8",
                                         path)[2]


@test
def parts():
    path = FILES.write("net.onnx", network())
    names = precisions(tune(path, "--loss=9"))
    # With its scale, the small one is no smaller as int8.
    assert names == {"w0": "int8", "w1": "int8", "w2": "int8", "(small weights)": "fp16"}, names
    report = tune(path, "--loss=9", "--part=LAYER1=bf16", "--part=w=fp32,fp16")
    assert precisions(report) == {"LAYER1": "bf16", "w": "fp16"}, report
    first, second = report["parts"]
    assert (first["weights"], first["bytes_before"], first["bytes_after"]) == (1, 16384, 8192)
    assert (second["weights"], second["bytes_before"]) == (2, 4 * (16 * 64 + 64 * 4))
    assert 0 < second["loss_alone"] < first["loss_alone"] < report["bound"] == 9


@test
def text_and_json_have_the_same_content():
    path = FILES.write("net.onnx", network())
    status, text, _ = call("vnpu-model", "tune", path)
    assert status == 0
    for part in tune(path)["parts"]:
        assert part["name"] in text and part["precision"] in text, text


@test
def bf16_needs_its_opset():
    path = FILES.write("old.onnx", network(opset=11))
    refuse("vnpu-model", 1, ["bf16 needs opset 13", "opset 11"], "tune", "--part=w=bf16", path)
    assert "bf16" not in precisions(tune(path, "--loss=9")).values()


@test
def shapes_of_samples():
    path = FILES.write("open.onnx", network(batch="n"))
    report = tune(path, f"--input={sample()}", f"--input={sample(8)}")
    assert report["samples"] == 2
    refuse("vnpu-model", 2, ["sample 1"], "tune", f"--input={sample()}",
           f"--input={sample(7, batch=3)}", path)


@test
def weights_that_are_inputs_too():
    """As in files of the IR before version 4."""
    m = network()
    for i, dims in enumerate(LAYERS):
        m.input(f"w{i}", dims)
    content = m.bytes().replace(field(1, 8), field(1, 3), 1)
    tune(FILES.write("ir3.onnx", content), "--loss=9", f"--output={FILES.path('ir4.onnx')}")
    tuned = FILES.read("ir4.onnx")
    assert tuned.startswith(field(1, 4))
    x = sample()
    assert distance(outputs_of(compile_model(tuned)[0], x),
                    outputs_of(compile_model(network())[0], x)) < 0.1


@test
def weights_in_files():
    """They are in the tuned model itself, which may lie in another folder."""
    m = Model("outside")
    m.input("x", [1, 8])
    values = numbers(1, 64)
    FILES.write("w.bin", struct.pack("<64f", *values) * 2)
    for name, offset in ("v", 0), ("w", 256):
        entries = [("location", "w.bin"), ("offset", str(offset)), ("length", "256")]
        m.graph += field(5, tensor(name, [8, 8], b"", FLOAT)[:-2] + b"".join(
            field(13, field(1, key) + field(2, value)) for key, value in entries)
            + field(14, 1))
    m.node("MatMul", ["x", "v"], ["a"])
    m.node("MatMul", ["a", "w"], ["y"])
    m.output("y")
    os.makedirs(FILES.path("other"), exist_ok=True)
    x = FILES.write("x8.npy", npy([1, 8], numbers(2, 8)))
    path = FILES.write("outside.onnx", m)
    tune(path, f"--input={x}", "--loss=9", "--part=v=int8",
         f"--output={FILES.path('other/inside.onnx')}")
    tuned = FILES.read("other/inside.onnx")
    assert b"w.bin" not in tuned and struct.pack("<64f", *values) in tuned
    compile_model(tuned)


@test
def a_tuned_model():
    """The scales of its weights are no weights."""
    path = FILES.path("once.onnx")
    tune(FILES.write("net.onnx", network()), "--loss=9", "--part=w0=int8", f"--output={path}")
    assert b"w0/scale" in FILES.read("once.onnx")
    report = tune(path, "--loss=9")
    assert sum(part["weights"] for part in report["parts"]) == 3, report
    tune(path, "--loss=9", f"--output={FILES.path('twice.onnx')}")
    refuse("vnpu-model", 2, ["no weights"], "tune", FILES.path("twice.onnx"))


@test
def models_that_are_too_large():
    """They are refused before their weights are read."""
    m = Model("large")
    m.input("x", [1, 32768])
    m.graph += field(5, tensor("w", [32768, 32768], b"", FLOAT)[:-2]
                     + field(13, field(1, "location") + field(2, "missing.bin"))
                     + field(14, 1))
    m.node("MatMul", ["x", "w"], ["y"])
    m.output("y")
    refuse("vnpu-model", 2, ["2 GiB", "42949"], "tune", FILES.write("large.onnx", m))


@test
def outputs_that_cannot_be_written():
    path = FILES.write("net.onnx", network())
    refuse("vnpu-model", 4, ["/none/tuned.onnx", "written"], "tune",
           "--output=/none/tuned.onnx", path)


if __name__ == "__main__":
    raise SystemExit(main())
