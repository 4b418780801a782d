#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""atc: its options, and its errors."""

import json
import os
import re
import stat
import struct

from harness import (FILES, FLOAT16, INT64, START, SUCCESS, UINT8, Model, affine, call,
                     compile_model, info, main, npy, outputs_of, refuse, refuse_model, run,
                     test)


def array(values, dims, **kind):
    return FILES.write("x.npy", npy(dims, values, **kind))


@test
def a_model_is_compiled():
    path, err = compile_model(affine())
    assert err == ""
    m = info(path)
    assert m["inputs"][0]["name"] == "x" and m["inputs"][0]["shape"] == [2, 3]
    # A step: the product and the sum are one operator.
    assert m["outputs"][0]["name"] == "shift:0:y" and m["gears"][0]["steps"] == 1
    assert outputs_of(path, array(range(6), [2, 3])) == [1, 3, 5, 7, 9, 11]


@test
def an_output_may_have_its_ending():
    compile_model(affine(), f"--output={FILES.path('ended.om')}")
    assert os.path.exists(FILES.path("ended.om"))
    assert not os.path.exists(FILES.path("ended.om.om"))


@test
def values_may_be_arguments_of_their_own():
    source = FILES.write("m.onnx", affine())
    status, out, _ = call("atc", "--model", source, "--framework", "5", "--output",
                          FILES.path("spaced"))
    assert (status, out) == (0, START + SUCCESS)


@test
def help_and_version():
    status, out, err = call("atc", "--help")
    assert status == 0 and out.startswith("usage: atc") and err == ""
    assert call("atc", "-v")[1].startswith("atc (vnpu) ")


@test
def wrong_command_lines_are_refused():
    for words, args in [
            (["--model is missing"], []),
            (["--output is missing"], ["--model=x"]),
            (["--framework is missing"], ["--model=x", "--output=y"]),
            (["--output=y/ is a directory"], ["--model=x", "--output=y/"]),
            (["--modle", "did you mean --model"], ["--modle=x"]),
            (["--input_shpae", "--input_shape"], ["--input_shpae=x"]),
            (["--zzzzzzzzzzz", "atc --help"], ["--zzzzzzzzzzz=1"]),
            (["--weight", "Caffe", "ONNX"], ["--weight=w"]),
            (["--compression_optimize_conf", "vnpu-model tune"],
             ["--compression_optimize_conf=x"]),
            (["--distributed_cluster_build", "vnpu-model split"],
             ["--distributed_cluster_build=1"]),
            (["--cluster_config", "one device"], ["--cluster_config", "x"]),
            (["--shard_model_dir", "one device"], ["--shard_model_dir=x"]),
            (["Caffe", "--framework=5"], ["--framework=0"]),
            (["TensorFlow", "tf2onnx"], ["--framework=3"]),
            (["MindSpore"], ["--framework=1"]),
            (["must be 5"], ["--framework=5x"]),
            (["--mode=2", "must be 0"], ["--mode=2"]),
            (["--input_format=X", "NCHW"], ["--input_format=X"]),
            (["--log=loud", "debug"], ["--log=loud"]),
            (["--disable_reuse_memory=2"], ["--disable_reuse_memory=2"]),
            (["--model", "empty"], ["--model="]),
            (["--model needs a value"], ["--model"]),
            (["'model.onnx' is no option"], ["model.onnx"]),
            (["--om is missing", "--mode=6"], ["--mode=6"]),
            (["--json is missing"], ["--mode=1", "--om=x"])]:
        out = refuse("atc", 1, words, *args)
        assert out == "ATC run failed\n", out


@test
def options_about_cards_are_noted():
    _, err = compile_model(affine(), "--buffer_optimize=off_optimize", "--log=error",
                           "--op_select_implmode=high_precision",
                           "--precision_mode=allow_fp32_to_fp16")
    assert err.splitlines() == [
        "atc: note: --buffer_optimize has no effect here",
        "atc: note: --op_select_implmode has no effect here",
        "atc: note: --precision_mode=allow_fp32_to_fp16: operators compute in f32, "
        "so results are more precise"]
    _, err = compile_model(affine(), "--jit_compile=0", "--deterministic_level=1",
                           "--export_compile_stat", "0")
    assert err.count("has no effect here") == 3, err


