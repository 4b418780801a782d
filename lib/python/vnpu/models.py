# SPDX-License-Identifier: MIT
"""Models as functions: load_model(), execute(), and shards of models.

The modules aclnn and cann.tools offer these by names that programs expect there.
"""

import json
import os

import acl

from .arrays import DeviceArray, array
from .errors import Error, check
from .memory import Memory
from .model import Model
from .stream import Stream

PRECISIONS = ("fp32", "fp16", "bf16", "int8")

# Objects that work of a stream uses, by the number of the stream.
_used = {}


class _Numbered:
    """A stream that acl.rt.create_stream() has made, for Model.run()."""

    def __init__(self, number):
        self.number = int(number)

    def __index__(self):
        return self.number

    def keep(self, *objects):
        """Keep objects until a later call finds the stream idle."""
        _used.setdefault(self.number, []).append(objects)


def _drop_used():
    """Forget the objects of streams that are idle, or gone."""
    for number in list(_used):
        # Other threads may submit work after the query, and keep objects for it.
        objects = _used.pop(number, [])
        status, code = acl.rt.stream_query(number)
        if not code and status != 0:
            _used.setdefault(number, []).extend(objects)


def load_model(path, precision=None):
    """Load a model: a .om file, or a .onnx file, which atc compiles first.

    `precision` is that of the weights of a .onnx file: "fp32", "fp16", "bf16" or
    "int8". A .om file has the weights it was compiled with. Operators compute in
    f32 in any case.
    """
    if precision is not None and precision not in PRECISIONS:
        raise ValueError(f"precision {precision!r} is none of {', '.join(PRECISIONS)}")
    path = str(path)
    if not path.endswith(".onnx"):
        return Model(path)
    from .precision import compile_onnx, with_precisions
    with open(path, "rb") as file:
        return Model(compile_onnx(with_precisions(file.read(), {}, precision or "fp32")))


def _array(tensor, value):
    """Return an input; untyped memory has the type and shape of the model's."""
    if not isinstance(value, Memory):
        return value
    if -1 in tensor.shape:
        raise ValueError(f"input {tensor.name} has the shape {tensor.shape}: memory "
                         "has no shape, so use vnpu.empty() for it")
    return DeviceArray(value, tensor.shape, tensor.dtype)


def execute(model, inputs, stream=None):
    """Run a model, and return its output, or a list of several.

    `inputs` is a dict of arrays or of Memory by name, or one for the only input.
    `stream` is a vnpu.Stream, or a number of acl.rt.create_stream(); the call does
    not wait then.
    """
    _drop_used()
    if not isinstance(inputs, dict):
        inputs = {model.inputs[0].name: inputs}
    named = {t.name: t for t in model.inputs}
    arrays = {name: _array(named[name], value) if name in named else value
              for name, value in inputs.items()}
    if stream is not None and not isinstance(stream, Stream):
        stream = _Numbered(stream)
    outputs = model.run(stream=stream, **arrays)
    return outputs[0] if len(outputs) == 1 else outputs


class Shard:
    """A part of a model, which is on the device only while it runs."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self._content = file.read()


class Shards:
    """All parts of a model, of which one is on the device at a time.

    Values between the parts have names, and are in host memory.
    """

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            listed = json.load(file)
        if listed.get("version") != 1:
            raise ValueError(f"{path} is no list of shards of version 1, as vnpu-model split "
                             "writes it")
        folder = os.path.dirname(path)
        self.inputs = [tensor["name"] for tensor in listed["inputs"]]
        self.outputs = listed["outputs"]
        self._shards = [(self._read(os.path.join(folder, os.path.basename(shard["file"]))),
                         shard["inputs"], shard["outputs"]) for shard in listed["shards"]]

    @staticmethod
    def _read(path):
        from .precision import compile_onnx
        with open(path, "rb") as file:
            content = file.read()
        return compile_onnx(content) if path.endswith(".onnx") else content

    def _drop(self, values, later):
        """Forget the values that neither later parts nor the caller need."""
        needed = {name for _, inputs, _ in later for name in inputs} | set(self.outputs)
        for name in set(values) - needed:
            del values[name]

    def run(self, inputs):
        """Return the outputs, as arrays in host memory."""
        if not isinstance(inputs, dict):
            inputs = {self.inputs[0]: inputs}
        if set(inputs) != set(self.inputs):
            raise TypeError(f"the model has the inputs {self.inputs}, and {list(inputs)} "
                            "are given")
        values = dict(inputs)
        for number, (content, names, made) in enumerate(self._shards, 1):
            with Model(content) as model:
                outputs = model.run(*(values[name] for name in names))
                values.update(zip(made, (output.numpy() for output in outputs)))
            self._drop(values, self._shards[number:])
        return [values[name] for name in self.outputs]


def load_model_shard(path):
    """Read a .om file that is a part of a larger model, or a list of all parts.

    A list is the .json file that vnpu-model split writes.
    """
    return Shards(str(path)) if str(path).endswith(".json") else Shard(path)


def _owned(output):
    """Copy an output to memory that the caller frees."""
    address = check(acl.rt.malloc(max(output.nbytes, 1), 0))
    try:
        check(acl.rt.memcpy(address, output.nbytes, output, output.nbytes, 3))
    except Error:
        acl.rt.free(address)
        raise
    kept = Memory._of(address, output.nbytes, False, output.device, None)
    return DeviceArray(kept, output.shape, output.dtype)


def execute_shard(shard, inputs):
    """Load a part, run it, wait for it, and unload it; return its output.

    The parts of a list run one after the other, and the output is that of the model,
    or a list if it has several. The memory of outputs is the caller's: acl.rt.free()
    frees it.
    """
    if isinstance(shard, Shards):
        outputs = [_owned(array(output)) for output in shard.run(inputs)]
        return outputs[0] if len(outputs) == 1 else outputs
    with Model(shard._content) as model:
        output = execute(model, inputs)
        if not isinstance(output, DeviceArray):
            raise ValueError(f"a shard has one output, and this one has {len(output)}")
        return _owned(output)
