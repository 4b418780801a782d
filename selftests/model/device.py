#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""vnpu-model run on the device: outputs equal those of plain Python."""

import json
import os
import subprocess
import sys

import harness
from harness import FILES, INT64, Model, affine, call, compile_model, main, npy, refuse, test

B = os.environ.get("B", "build")
harness.PLACES.update({"atc": f"{B}/cann/bin/atc", "vnpu-model": f"{B}/bin/vnpu-model"})


def check(path, x, y, *options):
    """Run a model on the device: it must make y of x, which are files."""
    status, out, err = call("vnpu-model", "run", "--json", f"--input={x}", f"--expect={y}",
                            *options, path)
    assert (status, err) == (0, ""), (status, out, err)
    content = json.loads(out)
    assert content["place"] == "device 0" and content["outputs"][0]["result"] == "equal"
    return content


def arrays(dims):
    """An array, and 2 * x + 1."""
    count = 1
    for d in dims:
        count *= d
    return (FILES.write("x.npy", npy(dims, range(count))),
            FILES.write("y.npy", npy(dims, [2 * x + 1 for x in range(count)])))


@test
def a_network_of_several_batches():
    subprocess.run([sys.executable, "lib/examples/network.py", FILES.dir.name], check=True)
    with open(FILES.path("network.onnx"), "rb") as f:
        path, _ = compile_model(f.read(), "--input_shape=image:-1,1,16,16",
                                "--dynamic_batch_size=1,8")
    content = check(path, FILES.path("input.npy"), FILES.path("expected.npy"), "--sizes=1",
                    "--loop=3")
    assert content["runs"] == 3


@test
def gears_of_images_and_of_any_sizes():
    path, _ = compile_model(affine([1, 3, "h", "w"]), "--input_shape=x:1,3,-1,-1",
                            "--dynamic_image_size=8,6;4,2")
    check(path, *arrays([1, 3, 4, 2]), "--sizes=4,2")
    path, _ = compile_model(affine(["n", "m"]), "--input_shape=x:-1,-1",
                            "--dynamic_dims=1,2;3,4")
    check(path, *arrays([3, 4]))


@test
def parts_run_one_after_the_other():
    path, _ = compile_model(affine())
    x = FILES.write("x.npy", npy([2, 3], range(6)))
    y = FILES.write("y.npy", npy([2, 3], [8 * v + 7 for v in range(6)]))
    check(path, x, y, path, path)


@test
def shards_run_one_after_the_other():
    """They have the bits of the whole, and the largest one needs less memory."""
    subprocess.run([sys.executable, "lib/examples/network.py", FILES.dir.name], check=True)
    x, shape = FILES.path("input.npy"), "--input_shape=image:1,1,16,16"
    with open(FILES.path("network.onnx"), "rb") as f:
        path, _ = compile_model(f.read(), shape)
    for option in "--om", "--json":
        status, _, err = call("vnpu-model", "split", "-n3", option, shape,
                              f"--output={FILES.path('shard')}", FILES.path("network.onnx"))
        assert status == 0, err
        content = check(FILES.path("shard.json"), x, FILES.path("expected.npy"), "--format=bin",
                        f"--output={FILES.path('shards')}")
        assert content["shards"] == 3 and content["peak_bytes"] < content["whole_bytes"]
        check(path, x, FILES.path("expected.npy"), "--format=bin",
              f"--output={FILES.path('whole')}")
        assert FILES.read("shards/output_0.bin") == FILES.read("whole/output_0.bin")


@test
def outputs_that_differ():
    path, _ = compile_model(affine())
    x, _ = arrays([2, 3])
    wrong = FILES.write("y.npy", npy([2, 3], [1, 3, 5, 7, 9, 12]))
    refuse("vnpu-model", 3, ["element 5 of 6 is 11, expected 12"], "run", f"--input={x}",
           f"--expect={wrong}", path)


@test
def sizes_that_elements_decide():
    m = Model()
    m.input("x", [2, 3], INT64)
    m.node("NonZero", ["x"], ["y"])
    m.output("y")
    path, _ = compile_model(m)
    x = FILES.write("x.npy", npy([2, 3], [0, 7, 0, 0, 0, 1], INT64))
    y = FILES.write("y.npy", npy([2, 2], [0, 1, 1, 2], INT64))
    assert check(path, x, y)["outputs"][0]["shape"] == [2, 2]


@test
def errors_name_the_node():
    m = Model()
    m.input("x", [1], INT64)
    m.constant("t", [3], [1.0, 2, 3])
    m.node("Gather", ["t", "x"], ["y"], name="pick")
    m.output("y")
    path, _ = compile_model(m)
    refuse("vnpu-model", 4, ["pick"], "run",
           "--input=" + FILES.write("x.npy", npy([1], [3], INT64)), path)


if __name__ == "__main__":
    raise SystemExit(main())