@test
def unknown_chips_are_noted():
    with open("driver/base/soc.c", encoding="ascii") as f:
        chips = re.findall(r'^\t{ "(\w+)", "(\w+)",', f.read(), re.M)
    assert len(chips) > 3
    for name in [name.lower() for chip in chips for name in chip]:
        assert compile_model(affine(), f"--soc_version={name}")[1] == ""
    _, err = compile_model(affine(), "--soc_version=Ascend310B1")
    assert err.startswith("atc: note: --soc_version=Ascend310B1: no device emulates"), err
    for short, _ in chips:
        assert re.search(rf"\b{short}\b", err)
        assert re.search(rf"\b{short}\b", call("atc", "--help")[1])


@test
def shapes_are_given():
    model = affine(["batch", 3])
    refuse_model(["input 'x'", "give its shape", "--input_shape="], model)
    path, _ = compile_model(model, "--input_shape=x:4,3")
    assert info(path)["inputs"][0]["shape"] == [4, 3]
    for words, shape in [
            (["no input 'y'"], "y:1,3"), (["2 dimensions, given 3"], "x:1,2,3"),
            (["NAME:N,N"], "x"), (["'a,3'", "size"], "x:a,3"), (["'0,3'"], "x:0,3"),
            (["given 4 in dimension 1"], "x:2,4"), (["twice"], "x:1,3;x:1,3"),
            (["more than 100"], "x:1~101,3"), (["empty"], "x:4~1,3"),
            (["-1", "--dynamic_dims"], "x:-1,3"),
            (["at most 8"], "x:1,1,1,1,1,1,1,1,1"), (["size"], "x:1,"),
            (["elements are supported"], "x:140737488355328,3"),
            (["99999999999999999999"], "x:99999999999999999999")]:
        refuse_model(words, model, f"--input_shape={shape}")


@test
def gears():
    model = affine(["n", "m"])
    path, _ = compile_model(model, "--input_shape=x:-1,3", "--dynamic_batch_size=1,4,2")
    m = info(path)
    assert m["inputs"][0]["shape"] == [-1, 3] and m["outputs"][0]["shape"] == [-1, 3]
    assert [g["sizes"] for g in m["gears"]] == [[1], [4], [2]]
    assert outputs_of(path, array([1, 2, 3], [1, 3]), options=["--sizes=1"]) == [3, 5, 7]
    assert run(path)["outputs"][0]["shape"] == [4, 3]
    path, _ = compile_model(model, "--input_shape=x:-1,-1", "--dynamic_dims=1,2;3,4")
    assert [g["sizes"] for g in info(path)["gears"]] == [[1, 2], [3, 4]]
    refuse("vnpu-model", 1, ["no such gear"], "run", "--sizes=1,4", path)
    path, _ = compile_model(model, "--input_shape=x:2,-1", "--dynamic_dims=3;5")
    assert [g["sizes"] for g in info(path)["gears"]] == [[3], [5]]
    refuse_model(["expected ';'"], model, "--input_shape=x:2,-1", "--dynamic_dims=3,5")
    image = affine([1, 3, "h", "w"])
    path, _ = compile_model(image, "--input_shape=x:1,3,-1,-1",
                            "--dynamic_image_size=8,6;4,2")
    assert [g["sizes"] for g in info(path)["gears"]] == [[8, 6], [4, 2]]


