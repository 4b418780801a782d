#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""vnpu-model split: the shards have the results of the whole model, bit for bit, and need
less memory.
"""

import json
import os
import random
import struct
import subprocess
import sys

from harness import (DIR, FILES, FLOAT, INT64, Model, call, compile_model, main, npy, refuse,
                     test)
from inference import resnet50
from onnx_file import field, tensor


def numbers(seed, count, low=-1.0, high=1.0):
    source = random.Random(seed)
    return [source.uniform(low, high) for _ in range(count)]


def split(name, model, *args, status=0):
    """Split a model to NAME_0.onnx, ...; return what is printed as JSON."""
    path = FILES.write(f"{name}.onnx", model)
    actual, out, err = call("vnpu-model", "split", "--json", f"--output={FILES.path(name)}",
                            *args, path)
    assert actual == status, (actual, out, err)
    return json.loads(out)


def listed(name):
    return json.loads(FILES.read(f"{name}.json"))


def run(path, *args):
    """Run a model or shards; return what is printed, and the bytes of all outputs."""
    folder = FILES.path("outputs")
    subprocess.run(["rm", "-rf", folder], check=True)
    status, out, err = call("vnpu-model", "run", "--host", "--json", "--format=bin",
                            f"--output={folder}", *args, path)
    assert status == 0, (status, out, err)
    report = json.loads(out)
    return report, [FILES.read(f"outputs/output_{i}.bin")
                    for i in range(len(report["outputs"]))]


def check(name, model, *args, shape=None, inputs=()):
    """Split a model, and compare its outputs with those of the whole; return the report."""
    shapes = [f"--input_shape={shape}"] if shape else []
    report = split(name, model, *args, *shapes)
    whole, _ = compile_model(model, *shapes, name=f"{name}_whole")
    inputs = [f"--input={i}" for i in inputs]
    ran, actual = run(FILES.path(f"{name}.json"), *inputs)
    _, expected = run(whole, *inputs)
    assert actual == expected, name
    assert ran["shards"] == len(report["shards"]), ran
    assert ran["peak_bytes"] == report["peak_bytes"], (ran, report)
    assert ran["whole_bytes"] == report["whole_bytes"]
    return report


def layers(batch=2, opset=13, widths=(16, 64, 64, 4)):
    m = Model("layers", opset)
    m.input("x", [batch, widths[0]])
    value = "x"
    for i, (rows, columns) in enumerate(zip(widths, widths[1:])):
        m.constant(f"w{i}", [rows, columns], numbers(i, rows * columns))
        m.node("MatMul", [value, f"w{i}"], [f"m{i}"], name=f"layer{i}")
        m.node("Tanh", [f"m{i}"], [f"t{i}"])
        value = f"t{i}"
    m.output(value)
    return m


@test
def wrong_command_lines():
    path = FILES.write("layers.onnx", layers())
    for words, args in [
            (["the model is missing"], ["-n", "2"]), (["only one model"], ["-n2", path, path]),
            (["one of --shards and --memory"], [path]),
            (["one of --shards and --memory"], ["-n", "2", "--memory=1M", path]),
            (["--shards=0"], ["-n", "0", path]), (["--shards=2x"], ["--shards=2x", path]),
            (["from 1 to 1024"], ["--shards=1025", path]),
            (["'-n' is without its value"], [path, "-n"]), (["'-x' is no option"], ["-x", path]),
            (["--memory=1T"], ["--memory=1T", path]), (["--memory=0"], ["--memory=0", path]),
            (["--memory=-1"], ["--memory=-1", path]), (["--memory=K"], ["--memory=K", path]),
            (["--memory=1KK"], ["--memory=1KK", path]),
            (["--memory=99999999999G"], ["--memory=99999999999G", path]),
            (["NAME:N"], ["-n2", "--input_shape=x", path]),
            (["NAME:N"], ["-n2", "--input_shape=:2", path]),
            (["'x' must have"], ["-n2", "--input_shape=x:", path]),
            (["'x' must have"], ["-n2", "--input_shape=x:2,", path]),
            (["'x' must have"], ["-n2", "--input_shape=x:0", path]),
            (["'x' must have"], ["-n2", "--input_shape=x:1,1,1,1,1,1,1,1,1", path])]:
        assert refuse("vnpu-model", 1, words, "split", *args) == "", args


@test
def the_network_of_the_example():
    subprocess.run([sys.executable, "lib/examples/network.py", FILES.dir.name], check=True)
    content = FILES.read("network.onnx")
    report = check("network", content, "--memory=23K", shape="image:1,1,16,16",
                   inputs=[FILES.path("input.npy")])
    assert len(report["shards"]) == 2 and report["peak_bytes"] <= 23 << 10, report
    assert report["peak_bytes"] < report["whole_bytes"]
    status, out, err = call("vnpu-model", "run", "--host", f"--input={FILES.path('input.npy')}",
                            f"--expect={FILES.path('expected.npy')}", FILES.path("network.json"))
    assert status == 0 and "peak memory" in out and "memory of the whole" in out, (out, err)
    refuse("vnpu-model", 3, ["output 0"], "run", "--host", "--expect="
           + FILES.write("ones.npy", npy([1, 10], [1.0] * 10)), FILES.path("network.json"))


@test
def the_example_of_the_documentation():
    with open("Documentation/models.md", encoding="utf-8") as f:
        blocks = f.read().split("## Shards")[1].split("```")
    where = FILES.dir.name
    commands = blocks[1].replace("/tmp", where).replace("build/bin/", DIR + "/")
    done = subprocess.run(["sh", "-ec", commands], capture_output=True, check=False)
    out = done.stdout.decode()
    assert done.returncode == 0, (out, done.stderr)
    for line in blocks[3].strip().replace("/tmp", where).splitlines():
        assert line in out, (line, out)
    assert "equal" in out.splitlines()[-1], out


@test
def a_residual_network():
    """Convolutions are joined with normalisations, so no cut lies between these."""
    model, image = resnet50(32, 8), "image:1,3,32,32"
    for number, most in (2, 0.9), (5, 0.75):
        report = check("resnet", model, "-n", str(number), shape=image)
        assert len(report["shards"]) == number
        assert report["peak_bytes"] < report["whole_bytes"] * most, report
    report = check("resnet", model, "--memory=1030K", "--om", shape=image)
    assert report["peak_bytes"] <= 1030 << 10 and len(report["shards"]) < 5, report
    for shard in listed("resnet")["shards"]:
        assert shard["file"].endswith(".om") and shard["bytes"] <= 1030 << 10
        status, out, err = call("vnpu-model", "check", FILES.path(shard["file"]))
        assert status == 0 and "valid" in out, err


@test
def weights_are_in_the_shards_that_use_them():
    """Here the second layer uses a weight of the first one."""
    m = Model("shared")
    m.input("x", [1, 32])
    m.constant("w", [32, 32], numbers(1, 1024))
    m.constant("v", [32, 32], numbers(2, 1024))
    for i, (value, weight) in enumerate([("x", "w"), ("a0", "v"), ("a1", "w")]):
        m.node("MatMul", [value, weight], [f"p{i}"])
        m.node("Tanh", [f"p{i}"], [f"a{i}"])
    m.output("a2")
    report = check("shared", m, "--memory=4500")
    w, v = (struct.pack("<1024f", *numbers(seed, 1024)) for seed in (1, 2))
    shards = [FILES.read(f"shared_{i}.onnx") for i in range(len(report["shards"]))]
    assert [w in shard for shard in shards] == [True, False, True], report
    assert [v in shard for shard in shards] == [False, True, False], report


@test
def values_that_skip_a_shard():
    m = Model("skip")
    m.input("x", [1, 32])
    value = "x"
    for i in range(4):
        m.constant(f"w{i}", [32, 32], numbers(i, 1024))
        m.node("MatMul", [value, f"w{i}"], [f"p{i}"])
        value = f"p{i}"
    m.node("Add", [value, "p0"], ["y"])
    m.output("y")
    m.output("p1")
    check("skip", m, "-n", "4")
    shards = listed("skip")["shards"]
    assert "p0" in shards[0]["outputs"] and "p0" in shards[3]["inputs"], shards
    assert "p0" not in shards[2]["inputs"] + shards[2]["outputs"], shards
    assert listed("skip")["outputs"] == ["y", "p1"]


@test
def one_shard_is_the_whole():
    m = layers()
    m.input("unused", [3], INT64)
    report = check("one", m, "-n1")
    assert report["peak_bytes"] == report["whole_bytes"]
    assert [i["name"] for i in listed("one")["inputs"]] == ["x", "unused"]
    assert listed("one")["shards"][0]["inputs"] == ["x", "unused"]


@test
def more_shards_than_nodes():
    path = FILES.write("layers.onnx", layers())
    assert refuse("vnpu-model", 3, ["at most 6 shards", "given 7"], "split", "-n", "7",
                  f"--output={FILES.path('none')}", path) == ""
    assert not os.path.exists(FILES.path("none.json"))
    assert len(check("layers", layers(), "-n", "6")["shards"]) == 6


@test
def a_node_that_is_too_large_is_named():
    path = FILES.write("layers.onnx", layers())
    for size, words in [("16K", ["'layer1' (MatMul)", "17408 bytes", "16384 of weights", "16384",
                                 "divide the weights"]),
                        ("100", ["'layer0' (MatMul)"])]:
        refuse("vnpu-model", 3, words, "split", f"--memory={size}", path)
    assert len(check("layers", layers(), "--memory=17K")["shards"]) == 3
    m = Model("wide")
    m.input("x", [1, 4096])
    m.node("Tanh", ["x"], ["y"], name="wide")
    m.output("y")
    refuse("vnpu-model", 3, ["'wide' (Tanh)", "32768 bytes", "smaller sizes by --input_shape"],
           "split", "--memory=8K", FILES.write("wide.onnx", m))


@test
def passes_join_the_same_nodes():
    """The rounding of a result may depend on the nodes that a pass joins."""
    m = Model("joined")
    m.input("x", [1, 4, 8, 8])
    m.constant("k", [4, 4, 3, 3], numbers(1, 144))
    for name in "scale", "shift", "mean":
        m.constant(name, [4], numbers(len(name), 4))
    m.constant("var", [4], numbers(9, 4, 0.5, 1.5))
    m.constant("half", [], [0.5])
    m.constant("one", [], [1.0])
    m.constant("root", [], [2 ** -0.5])
    m.node("Conv", ["x", "k"], ["c"], pads=[1, 1, 1, 1])
    m.node("BatchNormalization", ["c", "scale", "shift", "mean", "var"], ["b"])
    # GELU of its parts.
    m.node("Mul", ["b", "root"], ["g0"])
    m.node("Erf", ["g0"], ["g1"])
    m.node("Add", ["g1", "one"], ["g2"])
    m.node("Mul", ["b", "g2"], ["g3"])
    m.node("Mul", ["g3", "half"], ["g4"])
    m.node("Transpose", ["g4"], ["t"], perm=[0, 2, 3, 1])
    m.node("ReduceMean", ["t"], ["r"], axes=[1])
    m.node("Softmax", ["r"], ["y"], axis=2)
    m.output("y")
    path = FILES.write("joined.onnx", m)
    most = 0
    for number in range(1, 11):
        if call("vnpu-model", "split", f"-n{number}", f"--output={FILES.path('joined')}",
                path)[0] == 0:
            most = number
            check("joined", m, f"-n{number}")
    assert 3 <= most <= 6, most
    text = json.dumps(listed("joined")["shards"])
    # Neither parts of a joined node, nor a view with other strides.
    assert not any(f'"{name}"' in text for name in ("c", "g0", "g1", "g2", "g3", "t")), text


def normalise(m, name, value):
    """A layer normalisation of its parts."""
    for part, number in ("two", 2.0), ("least", 1e-5):
        m.constant(name + part, [], [number])
    m.node("ReduceMean", [value], [name + "mean"], axes=[1])
    m.node("Sub", [value, name + "mean"], [name + "difference"])
    m.node("Pow", [name + "difference", name + "two"], [name + "power"])
    m.node("ReduceMean", [name + "power"], [name + "variance"], axes=[1])
    m.node("Add", [name + "variance", name + "least"], [name + "sum"])
    m.node("Sqrt", [name + "sum"], [name + "root"])
    m.node("Div", [name + "difference", name + "root"], [name])
    return name


@test
def nodes_that_are_equal():
    """
    Both normalisations have the same first nodes, so no pass joins either of them. If shards had
    these nodes twice, each would be joined.
    """
    m = Model("equal")
    m.input("x", [12, 12])
    m.node("Tanh", ["x"], ["a"])
    value = normalise(m, "n", "a")
    for i in range(3):
        m.constant(f"w{i}", [12, 12], numbers(i, 144))
        m.node("MatMul", [value, f"w{i}"], [f"p{i}"])
        value = f"p{i}"
    m.node("Identity", ["a"], ["b"])
    m.node("Mul", [normalise(m, "o", "b"), value], ["y"])
    m.output("y")
    for number in 2, 3, 5:
        check("equal", m, "-n", str(number))
    names = json.dumps(listed("equal")["shards"])
    assert '"ndifference"' in names and '"odifference"' not in names and '"b"' not in names, names


@test
def constants_of_several_forms():
    """Nodes of constants, converted weights, and shapes, which are constants, too."""
    m = Model("forms")
    m.input("x", [2, 8])
    m.constant("i", [8, 8], [k % 7 for k in range(64)], INT64)
    m.node("Cast", ["i"], ["w"], to=FLOAT)
    m.graph += field(1, field(2, "c") + field(4, "Constant") + field(5, field(1, "value")
                     + field(5, tensor("", [8], numbers(3, 8))) + field(20, 4)))
    m.node("MatMul", ["x", "w"], ["a"])
    m.node("Shape", ["a"], ["s"])
    m.node("Tanh", ["a"], ["b"])
    m.node("MatMul", ["b", "w"], ["d"])
    m.node("Add", ["d", "c"], ["e"])
    m.constant("flat", [1], [-1], INT64)
    m.node("Reshape", ["e", "flat"], ["f"])
    m.node("Sigmoid", ["f"], ["g"])
    m.node("Reshape", ["g", "s"], ["y"])
    m.output("y")
    m.output("c")
    m.output("x")
    for number in 1, 2, 3:
        check("forms", m, "-n", str(number))
    assert "s" not in json.dumps(listed("forms")["shards"]).split('"')


@test
def branches():
    """An If is in one shard, with the values that its graphs use."""
    def body(name, operator):
        return field(6, field(2, name) + field(1, field(1, "a") + field(1, "a")
                     + field(2, name) + field(4, operator)) + field(12, field(1, name)))

    m = Model("branches")
    m.input("x", [1, 16])
    m.constant("yes", [], b"\1", 9)
    m.constant("w", [16, 16], numbers(1, 256))
    m.node("MatMul", ["x", "w"], ["a"])
    m.node("Tanh", ["a"], ["b"])
    m.graph += field(1, field(1, "yes") + field(2, "c") + field(3, "choice") + field(4, "If")
                     + field(5, field(1, "then_branch") + body("p", "Mul") + field(20, 5))
                     + field(5, field(1, "else_branch") + body("q", "Add") + field(20, 5)))
    m.node("Add", ["b", "c"], ["d"])
    m.node("MatMul", ["d", "w"], ["y"])
    m.output("y")
    for number in 1, 2, 3:
        check("branches", m, "-n", str(number))


@test
def sizes_that_are_open():
    model = layers(batch="n")
    refuse("vnpu-model", 2, ["give its shape", "--input_shape"], "split", "-n2",
           FILES.write("open.onnx", model))
    check("open", model, "-n2", shape="x:3,16")
    assert listed("open")["inputs"] == [{"name": "x", "type": "f32", "shape": [3, 16]}]
    refuse("vnpu-model", 2, ["no input 'z'"], "split", "-n2", "--input_shape=x:3,16;z:1",
           FILES.path("open.onnx"))


@test
def outputs_with_sizes_that_depend_on_elements():
    m = Model("count")
    m.input("x", [2, 8])
    m.node("Tanh", ["x"], ["a"])
    m.node("NonZero", ["a"], ["y"])
    m.node("Exp", ["a"], ["z"])
    m.output("y")
    m.output("z")
    x = FILES.write("some.npy", npy([2, 8], [0.0, 1.0] * 8))
    check("count", m, "-n2", inputs=[x])


@test
def weights_in_files_and_in_inputs():
    m = Model("outside")
    m.input("x", [1, 8])
    FILES.write("w.bin", struct.pack("<64f", *numbers(1, 64)))
    m.graph += field(5, tensor("w", [8, 8], b"", FLOAT)[:-2]
                     + field(13, field(1, "location") + field(2, "w.bin")) + field(14, 1))
    m.constant("v", [8, 8], numbers(2, 64))
    m.input("v", [8, 8])
    m.node("MatMul", ["x", "w"], ["a"])
    m.node("MatMul", ["a", "v"], ["y"])
    m.output("y")
    os.makedirs(FILES.path("other"), exist_ok=True)
    # As in files of the IR before version 4.
    content = m.bytes().replace(field(1, 8), field(1, 3), 1)
    check("outside", content, "-n2")
    split("outside", content, "-n2", f"--output={FILES.path('other/outside')}")
    assert b"w.bin" not in FILES.read("other/outside_0.onnx")
    assert run(FILES.path("other/outside.json"))[1] == run(FILES.path("outside.json"))[1]
    assert [s["inputs"] for s in listed("outside")["shards"]] == [["x"], ["a"]]


@test
def files_that_are_not_valid():
    content = layers().bytes()
    refuse("vnpu-model", 2, ["/none.onnx"], "split", "-n2", "/none.onnx")
    refuse("vnpu-model", 4, ["/none/a_0.onnx", "written"], "split", "-n2", "-o", "/none/a",
           FILES.write("layers.onnx", content))
    m = Model("constant")
    m.constant("y", [1], [1.0])
    m.output("y")
    refuse("vnpu-model", 2, ["depend on no node"], "split", "-n1", FILES.write("constant.onnx", m))
    m = layers()
    m.node("Exp", ["x"], ["t0"])
    refuse("vnpu-model", 2, ["two nodes make a value 't0'"], "split", "-n1",
           FILES.write("twice.onnx", m))
    deep = field(1, field(2, "z") + field(4, "If"))
    for _ in range(40):
        deep = field(1, field(2, "z") + field(4, "If") + field(5, field(1, "then_branch")
                     + field(6, deep) + field(20, 5)))
    m = layers()
    m.graph += deep
    refuse("vnpu-model", 2, ["levels of graphs"], "split", "-n2", FILES.write("deep.onnx", m))
    for at in range(0, len(content), len(content) // 16):
        for damaged in (content[:at],
                        content[:at] + bytes([content[at] ^ 255]) + content[at + 1:]):
            status, _, err = call("vnpu-model", "split", "-n2", "-o", FILES.path("damaged"),
                                  FILES.write("damaged.onnx", damaged))
            assert status in (0, 2, 3, 4), (at, status, err)


@test
def lists_that_are_not_valid():
    split("list", layers(), "-n2")
    good = FILES.path("list.json")
    refuse("vnpu-model", 1, ["only one operand"], "run", "--host", good, good)
    refuse("vnpu-model", 1, ["no gears"], "run", "--host", "--sizes=1", good)
    refuse("vnpu-model", 1, ["1 inputs, given 2"], "run", "--host", "--input=a", "--input=b", good)
    refuse("vnpu-model", 1, ["1 outputs, given 2"], "run", "--host", "--expect=a", "--expect=b",
           good)
    refuse("vnpu-model", 2, ["/none.json"], "run", "--host", "/none.json")
    words = ["no list of shards of version 1"]
    for change in ({"version": 2}, {"shards": []}, {"shards": [1]}, {"inputs": [{"name": "x"}]},
                   {"outputs": [1]}, {"whole_bytes": -1},
                   {"shards": [{"file": "../list_0.onnx", "bytes": 1, "inputs": [],
                                "outputs": []}]},
                   {"inputs": [{"name": "x", "type": "f32", "shape": [1 << 40, 1 << 40]}]},
                   {"inputs": [{"name": "x", "type": "f99", "shape": [1]}]}):
        refuse("vnpu-model", 2, words, "run", "--host",
               FILES.write("bad.json", json.dumps({**listed("list"), **change})))
    for text in "", "{", "[]", "null", '"' * 1000, "[" * 1000:
        refuse("vnpu-model", 2, words, "run", "--host", FILES.write("bad.json", text))
    shards = listed("list")["shards"]
    for words, change in [
            (["made by no shard before"], {"shards": shards[1:]}),
            (["output 't9' is made by no shard"], {"outputs": ["t9"]}),
            (["is made twice"], {"shards": [shards[0], *shards]}),
            (["by", "it has 1, 2 and 1"], {"shards": [{**shards[0], "inputs": ["x", "x"]}]}),
            (["list_9.onnx"], {"shards": [{**shards[0], "file": "list_9.onnx"}]}),
            (["has f32"], {"inputs": [{"name": "x", "type": "f32", "shape": [1, 16]}]})]:
        refuse("vnpu-model", 2, words, "run", "--host",
               FILES.write("bad.json", json.dumps({**listed("list"), **change})))


@test
def text_and_json_have_the_same_content():
    path = FILES.write("layers.onnx", layers())
    status, text, _ = call("vnpu-model", "split", "-n3", "-o", FILES.path("layers"), path)
    assert status == 0
    for shard in split("layers", layers(), "-n3")["shards"]:
        assert shard["file"] in text, text
    # Without -o, files are in the current folder.
    tool = os.path.abspath(f"{DIR}/vnpu-model")
    os.makedirs(FILES.path("here"), exist_ok=True)
    subprocess.run([tool, "split", "-n2", path], cwd=FILES.path("here"), check=True,
                   stdout=subprocess.DEVNULL)
    assert sorted(os.listdir(FILES.path("here"))) == ["layers.json", "layers_0.onnx",
                                                      "layers_1.onnx"]


@test
def random_graphs():
    """Values of random nodes are used by any later nodes."""
    for seed in range(6):
        source = random.Random(seed)
        m = Model("random")
        m.input("x", [4, 8])
        values = ["x"]
        for i in range(24):
            kind = source.choice(["Tanh", "Add", "Mul", "MatMul", "Relu", "Transpose", "Concat"])
            a, b = (source.choice(values[-6:]) for _ in range(2))
            name = f"v{i}"
            if kind in ("Tanh", "Relu"):
                m.node(kind, [a], [name])
            elif kind == "MatMul":
                m.constant(f"w{i}", [8, 8], numbers(i, 64))
                m.node(kind, [a, f"w{i}"], [name])
            elif kind == "Transpose":
                m.node(kind, [a], [f"t{i}"], perm=[1, 0])
                m.node("Sigmoid", [f"t{i}"], [f"s{i}"])
                m.node(kind, [f"s{i}"], [name], perm=[1, 0])
            elif kind == "Concat":
                m.node(kind, [a, b], [f"t{i}"], axis=1)
                m.constant(f"w{i}", [16, 8], numbers(i, 128))
                m.node("MatMul", [f"t{i}", f"w{i}"], [name])
            else:
                m.node(kind, [a, b], [name])
            values.append(name)
        m.output(values[-1])
        m.output(values[12])
        check("random", m, "-n", str(2 + seed % 4))


if __name__ == "__main__":
    raise SystemExit(main())
