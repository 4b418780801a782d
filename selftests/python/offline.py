#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Offline models and single operators on a device: acl.mdl, acl.op, acl.blas and
vnpu.Model.

The outputs are compared with those of plain Python, and of numpy.
"""

import gc
import glob
import json
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, "selftests/model")

import harness
from harness import FILES, Model, affine, compile_model
from tap import B, equal, main, raises, test
from call import HUGE_FIRST, free_bytes, ok

import acl
import numpy
import vnpu

harness.PLACES["atc"] = f"{B}/cann/bin/atc"

HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2
FLOAT, FLOAT16, ND = 0, 1, 2
INVALID_PARAM, NO_OPERATOR = 100000, 100024
INVALID_FILE, DUMP_ALREADY_RUN, DUMP_NOT_RUN = 100003, 100044, 100045
NO_BUFFERS, NO_MODEL, NO_GEAR, NO_AIPP = 145000, 145003, 145013, 145015
RGB = 3
LOAD_TYPE, PATH, ADDRESS, SIZE = 1, 2, 3, 4
FROM_FILE, FROM_MEMORY = 1, 3
TIMEOUT = 0


def npy_floats(name):
    """Return the f32 numbers of a file that network.py has written."""
    data = FILES.read(name)
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    return list(struct.unpack(f"<{(len(data) - start) // 4}f", data[start:]))


def close(actual, expected, limit=1e-5):
    equal(len(actual), len(expected))
    worst = max(abs(a - e) for a, e in zip(actual, expected))
    assert worst < limit, worst


class Network:
    """The network of the examples, compiled for two batches, at the first use."""

    path = None

    @classmethod
    def compiled(cls):
        if not cls.path:
            subprocess.run([sys.executable, "lib/examples/network.py", FILES.dir.name],
                           check=True)
            cls.path, _ = compile_model(
                FILES.read("network.onnx"), "--input_shape=image:-1,1,16,16",
                "--dynamic_batch_size=1,8", name="network")
            cls.image, cls.expected = npy_floats("input.npy"), npy_floats("expected.npy")
        return cls.path


class Buffer:
    """Device memory of floats, and a data buffer of it."""

    def __init__(self, floats, code="f"):
        self.format = f"<{len(floats)}{code}"
        data = struct.pack(self.format, *floats)
        self.size = len(data)
        self.address = ok(acl.rt.malloc(max(64, self.size), HUGE_FIRST))
        ok(acl.rt.memcpy(self.address, self.size, acl.util.bytes_to_ptr(data),
                         self.size, HOST_TO_DEVICE))
        self.buffer = acl.create_data_buffer(self.address, self.size)

    def floats(self):
        host = bytes(self.size)
        ok(acl.rt.memcpy(acl.util.bytes_to_ptr(host), self.size, self.address,
                         self.size, DEVICE_TO_HOST))
        return list(struct.unpack(self.format, host))

    def free(self):
        ok(acl.destroy_data_buffer(self.buffer))
        ok(acl.rt.free(self.address))


class Datasets:
    """Inputs and outputs, which end with the statement."""

    def __init__(self, inputs, outputs):
        self.buffers = inputs + outputs
        self.sets = []
        for buffers in inputs, outputs:
            self.sets.append(acl.mdl.create_dataset())
            for item in buffers:
                equal(acl.mdl.add_dataset_buffer(self.sets[-1], item.buffer),
                      (self.sets[-1], 0))

    def __enter__(self):
        return self.sets

    def __exit__(self, *_):
        for dataset in self.sets:
            ok(acl.mdl.destroy_dataset(dataset))
        for item in self.buffers:
            item.free()


@test
def _():
    """Images are preprocessed as each run says."""
    m = Model()
    m.input("image", [1, 3, 2, 2])
    m.node("Identity", ["image"], ["y"])
    m.output("y")
    path, _ = compile_model(m, "--insert_op_conf=" + FILES.write(
        "aipp.cfg", "aipp_op { aipp_mode: dynamic max_src_image_size: 48 }"), name="images")
    model = ok(acl.mdl.load_from_file(path))
    equal(acl.mdl.get_aipp_type(model, 0), (2, 1, 0))
    facts = ok(acl.mdl.get_first_aipp_info(model, 0))
    equal((facts["srcDimNum"], facts["inputFormat"], facts["outDims"][0]["srcDims"]["dims"],
           facts["minChn0"]), (4, 0, [1, 3, 2, 2], 0.0))
    equal(acl.mdl.get_first_aipp_info(model, 1)[1], NO_AIPP)
    values = acl.mdl.create_aipp(1)
    size = ok(acl.mdl.get_aipp_data_size(1))
    ok(acl.mdl.set_aipp_input_format(values, RGB))
    ok(acl.mdl.set_aipp_src_image_size(values, 4, 4))
    ok(acl.mdl.set_aipp_crop_params(values, 1, 1, 2, 2, 2, 0))
    ok(acl.mdl.set_aipp_rbuv_swap_switch(values, 1))
    ok(acl.mdl.set_aipp_ax_swap_switch(values, 0))
    ok(acl.mdl.set_aipp_csc_params(values, 0, *[0] * 15))
    ok(acl.mdl.set_aipp_scf_params(values, 0, 0, 0, 0, 0, 0))
    ok(acl.mdl.set_aipp_padding_params(values, 0, 0, 0, 0, 0, 0))
    ok(acl.mdl.set_aipp_dtc_pixel_mean(values, 1, 2, 3, 0, 0))
    ok(acl.mdl.set_aipp_dtc_pixel_min(values, 0.5, 0.0, 0.0, 0.0, 0))
    ok(acl.mdl.set_aipp_pixel_var_reci(values, 2.0, 1.0, 1.0, 1.0, 0))
    equal(acl.mdl.set_aipp_dtc_pixel_mean(values, -1, 0, 0, 0, 0), INVALID_PARAM)
    output = Buffer([0.0] * 12)
    with Datasets([Buffer(range(48), "B"), Buffer([0] * size, "B")], [output]) as (given, made):
        ok(acl.mdl.set_input_aipp(model, given, 1, values))
        ok(acl.mdl.set_aipp_by_input_index(model, given, 0, values))
        ok(acl.mdl.execute(model, given, made))
        pixels = [(2 + y) * 12 + (1 + x) * 3 for y in range(2) for x in range(2)]
        equal(output.floats(), [(p + 2 - 1.5) * 2 for p in pixels] +
              [p + 1 - 2 for p in pixels] + [p - 3 for p in pixels])
    ok(acl.mdl.destroy_aipp(values))
    ok(acl.mdl.unload(model))


@test
def _():
    """A network gives its numbers, for the batch that is chosen."""
    model = ok(acl.mdl.load_from_file(Network.compiled()))
    desc = acl.mdl.create_desc()
    ok(acl.mdl.get_desc(desc, model))
    index = ok(acl.mdl.get_input_index_by_name(desc, "ascend_mbatch_shape_data"))
    equal((index, acl.mdl.get_input_size_by_index(desc, 0)), (1, 8 * 256 * 4))
    image, choice, classes = Buffer(Network.image), Buffer([0] * 2), Buffer([0] * 10)
    with Datasets([image, choice], [classes]) as (given, made):
        ok(acl.mdl.set_dynamic_batch_size(model, given, index, 1))
        equal(ok(acl.mdl.get_cur_output_dims(desc, 0))["dims"], [1, 10])
        ok(acl.mdl.execute(model, given, made))
        close(classes.floats(), Network.expected)
        described = acl.mdl.get_dataset_tensor_desc(made, 0)
        equal([acl.get_tensor_desc_dim(described, i) for i in range(2)], [1, 10])
        equal(acl.mdl.set_dynamic_batch_size(model, given, index, 3), NO_GEAR)
        assert "(3)" in acl.get_recent_err_msg()
        equal(acl.mdl.set_dynamic_batch_size(model, given, 0, 1), INVALID_PARAM)
        # The larger batch does not fit the buffers.
        ok(acl.mdl.set_dynamic_batch_size(model, given, index, 8))
        equal(acl.mdl.execute(model, given, made), INVALID_PARAM)
        equal(acl.mdl.execute(model, made, made), NO_BUFFERS)
        equal(acl.mdl.execute(model + 1, given, made), NO_MODEL)
    ok(acl.mdl.unload(model))
    equal(acl.mdl.unload(model), NO_MODEL)
    equal(acl.mdl.get_cur_output_dims(desc, 0)[1], NO_MODEL)
    ok(acl.mdl.destroy_desc(desc))


def loads(path):
    """Load a model in every way, and yield each."""
    content = FILES.read("affine.om")
    address, size = acl.util.bytes_to_ptr(content), len(content)
    yield ok(acl.mdl.load_from_mem(address, size))
    sizes = ok(acl.mdl.query_size(path))
    own = [ok(acl.rt.malloc(max(64, n), HUGE_FIRST)) for n in sizes]
    pairs = [argument for pair in zip(own, sizes) for argument in pair]
    yield ok(acl.mdl.load_from_file_with_mem(path, *pairs))
    yield ok(acl.mdl.load_from_mem_with_mem(address, size, *pairs))
    for options in (((LOAD_TYPE, FROM_FILE), (PATH, path)),
                    ((LOAD_TYPE, FROM_MEMORY), (ADDRESS, address), (SIZE, size))):
        handle = acl.mdl.create_config_handle()
        for option in options:
            ok(acl.mdl.set_config_opt(handle, *option))
        yield ok(acl.mdl.load_with_config(handle))
        ok(acl.mdl.destroy_config_handle(handle))
    for address in own:
        ok(acl.rt.free(address))


@test
def _():
    """Models run on streams, loaded in every way."""
    before = free_bytes()
    path, _ = compile_model(affine(), name="affine")
    stream = ok(acl.rt.create_stream())
    handle = acl.mdl.create_exec_config_handle()
    ok(acl.mdl.set_exec_config_opt(handle, TIMEOUT, 100000))
    for model in loads(path):
        x, y = Buffer(range(6)), Buffer([0] * 6)
        with Datasets([x], [y]) as (given, made):
            ok(acl.mdl.execute_async(model, given, made, stream))
            ok(acl.rt.synchronize_stream(stream))
            equal(y.floats(), [2 * i + 1 for i in range(6)])
            ok(acl.rt.memset(y.address, 24, 0, 24))
            ok(acl.mdl.execute_v2(model, given, made, stream, handle))
            equal(y.floats(), [2 * i + 1 for i in range(6)])
        ok(acl.mdl.unload(model))
    ok(acl.mdl.destroy_exec_config_handle(handle))
    ok(acl.rt.destroy_stream(stream))
    equal(free_bytes(), before)


@test
def _():
    """A dump has the inputs and outputs of a model."""
    equal(acl.mdl.set_dump("dump.json"), DUMP_NOT_RUN)
    equal(acl.mdl.finalize_dump(), DUMP_NOT_RUN)
    folder = tempfile.mkdtemp(dir=FILES.dir.name)
    ok(acl.mdl.init_dump())
    equal(acl.mdl.init_dump(), DUMP_ALREADY_RUN)
    equal(acl.mdl.set_dump("/none/dump.json"), INVALID_FILE)
    ok(acl.mdl.set_dump(FILES.write("dump.json", json.dumps({"dump": {
        "dump_path": folder, "dump_mode": "all", "dump_list": [{"model_name": "affine"}]}}))))
    path, _ = compile_model(affine(), name="affine")
    model = ok(acl.mdl.load_from_file(path))
    x, y = Buffer(range(6)), Buffer([0] * 6)
    with Datasets([x], [y]) as (given, made):
        ok(acl.mdl.execute(model, given, made))
    ok(acl.mdl.unload(model))
    ok(acl.mdl.finalize_dump())
    arrays = {tuple(numpy.load(path).ravel().tolist())
              for path in glob.glob(folder + "/*/0/*/*/0/*.npy")}
    assert {tuple(range(6)), (1, 3, 5, 7, 9, 11)} <= arrays, arrays


@test
def _():
    """Single operators run, checked at each call or once."""
    x, y, z = Buffer([1, 2, 3, 4]), Buffer([0.5] * 4), Buffer([0] * 4)
    half = Buffer([0] * 4, "e")
    desc = acl.create_tensor_desc(FLOAT, [4], ND)
    half_desc = acl.create_tensor_desc(FLOAT16, [4], ND)
    ok(acl.op.execute_v2("Mul", [desc, desc], [x.buffer, y.buffer], [desc],
                         [z.buffer], 0, 0))
    ok(acl.rt.synchronize_stream(0))
    equal(z.floats(), [0.5, 1, 1.5, 2])
    handle = ok(acl.op.create_handle("Add", [desc, desc], [desc], 0))
    ok(acl.op.execute_with_handle(handle, [x.buffer, z.buffer], [y.buffer], 0))
    acl.op.destroy_handle(handle)
    ok(acl.op.cast(desc, y.buffer, half_desc, half.buffer, 0, 0))
    ok(acl.rt.synchronize_stream(0))
    equal(half.floats(), [1.5, 3, 4.5, 6])
    equal(acl.op.execute("Addd", [desc], [x.buffer], [desc], [y.buffer], 0, 0),
          NO_OPERATOR)
    assert "Addd" in acl.get_recent_err_msg()
    equal(acl.op.execute_with_handle(handle, [x.buffer], [y.buffer], 0), INVALID_PARAM)
    for item in desc, half_desc:
        acl.destroy_tensor_desc(item)
    for item in x, y, z, half:
        item.free()


@test
def _():
    """Attributes reach an operator."""
    x, y = Buffer(range(6)), Buffer([0] * 2)
    desc, sums = (acl.create_tensor_desc(FLOAT, dims, ND) for dims in ([2, 3], [2]))
    attr = acl.op.create_attr()
    ok(acl.op.set_attr_list_int(attr, "axes", [1]))
    ok(acl.op.set_attr_bool(attr, "keep_dims", False))
    ok(acl.op.execute_v2("ReduceSumD", [desc], [x.buffer], [sums], [y.buffer], attr, 0))
    ok(acl.rt.synchronize_stream(0))
    equal(y.floats(), [3, 12])
    acl.op.destroy_attr(attr)
    for item in desc, sums:
        acl.destroy_tensor_desc(item)
    for item in x, y:
        item.free()


@test
def _():
    """Matrices are multiplied, with a vector, too."""
    a, b, c = Buffer([1, 2, 3, 4, 5, 6]), Buffer([1, 0, 0, 1, 1, 1]), Buffer([1] * 4)
    one, two = Buffer([1]), Buffer([2])
    ok(acl.blas.gemm_ex(0, 0, 0, 2, 2, 3, one.address, a.address, -1, FLOAT, b.address,
                        -1, FLOAT, two.address, c.address, -1, FLOAT, 0, 0))
    ok(acl.rt.synchronize_stream(0))
    equal(c.floats(), [6, 7, 12, 13])
    halves = [Buffer(values, "e") for values in ([1], [1, 2, 3, 4], [1, 1], [0], [0, 0])]
    factor, matrix, x, nothing, y = (item.address for item in halves)
    ok(acl.blas.hgemv(0, 2, 2, factor, matrix, -1, x, 1, nothing, y, 1, 0, 0))
    ok(acl.rt.synchronize_stream(0))
    equal(halves[-1].floats(), [3, 7])
    equal(acl.blas.hgemv(0, 0, 2, factor, matrix, -1, x, 1, nothing, y, 1, 0, 0),
          INVALID_PARAM)
    handle, code = acl.blas.create_handle_for_s8gemm(0, 0, 0, 4, 4, 4, 0)
    assert handle and not code, code
    acl.op.destroy_handle(handle)
    for item in [a, b, c, one, two] + halves:
        item.free()


@test
def _():
    """vnpu.Model takes arrays, whose shapes choose the batch."""
    import numpy
    path = Network.compiled()
    image = numpy.array(Network.image, "f4").reshape(1, 1, 16, 16)
    with vnpu.Model(path) as model:
        equal([tuple(t)[:2] for t in model.inputs], [("image", (-1, 1, 16, 16))])
        equal((model.outputs[0].dtype, model.gears), (numpy.float32, [1, 8]))
        [classes] = model.run(image)
        close(list(classes.numpy()[0]), Network.expected)
        [eight] = model(image=numpy.repeat(image, 8, 0), gear=8)
        equal(eight.shape, (8, 10))
        numpy.testing.assert_array_equal(eight.numpy(),
                                         numpy.repeat(classes.numpy(), 8, 0))
        error = raises(ValueError, model.run, numpy.repeat(image, 3, 0))
        assert "gears are [1, 8]" in str(error), error
        raises(ValueError, lambda: model.run(image, gear=8))
        raises(ValueError, lambda: model.run(image, gear=3))
        raises(TypeError, model.run)
        raises(TypeError, model.run, image, image)
        raises(TypeError, lambda: model.run(picture=image))
        raises(TypeError, model.run, image.astype("c8"))
        raises(TypeError, model.run, vnpu.array(image, "f2"))
    raises(ValueError, model.run, image)
    error = raises(vnpu.Error, vnpu.Model, FILES.path("none.om"))
    assert "none.om" in str(error), error
    raises(vnpu.Error, vnpu.Model, b"no model")


@test
def _():
    """vnpu.Model runs on a stream, from bytes, and leaves nothing."""
    import numpy
    gc.collect()
    before = free_bytes()
    compile_model(affine(["n", "m"]), "--input_shape=x:-1,-1",
                  "--dynamic_dims=1,2;3,4", name="sizes")
    x = numpy.arange(12, dtype="f4").reshape(3, 4)
    with vnpu.Model(FILES.read("sizes.om")) as model, vnpu.Stream() as stream:
        equal(model.gears, [(1, 2), (3, 4)])
        [y] = model.run(x)
        [z] = model.run(y, gear=(3, 4))
        stream.synchronize()
        numpy.testing.assert_array_equal(z.numpy(), 4 * x + 3)
        [w] = model.run([[1, 2]])
        numpy.testing.assert_array_equal(w.numpy(), [[3, 5]])
    path, _ = compile_model(affine([1, 3, "h", "w"]), "--input_shape=x:1,3,-1,-1",
                            "--dynamic_image_size=8,6;4,2", name="images")
    model = vnpu.Model(path)
    [v] = model(numpy.ones((1, 3, 4, 2)))
    equal((model.gears, v.shape, v.numpy().sum()), ([(8, 6), (4, 2)], (1, 3, 4, 2), 72))
    del model, v, w, y, z
    gc.collect()
    equal(free_bytes(), before)


if __name__ == "__main__":
    ok(acl.rt.set_device(0))
    main()