@test
def ranges():
    model = affine(["n", "m"])
    for option in ["--input_shape_range=x:[1~2,2~3]", "--input_shape=x:1~2,2~3"]:
        path, _ = compile_model(model, option)
        m = info(path)
        assert m["inputs"][0]["shape"] == [-1, -1] and m["outputs"][0]["shape"] == [-1, -1]
        assert [g["sizes"] for g in m["gears"]] == [[1, 2], [1, 3], [2, 2], [2, 3]]
        assert outputs_of(path, array([1, 2, 3], [1, 3]),
                          options=["--sizes=1,3"]) == [3, 5, 7]
    path, _ = compile_model(model, "--input_shape_range=x:[2,3~3]")
    assert info(path)["inputs"][0]["shape"] == [2, 3]
    for words, options in [
            (["without a limit"], ["--input_shape_range=x:[-1,3]"]),
            (["not closed"], ["--input_shape_range=x:[1,3"]),
            (["is not [N,"], ["--input_shape_range=x:[1~2,]"]),
            (["twice"], ["--input_shape_range=x:[1,3];x:[1,3]"]),
            (["NAME:"], ["--input_shape_range=[1,3]"]),
            (["no input"], ["--input_shape_range=;"]),
            (["no input 'y'"], ["--input_shape_range=y:[1~2,3]"]),
            (["exclude"], ["--input_shape_range=x:[1~2,3]", "--dynamic_batch_size=1,2"]),
            (["exclude"], ["--input_shape_range=x:[1~2,3]", "--input_shape=x:1,3"])]:
        refuse_model(words, model, *options)


@test
def wrong_gears_are_refused():
    model = affine(["n", "m"])
    free = "--input_shape=x:-1,3"
    for words, options in [
            (["-1"], ["--dynamic_batch_size=1,2"]),
            (["two gears"], [free, "--dynamic_batch_size=1"]),
            (["size"], [free, "--dynamic_batch_size=1,x"]),
            (["more than 100"],
             [free, "--dynamic_batch_size=" + ",".join(map(str, range(1, 102)))]),
            (["gears 0 and 2 are the same"], [free, "--dynamic_batch_size=1,2,1"]),
            (["exclude"], [free, "--dynamic_batch_size=1,2", "--dynamic_dims=1;2"]),
            (["dimension 1", "dimension 0"],
             ["--input_shape=x:2,-1", "--dynamic_batch_size=1,2"]),
            (["for dimension 2 and the next"],
             ["--input_shape=x:-1,3", "--dynamic_image_size=1,2;3,4"]),
            (["2 sizes"], ["--input_shape=x:-1,-1", "--dynamic_dims=1;2"]),
            (["expected ';'"], ["--input_shape=x:-1,-1", "--dynamic_dims=1,2,3;4,5,6"])]:
        refuse_model(words, model, *options)


@test
def other_outputs():
    path, _ = compile_model(affine(), "--out_nodes=scale:0;y")
    assert [o["name"] for o in info(path)["outputs"]] == ["scale:0:doubled", "shift:0:y"]
    assert outputs_of(path, array(range(6), [2, 3])) == [0, 2, 4, 6, 8, 10]
    refuse_model(["no node or tensor 'nothing:0'"], affine(), "--out_nodes=nothing:0")
    refuse_model(["'scale' (Mul) has 1 outputs"], affine(), "--out_nodes=scale:1")


@test
def other_types():
    path, _ = compile_model(affine(), "--output_type=FP16", "--input_fp16_nodes=x")
    m = info(path)
    assert m["inputs"][0]["type"] == "f16" and m["outputs"][0]["type"] == "f16"
    run(path, array(range(6), [2, 3], kind=FLOAT16),
        options=(f"--output={FILES.path('half')}", "--format=bin"))
    assert struct.unpack("<6e", FILES.read("half/output_0.bin")) == (1, 3, 5, 7, 9, 11)
    path, _ = compile_model(affine(), "--output_type=shift:0:UINT8")
    assert info(path)["outputs"][0]["type"] == "u8"
    refuse_model(["'FP8'", "FP16"], affine(), "--output_type=FP8")
    refuse_model(["'scale:0'", "no output"], affine(), "--output_type=scale:0:FP16")
    refuse_model(["no input 'z'", "'x'"], affine(), "--input_fp16_nodes=z")


