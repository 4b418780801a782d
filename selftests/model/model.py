#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""vnpu-model: its commands, and the files of tensors that it reads and writes."""

import json
import os
import re
import shutil
import struct
import subprocess
import sys

from harness import (DIR, FILES, FLOAT, INT64, Model, affine, call, compile_model, info, main,
                     npy, outputs_of, refuse, run, tensor, test)

HOST = "--host"
EXPECTED = [1.0, 3.0, 5.0, 7.0, 9.0, 11.0]


def affine_file():
    return compile_model(affine())[0]


def described(command, path, *args):
    status, out, err = call("vnpu-model", command, "--json", *args, path)
    assert (status, err) == (0, ""), (status, err)
    return json.loads(out)


@test
def help_and_wrong_command_lines():
    status, out, err = call("vnpu-model", "--help")
    assert status == 0 and out.startswith("usage: vnpu-model") and err == ""
    path = affine_file()
    for words, args in [
            (["the command is missing"], []), (["'walk'"], ["walk"]),
            (["'-x' is no option"], ["info", "-xy", path]),
            (["'--json=5' has a value"], ["info", "--json=5", path]),
            (["the model is missing"], ["info"]), (["only one model"], ["info", path, path]),
            (["'--nothing' is no option"], ["check", "--nothing", path]),
            (["without its value"], ["run", path, "--input"]),
            (["--loop=0"], ["run", "--loop=0", path]),
            (["--seed=-1"], ["run", "--seed=-1", path]),
            (["--rtol=-1"], ["run", "--rtol=-1", path]),
            (["--format=gif"], ["run", "--format=gif", path]),
            (["--sizes=a"], ["run", "--sizes=a", path]),
            (["--gear=1", "gears 0 to 0"], ["memory", "--gear=1", path]),
            (["1 inputs, given 2"], ["run", "--input=a", "--input=b", path]),
            (["1 outputs, given 2"], ["run", "--expect=a", "--expect=b", path])]:
        out = refuse("vnpu-model", 1, words, *args)
        assert out == "", out


@test
def text_and_json_have_the_same_content():
    path = affine_file()
    for command in ["info", "memory", "check", "ops"]:
        status, text, _ = call("vnpu-model", command, path)
        assert status == 0

        def values(part):
            if isinstance(part, dict):
                part = part.values()
            elif not isinstance(part, list):
                yield part
                return
            for entry in part:
                yield from values(entry)

        for value in values(described(command, path)):
            if isinstance(value, str) and value != "NCHW" and value != "ND":
                assert value in text, (command, value, text)


