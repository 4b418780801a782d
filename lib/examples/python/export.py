#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A network of PyTorch as an offline model: torch.onnx, atc and acl.mdl.

usage: export.py DIRECTORY

The files are network.onnx and network.om. Without torch_npu, the reference is that of
the CPU.
"""

import os
import subprocess
import sys

import acl
import torch
from torch import nn

HUGE_FIRST, HOST_TO_DEVICE, DEVICE_TO_HOST = 0, 1, 2


def network():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(8 * 8 * 8, 32), nn.GELU(), nn.Linear(32, 10),
        nn.Softmax(dim=1)).eval()


def ok(result):
    """Return the results of a call of acl, without the code."""
    *values, code = result if isinstance(result, tuple) else (result,)
    if code:
        sys.exit(f"error {code}: {acl.get_recent_err_msg()}")
    return values[0] if len(values) == 1 else values


def dataset(size):
    """Return a dataset of one buffer of device memory, and its address."""
    address = ok(acl.rt.malloc(size, HUGE_FIRST))
    out = acl.mdl.create_dataset()
    ok(acl.mdl.add_dataset_buffer(out, acl.create_data_buffer(address, size))[1:])
    return out, address


def run(path, x):
    """Run an offline model on an array of numpy."""
    model = ok(acl.mdl.load_from_file(path))
    desc = acl.mdl.create_desc()
    ok(acl.mdl.get_desc(desc, model))
    inputs, source = dataset(acl.mdl.get_input_size_by_index(desc, 0))
    size = acl.mdl.get_output_size_by_index(desc, 0)
    outputs, target = dataset(size)
    ok(acl.rt.memcpy(source, x.nbytes, acl.util.numpy_to_ptr(x), x.nbytes, HOST_TO_DEVICE))
    ok(acl.mdl.execute(model, inputs, outputs))
    host = bytearray(size)
    result = torch.frombuffer(host, dtype=torch.float32)
    ok(acl.rt.memcpy(result.data_ptr(), size, target, size, DEVICE_TO_HOST))
    for buffers, address in ((inputs, source), (outputs, target)):
        ok(acl.destroy_data_buffer(acl.mdl.get_dataset_buffer(buffers, 0)))
        ok(acl.mdl.destroy_dataset(buffers))
        ok(acl.rt.free(address))
    ok(acl.mdl.destroy_desc(desc))
    ok(acl.mdl.unload(model))
    dims = (x.shape[0], -1)
    return result.reshape(dims)


def main():
    path = os.path.join(sys.argv[1], "network")
    model, x = network(), torch.randn(4, 3, 16, 16)
    torch.onnx.export(model, x, path + ".onnx", input_names=["image"],
                      output_names=["classes"], opset_version=13)
    subprocess.run(["atc", f"--model={path}.onnx", "--framework=5", f"--output={path}",
                    "--soc_version=Ascend910B1"], check=True, stdout=subprocess.DEVNULL)
    acl.rt.set_device(0)
    with torch.no_grad():
        expected = (model.npu()(x.npu()) if hasattr(torch, "npu") else model(x)).cpu()
    actual = run(path + ".om", x.numpy())
    worst = (actual - expected).abs().max().item()
    print(f"torch.onnx, atc and acl.mdl give the result of PyTorch within {worst:.1e}")
    if worst > 1e-5:
        sys.exit("the results differ")


main()