@test
def memory_without_reuse():
    m = Model()
    m.input("x", [64, 64])
    m.node("MatMul", ["x", "x"], ["a"])
    m.node("MatMul", ["a", "x"], ["b"])
    m.node("MatMul", ["b", "x"], ["c"])
    m.node("MatMul", ["c", "x"], ["y"])
    m.output("y")
    shared, _ = compile_model(m, "--disable_reuse_memory=0")
    assert info(shared)["work_bytes"] == 2 * 64 * 64 * 4
    apart, _ = compile_model(m, "--disable_reuse_memory=1")
    assert info(apart)["work_bytes"] == 3 * 64 * 64 * 4


@test
def the_file_of_rules_has_all_passes():
    with open("tools/atc/fusion_rules.cfg", encoding="ascii") as f:
        rules = f.read()
    path, err = compile_model(affine(), "--fusion_switch_file=" + FILES.write("rules", rules))
    assert err == "" and info(path)["gears"][0]["steps"] == 1
    with open("lib/graph/pass/pass.c", encoding="ascii") as f:
        passes = re.findall(r'^\t{ "([a-z-]+)", "', f.read(), re.M)
    assert len(passes) > 10
    for name in passes + ["elementwise-chains"]:
        assert f"\n{name}=on\n" in rules, name
    # Each name is known: there is no note, and without any, products and sums stay apart.
    path, err = compile_model(affine(), "--fusion_switch_file=" +
                              FILES.write("rules", rules.replace("=on", "=off")))
    assert err == "" and info(path)["gears"][0]["steps"] == 2


@test
def passes_are_switched_off():
    for content in ['{"Switch": {"GraphFusion": {"multiply-add": "off", '
                    '"elementwise-chains": "off"}}}',
                    '{"Switch": {"GraphFusion": {"MulAddFusionPass": "off"}, '
                    '"UBFusion": {"ALL": "off"}}}',
                    '{"Switch": {"GraphFusion": {"MulAddFusionPass": "off"}, '
                    '"UBFusion": {"TbeEltwiseFusionPass": "off"}}}',
                    '{"Switch": {"GraphFusion": {"ALL": "off", "bias": "on"}}}',
                    "[ascend_op]\nop_fusion_switch=off\n# a comment\n",
                    "multiply-add : off\r\nelementwise-chains: off"]:
        path, err = compile_model(affine(),
                                  "--fusion_switch_file=" + FILES.write("fusion", content))
        assert info(path)["gears"][0]["steps"] == 2 and err == "", content
    # The chain of the product and the sum is one step, too.
    path, _ = compile_model(affine(), "--fusion_switch_file=" + FILES.write(
        "fusion", "multiply-add=off"))
    assert info(path)["gears"][0]["steps"] == 1
    _, err = compile_model(affine(), "--fusion_switch_file=" + FILES.write(
        "fusion", '{"Switch": {"UBFusion": {"ALL": "off", "SomePass": "off"}}}'))
    assert err.count("\n") == 1 and "'SomePass'" in err, err
    for words, content in [(["not valid JSON", "end is missing"], "{"),
                           (["not valid JSON"], "{]"),
                           (["'more?' follows"], '{"Switch": {}} more\n'),
                           (["'ALL' is 'null'"], '{"Switch": {"GraphFusion": {"ALL": null}}}'),
                           (["'bias' is 'null'"], '{"Switch": {"UBFusion": {"bias": null}}}'),
                           (["'GraphFusion' must be"], '{"Switch": {"GraphFusion": "off"}}'),
                           (["no object 'Switch'"], "{}"),
                           (["must be on or off"], "bias=maybe"),
                           (["line 2", "NAME=on|off"], "\nhello"),
                           (["byte 0"], b"bias=off\0")]:
        refuse_model(words, affine(), "--fusion_switch_file=" + FILES.write("fusion", content))
    refuse_model(["cannot be opened"], affine(), "--fusion_switch_file=/nonexistent")