@test
def damaged_models_are_refused():
    path = affine_file()
    content = FILES.read("m.om")
    for at in range(0, len(content), len(content) // 30):
        changed = content[:at] + bytes([content[at] ^ 255]) + content[at + 1:]
        refuse("vnpu-model", 2, ["no valid model"], "check", FILES.write("d.om", changed))
        refuse("vnpu-model", 2, ["no valid model"], "info",
               FILES.write("d.om", content[:at]))
    refuse("vnpu-model", 2, ["cannot be opened"], "info", "/nonexistent")
    refuse("vnpu-model", 2, ["card", "ONNX"], "run", FILES.write("c.om", b"IMOD" * 999))
    assert described("check", path) == {"status": "valid", "gear_count": 1, "steps": 1}


def chain(length, size):
    """Products, one after the other, the last with the first."""
    m = Model()
    m.input("x", [size, size])
    for i in range(length):
        m.node("MatMul", [f"v{i - 1}" if i else "x", "x"], [f"v{i}"])
    m.node("MatMul", [f"v{length - 1}", "v0"], ["z"])
    m.node("Exp", ["z"], ["y"])
    m.output("y")
    return m


@test
def memory_of_tensors():
    path, _ = compile_model(chain(4, 8))
    svg = FILES.path("m.svg")
    m = described("memory", path, f"--svg={svg}")
    tensors = {t["node"]: t for t in m["tensors"]}
    lives = {n: (t["first_step"], t["last_step"]) for n, t in tensors.items()}
    assert lives == {"v0": (0, 4), "v1": (1, 2), "v2": (2, 3), "v3": (3, 4), "z": (4, 5)}, lives
    for a in m["tensors"]:
        assert a["offset_bytes"] + a["size_bytes"] <= m["work_bytes"]
        for b in m["tensors"]:
            apart = (a["offset_bytes"] + a["size_bytes"] <= b["offset_bytes"]
                     or b["offset_bytes"] + b["size_bytes"] <= a["offset_bytes"]
                     or a["last_step"] < b["first_step"] or b["last_step"] < a["first_step"])
            assert a is b or apart or a["in_place"] or b["in_place"], (a, b)
    picture = FILES.read("m.svg").decode()
    assert picture.startswith("<svg ") and picture.count("<rect ") == 5
    assert "v0 (MatMul): 256 bytes" in picture and picture.endswith("</svg>\n")
    refuse("vnpu-model", 4, ["cannot be written"], "memory", "--svg=/nonexistent/m.svg", path)


@test
def places_that_are_used_again_are_other_tensors():
    m = Model()
    m.input("x", [8, 8])
    m.node("Relu", ["x"], ["a"])
    m.node("Exp", ["a"], ["b"])
    m.node("MatMul", ["b", "b"], ["c"])
    m.node("MatMul", ["c", "c"], ["d"])
    m.node("MatMul", ["d", "d"], ["y"])
    m.output("y")
    # Otherwise the first two are one step.
    path, _ = compile_model(m, "--fusion_switch_file=" + FILES.write(
        "fusion", "elementwise-chains: off"))
    found = [(t["node"], t["first_step"], t["last_step"], t["in_place"])
             for t in described("memory", path)["tensors"]]
    assert found == [("a", 0, 1, False), ("b", 1, 2, True), ("c", 2, 3, False),
                     ("d", 3, 4, False)], found


@test
def operators():
    table = json.loads(call("vnpu-model", "ops", "--json")[1])["operators"]
    assert len(table) > 140
    assert {"opsets": "1-17", "inputs": "2-2", "name": "MatMul"} in table
    one = json.loads(call("vnpu-model", "ops", "--json", "--op=Resize")[1])["operators"]
    assert one == [{"opsets": "10-17", "inputs": "1-4", "name": "Resize"}]
    refuse("vnpu-model", 3, ["'Frobnicate'"], "ops", "--op=Frobnicate")
    m = affine()
    m.node("Frobnicate", ["y"], ["z"], domain="com.example")
    status, out, _ = call("vnpu-model", "ops", "--json", FILES.write("f.onnx", m))
    assert status == 3
    content = json.loads(out)
    assert content["missing"] == 1 and content["opset"] == 13
    assert [(o["name"], o["nodes"], o["supported"]) for o in content["operators"]] == [
        ("Add", 1, True), ("Mul", 1, True), ("Frobnicate", 1, False)]
    used = described("ops", affine_file())["operators"]
    assert used == [{"steps": 1, "name": "MultiplyAdd"}], used
    refuse("vnpu-model", 2, ["no ONNX model"], "ops", FILES.write("bad", b"\xff\xff\xff"))


@test
def inputs_of_all_formats():
    path = affine_file()
    values = [0.0, 1, 2, 3, 4, 5]
    data = struct.pack("<6f", *values)
    head = tensor("x", [2, 3], [], FLOAT)
    packed = head[:head.rindex(b"\x4a")] + b"\x22\x18" + data
    for name, content in [("i.bin", data), ("i.npy", npy([2, 3], values)),
                          ("i.pb", tensor("x", [2, 3], values)), ("p.pb", packed)]:
        given = outputs_of(path, FILES.write(name, content))
        assert given == EXPECTED, (name, given)


@test
def damaged_inputs_are_refused():
    path = affine_file()
    array, proto = npy([2, 3], [1.0] * 6), tensor("x", [2, 3], [1.0] * 6)
    for size in range(0, len(array), 7):
        refuse("vnpu-model", 2, ["x.npy"], "run", "--host",
               "--input=" + FILES.write("x.npy", array[:size]), path)
    for size in range(0, len(proto), 2):
        refuse("vnpu-model", 2, ["x.pb"], "run", "--host",
               "--input=" + FILES.write("x.pb", proto[:size]), path)
    for words, old, new in [(["type '>f4"], b"<f4", b">f4"), (["order"], b"False", b"True "),
                            (["no shape"], b"'shape'", b"'shame'"),
                            (["type ?"], b"descr", b"decsr"),
                            (["damaged"], b"(2, 3)", b"(2,-3)"), (["shape"], b"(2, 3)", b"(2, 4)"),
                            (["damaged"], b"(2, 3)", b"(99999")]:
        refuse("vnpu-model", 2, words, "run", "--host",
               "--input=" + FILES.write("x.npy", array.replace(old, new)), path)
    for content in [npy([3, 2, 2], [1.0] * 12), npy([2, 3], [1] * 6, INT64)]:
        refuse("vnpu-model", 2, ["'x' is f32 2,3, 24 bytes"], "run", "--host",
               "--input=" + FILES.write("x.npy", content), path)
    refuse("vnpu-model", 2, ["bytes, 23 bytes"], "run", "--host",
           "--input=" + FILES.write("x.bin", b"1" * 23), path)


@test
def outputs_are_compared():
    path = affine_file()
    x = FILES.write("x.npy", npy([2, 3], [0.0, 1, 2, 3, 4, 5]))
    good = FILES.write("good.npy", npy([2, 3], EXPECTED))
    near = FILES.write("near.pb", tensor("y", [2, 3], [v * 1.0005 for v in EXPECTED]))
    wrong = FILES.write("wrong.bin", struct.pack("<6f", *EXPECTED[:5], 12))
    nan = FILES.write("nan.npy", npy([2, 3], [float("nan")] + EXPECTED[1:]))
    assert run(path, x, options=[f"--expect={good}"])["outputs"][0]["result"] == "equal"
    assert run(path, x, options=[f"--expect={near}"])["outputs"][0]["wrong"] == 0
    out = run(path, x, options=[f"--expect={near}", "--rtol=1e-4"], status=3)["outputs"][0]
    assert (out["result"], out["wrong"]) == ("differs", 6)
    assert run(path, x, options=[f"--expect={wrong}"], status=3)["outputs"][0]["wrong"] == 1
    assert run(path, x, options=[f"--expect={nan}"], status=3)["outputs"][0]["wrong"] == 1
    zeros = FILES.write("zeros.npy", npy([2, 3], [-0.5, 0.0, 0, 0, 0, 0]))
    signs = FILES.write("signs.npy", npy([2, 3], [-0.0] + [1.0] * 5))
    out = run(path, zeros, options=[f"--expect={signs}", "--rtol=0", "--atol=0"])["outputs"][0]
    assert (out["result"], out["wrong"]) == ("equal", 0)
    refuse("vnpu-model", 3, ["element 5 of 6 is 11, expected 12"], "run", "--host",
           f"--input={x}", f"--expect={wrong}", path)
    refuse("vnpu-model", 2, ["the output is f32 2,3"], "run", "--host", f"--input={x}",
           "--expect=" + FILES.write("s.npy", npy([2], [1.0, 2])), path)


@test
def outputs_of_all_formats():
    path = affine_file()
    x = FILES.write("x.npy", npy([2, 3], [0.0, 1, 2, 3, 4, 5]))
    where = "--output=" + FILES.path("out")
    run(path, x, options=[where])
    assert FILES.read("out/output_0.npy") == npy([2, 3], EXPECTED)
    run(path, x, options=[where, "--format=TXT"])
    assert FILES.read("out/output_0.txt") == b"1\n3\n5\n7\n9\n11\n"
    refuse("vnpu-model", 4, ["cannot be created"], "run", "--host", f"--input={x}",
           "--output=/nonexistent/out", path)


@test
def random_inputs_have_a_seed():
    path = affine_file()
    first = outputs_of(path)
    assert first == outputs_of(path) and len(set(first)) == 6
    assert all(1 <= v < 3 for v in first)
    assert first != outputs_of(path, options=["--seed=2"])
    assert run(path, options=["--loop=5"])["runs"] == 5


def several(*commands):
    """Run models on the host, one after the other."""
    status, out, err = call("vnpu-model", "run", "--host", "--json", *commands)
    assert status == 0, (out, err)
    return json.loads(out)


@test
def parts_run_one_after_the_other():
    one = affine_file()
    x = FILES.write("x.npy", npy([2, 3], range(6)))
    y = FILES.write("y.npy", npy([2, 3], [8 * v + 7 for v in range(6)]))
    out = several("--loop=2", f"--input={x}", f"--expect={y}", one, one, one)
    assert out["runs"] == 2 and out["outputs"][0]["result"] == "equal"
    assert out["load_ms"] >= 0 and out["least_ms"] > 0
    # Of several gears, a part has that of its inputs.
    gears, _ = compile_model(affine(["n", 3]), "--input_shape=x:-1,3",
                             "--dynamic_dims=1;2;4", name="gears")
    out = several(f"--input={x}", one, gears)
    assert out["gear"] == 1 and out["outputs"][0]["shape"] == [2, 3]
    other, _ = compile_model(affine([3, 4]), name="other")
    two = Model()
    two.input("a", [2, 3])
    two.input("b", [2, 3])
    two.node("Add", ["a", "b"], ["c"])
    two.output("c")
    both, _ = compile_model(two, name="two")
    gears, _ = compile_model(affine(["n", 3]), "--input_shape=x:-1,3",
                             "--dynamic_dims=1;4", name="gears")
    for words, parts in [(["24 bytes", "48 bytes"], [one, other]),
                         (["2 inputs", "1 outputs"], [one, both]),
                         (["no gear"], [one, gears])]:
        refuse("vnpu-model", 2, words, "run", "--host", *parts)


@test
def sizes_that_elements_decide():
    m = Model()
    m.input("x", [2, 3], INT64)
    m.node("NonZero", ["x"], ["y"])
    m.output("y")
    path, _ = compile_model(m)
    assert info(path)["outputs"][0]["data_dependent"]
    x = FILES.write("x.npy", npy([2, 3], [0, 7, 0, 0, 0, 1], INT64))
    y = FILES.write("y.npy", npy([2, 2], [0, 1, 1, 2], INT64))
    out = run(path, x, options=[f"--expect={y}"])["outputs"][0]
    assert (out["shape"], out["result"]) == ([2, 2], "equal")


@test
def errors_of_a_run():
    m = Model()
    m.input("x", [1], INT64)
    m.constant("t", [3], [1.0, 2, 3])
    m.node("Gather", ["t", "x"], ["y"], name="pick")
    m.output("y")
    path, _ = compile_model(m)
    assert run(path, FILES.write("x.npy", npy([1], [2], INT64)))["outputs"][0]["shape"] == [1]
    refuse("vnpu-model", 4, ["'pick' (Gather)", "index"], "run", "--host",
           "--input=" + FILES.write("x.npy", npy([1], [3], INT64)), path)


@test
def other_names():
    path = affine_file()
    x = FILES.write("x.bin", struct.pack("<6f", 0, 1, 2, 3, 4, 5))
    status, out, _ = call("msame", "--model", path, "--input", x, "--output", FILES.path("ms"),
                          "--outfmt", "TXT", "--loop", "2", "--debug=true", HOST)
    assert status == 0 and "runs                 2" in out
    assert FILES.read("ms/output_0.txt") == b"1\n3\n5\n7\n9\n11\n"
    status, out, _ = call("msame", f"--model={path}", "--analyze=memory")
    assert status == 0 and "work memory" in out
    status, out, _ = call("msame", "--query_op", "--op_name=MatMul", "--soc_version=x")
    assert status == 0 and "MatMul" in out
    many, _ = compile_model(affine(["n", "m"]), "--input_shape=x:-1,-1",
                            "--dynamic_dims=1,2;3,4")
    status, out, _ = call("msame", "--model", many, "--dymDims", "x:3,4", HOST)
    assert status == 0 and "3,4" in out
    # All sizes, with those that gears share, as programs give them.
    some, _ = compile_model(affine(["n", "m"]), "--input_shape=x:-1,3", "--dynamic_dims=2;4")
    status, out, _ = call("msame", "--model", some, "--dymDims", "x:2,3", HOST)
    assert status == 0 and "2,3" in out
    refuse("msame", 1, ["no such gear"], "--model", some, "--dymDims", "x:2,4", HOST)
    status, out, _ = call("mscheck", f"--model={path}", "--check=io_format")
    assert status == 0 and "valid" in out and "shift:0:y" in out
    for tool in ["msame", "mscheck"]:
        assert call(tool, "--help")[1].startswith(f"usage: {tool} ")
        assert call(tool, "--version")[1].startswith(f"{tool} (vnpu) ")
        refuse(tool, 1, ["'more' belongs to no option"], f"--model={path}", "more")
        refuse(tool, 1, ["'--bogus' is no option", f"try {tool} --help"], "--bogus")
        refuse(tool, 1, ["'--model' is without its value"], "--model")
    _, _, err = call("msame", "--query_op", "--device", "0", "--debug=1", "--profiler=1")
    assert err.startswith("msame: note: ") and err.count("no effect") == 1, err
    refuse("msame", 1, ["--input=,"], f"--model={path}", "--input=,")
    refuse("msame", 1, ["--model is missing"])
    refuse("msame", 1, ["must be memory"], f"--model={path}", "--analyze=time")
    refuse("mscheck", 1, ["must be io_format"], f"--model={path}", "--check=x")
    refuse("mscheck", 2, ["no valid model"], "--model=" + x)


@test
def a_device_is_needed_without_host():
    if not os.path.exists("/dev/vnpu"):
        refuse("vnpu-model", 4, ["/dev/vnpu"], "run", affine_file())


@test
def a_full_disk_is_an_error():
    path = affine_file()
    for command in ["info", "check", "memory", "ops"]:
        with open("/dev/full", "w", encoding="utf-8") as full:
            assert subprocess.run([f"{DIR}/vnpu-model", command, path], stdout=full,
                                  stderr=subprocess.PIPE, check=False).returncode == 4


@test
def the_network_of_the_examples():
    subprocess.run([sys.executable, "lib/examples/network.py", FILES.dir.name], check=True)
    with open(FILES.path("network.onnx"), "rb") as f:
        model = f.read()
    path, _ = compile_model(model, "--input_shape=image:1,1,16,16")
    out = run(path, FILES.path("input.npy"), options=["--expect=" + FILES.path("expected.npy")])
    assert out["outputs"][0]["result"] == "equal"


@test
def the_example_of_the_documentation():
    with open("Documentation/models.md", encoding="utf-8") as f:
        blocks = f.read().split("```")
    where = FILES.dir.name
    commands = blocks[1].replace("/tmp", where).replace("build/cann/bin/", DIR + "/")
    commands = commands.replace("build/bin/", DIR + "/")
    done = subprocess.run(["sh", "-ec", commands], capture_output=True, check=False)
    out = done.stdout.decode()
    assert done.returncode == 0, (out, done.stderr)
    for line in blocks[3].strip().splitlines():
        assert line in out, (line, out)
    assert "equal" in out.splitlines()[-1], out


@test
def manuals_have_every_option():
    for tool, page in [("atc", "tools/atc/atc.1"),
                       ("vnpu-model", "tools/vnpu-model/vnpu-model.1")]:
        with open(page, encoding="utf-8") as f:
            manual = f.read().replace("\\-", "-")
        for option in set(re.findall(r"--[a-z0-9_]+", call(tool, "--help")[1])):
            assert option in manual, (page, option)
        if shutil.which("mandoc"):
            subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], check=True)


if __name__ == "__main__":
    raise SystemExit(main())