@test
def a_report_is_written():
    report = FILES.path("report.json")
    compile_model(affine(), f"--report={report}")
    with open(report, encoding="utf-8") as f:
        content = json.load(f)
    changes = {p["name"]: p["changes"] for p in content["passes"]}
    assert changes["multiply-add"] == 1 and changes["bias"] == 0
    assert content["gears"][0]["nodes_read"] == 2 and content["gears"][0]["steps"] == 1
    off, on = content["gain"]
    assert (off["launches"], on["launches"]) == (2, 1)
    assert (off["traffic_bytes"], on["traffic_bytes"]) == (2 * 52, 56)
    assert (off["work_bytes"], on["work_bytes"]) == (64, 0)
    assert content["fusion"] == {"fusable": 2, "alone": 0, "coverage": 1}
    assert content["critical_path"] == {"launches": 1, "all_launches": 1, "traffic_bytes": 56,
                                        "all_traffic_bytes": 56}
    status, out, _ = call("atc", "--model=" + FILES.path("m.onnx"), "--framework=5",
                          "--mode=3", "--log=info")
    assert status == 0 and "multiply-add" in out and out.endswith(SUCCESS)


@test
def models_are_described():
    path, _ = compile_model(affine())
    status, out, _ = call("atc", "--mode=6", f"--om={path}")
    assert status == 0 and "shift:0:y" in out
    status, out, _ = call("atc", "--mode=1", f"--om={path}", f"--json={FILES.path('d.json')}")
    assert (status, out) == (0, START + SUCCESS)
    assert json.loads(FILES.read("d.json")) == info(path)


@test
def pipes_are_written_to():
    path, _ = compile_model(affine())
    pipe = FILES.path("pipe")
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    status, out, err = call("atc", "--mode=1", f"--om={path}", f"--json={pipe}")
    assert (status, out) == (0, START + SUCCESS), err
    assert json.loads(os.read(end, 65536)) == info(path)
    os.close(end)
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)


@test
def files_that_cannot_be_used():
    good = ["--framework=5", "--output=" + FILES.path("bad")]
    refuse("atc", 1, ["cannot be opened", "No such file"], "--model=/nonexistent", *good)
    refuse("atc", 1, ["Is a directory"], "--model=/tmp", *good)
    refuse("atc", 1, ["File name too long"], "--model=" + "x" * 5000, *good)
    refuse("atc", 1, ["no regular file"], "--model=/dev/null", *good)
    source = FILES.write("m.onnx", affine())
    refuse("atc", 1, ["cannot be written", "No such file"], "--model=" + source,
           "--framework=5", "--output=/nonexistent/m")
    refuse("atc", 1, ["card"], "--mode=6", "--om=" + FILES.write("huawei.om", b"IMOD" * 99))
    refuse("atc", 1, ["no valid model"], "--mode=6", "--om=" + source)
    refuse("atc", 1, ["no valid model", "--mode=1 describes files that atc has compiled"],
           "--mode=1", "--om=" + source, "--framework=5", "--json=" + FILES.path("x.json"))


@test
def damaged_models_are_refused():
    content = affine().bytes()
    refuse_model(["no ONNX model"], b"")
    for size in range(1, len(content), 3):
        refuse_model([], content[:size])
    refuse_model([], bytes(range(256)))


@test
def errors_name_node_operator_and_opset():
    m = Model()
    m.input("x", [2])
    m.node("Frobnicate", ["x"], ["y"], name="strange")
    m.output("y")
    refuse_model(["'strange'", "Frobnicate", "opset 13", "vnpu-model ops"], m)
    refuse_model(["opset 99", "1 to 17"], affine(opset=99))
    m = Model()
    m.input("x", [2])
    m.input("n", [1], INT64)
    m.node("Reshape", ["x", "n"], ["y"], name="shape")
    m.output("y")
    refuse_model(["'shape' (Reshape)", "constant"], m)
    m = Model()
    m.input("\x1b[2Jx", ["n"])
    m.node("Relu", ["\x1b[2Jx"], ["y"])
    m.output("y")
    refuse_model(["?[2Jx"], m)


if __name__ == "__main__":
    raise SystemExit(main())
