# SPDX-License-Identifier: MIT
"""Offline models: .om files, which atc compiles."""

import contextlib
import itertools
import os
import typing

import acl
import numpy

from .arrays import DeviceArray, array, empty
from .device import current_device, in_context
from .errors import Error, check, failed
from .memory import Memory
from .stream import current_stream

# Types of numpy by the numbers of aclDataType.
_DTYPES = {0: "f4", 1: "f2", 2: "i1", 3: "i4", 4: "u1", 6: "i2", 7: "u2", 8: "u4",
           9: "i8", 10: "u8", 11: "f8", 12: "?", 16: "c8", 17: "c16"}


class Tensor(typing.NamedTuple):
    """An input or an output; -1 in its shape is a size that gears choose."""

    name: str
    shape: tuple
    dtype: numpy.dtype


class _Gear(typing.NamedTuple):
    """Shapes of the inputs, and the function of acl.mdl that chooses them."""

    shapes: list
    choose: typing.Callable
    arguments: tuple


def _made(handle):
    """Return a handle that was made, or raise Error."""
    if not handle:
        raise failed(acl.rt.peek_at_last_error(0))
    return handle


@contextlib.contextmanager
def _dataset(arrays):
    """A dataset of arrays for one call."""
    dataset = _made(acl.mdl.create_dataset())
    buffers = []
    try:
        for item in arrays:
            buffers.append(_made(acl.create_data_buffer(item, item.nbytes)))
            check(acl.mdl.add_dataset_buffer(dataset, buffers[-1]))
        yield dataset
    finally:
        acl.mdl.destroy_dataset(dataset)
        for buffer in buffers:
            acl.destroy_data_buffer(buffer)


class Model:
    """A model on the thread's device. With `with` it is unloaded at the end.

    `inputs` and `outputs` describe its tensors. `gears` are the choices that it was
    compiled for: batches, (height, width) of images, or the sizes of all inputs one
    behind the other. It is empty for a model that has one size.

    Any thread may run a model, one at a time.
    """

    _number = _desc = 0

    def __init__(self, source):
        """Load a file by its path, or bytes with its content."""
        self.device = current_device()
        self._context = check(acl.rt.get_context())
        if isinstance(source, bytes):
            self._number = check(acl.mdl.load_from_mem(
                acl.util.bytes_to_ptr(source), len(source)))
        else:
            self._number = check(acl.mdl.load_from_file(os.fspath(source)))
        try:
            self._desc = _made(acl.mdl.create_desc())
            check(acl.mdl.get_desc(self._desc, self._number))
            self._describe()
        except BaseException:
            self.close()
            raise

    def _describe(self):
        desc = self._desc
        names = [acl.mdl.get_input_name_by_index(desc, i)
                 for i in range(acl.mdl.get_num_inputs(desc))]
        self._choice = None
        if names and names[-1] == "ascend_mbatch_shape_data":
            names.pop()
            self._choice = Memory(acl.mdl.get_input_size_by_index(desc, len(names)))
        self.inputs = [
            Tensor(name, self._shape(acl.mdl.get_input_dims, i),
                   self._dtype(name, acl.mdl.get_input_data_type(desc, i)))
            for i, name in enumerate(names)]
        names = [acl.mdl.get_output_name_by_index(desc, i)
                 for i in range(acl.mdl.get_num_outputs(desc))]
        self.outputs = [
            Tensor(name, self._shape(acl.mdl.get_output_dims, i),
                   self._dtype(name, acl.mdl.get_output_data_type(desc, i)))
            for i, name in enumerate(names)]
        self._gears = self._find_gears() if self._choice else {}

    def _shape(self, get_dims, index):
        return tuple(check(get_dims(self._desc, index))["dims"])

    @staticmethod
    def _dtype(name, number):
        if number not in _DTYPES:
            raise TypeError(f"{name} has elements of type {number} of AscendCL, "
                            "which numpy does not have")
        return numpy.dtype(_DTYPES[number])

    def _find_gears(self):
        """Return each choice with its gear."""
        mdl = acl.mdl
        batches = check(mdl.get_dynamic_batch(self._desc))["batch"]
        if batches:
            return {n: _Gear(self._filled([n]), mdl.set_dynamic_batch_size, (n,))
                    for n in batches}
        images = check(mdl.get_dynamic_hw(self._desc, -1))["hw"]
        if images:
            return {tuple(size): _Gear(self._filled(size), mdl.set_dynamic_hw_size, size)
                    for size in images}
        count = check(mdl.get_input_dynamic_gear_count(self._desc, -1))
        return {tuple(dims["dims"]): _Gear(self._split(dims["dims"]),
                                           mdl.set_input_dynamic_dims, (dims,))
                for dims in check(mdl.get_input_dynamic_dims(self._desc, -1, count))}

    def _filled(self, sizes):
        """Return the shapes of the inputs with these sizes in place of -1."""
        sizes = itertools.cycle(sizes)
        return [tuple(next(sizes) if n == -1 else n for n in tensor.shape)
                for tensor in self.inputs]

    def _split(self, sizes):
        """Return the shapes of the inputs from those of all, one behind the other."""
        sizes = iter(sizes)
        return [tuple(next(sizes) for _ in tensor.shape) for tensor in self.inputs]

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.close()

    def __del__(self):
        try:
            self.close()
        except Error:
            pass                # the device was reset, which unloaded it

    @property
    def gears(self):
        """Return the choices, of which a run takes one."""
        return list(self._gears)

    def run(self, *inputs, gear=None, stream=None, **named):
        """Run the model, and return its outputs, a list of DeviceArray.

        Inputs are arrays, of numpy or of the device, by position or by name; those
        in host memory are copied. Their shapes choose the gear, unless it is given.

        With a stream, or inside its with statement, the call does not wait, and the
        stream keeps the arrays until it is synchronized. An output has its largest
        shape then if its elements decide its size.
        """
        if not self._number:
            raise ValueError("this model was closed")
        stream = stream if stream is not None else current_stream()
        values = self._ordered(inputs, named)
        with in_context(self._context):
            arrays = [self._array(tensor, value, stream)
                      for tensor, value in zip(self.inputs, values)]
            chosen = self._find_gear([a.shape for a in arrays], gear)
            return self._run(arrays, chosen, stream)

    __call__ = run

    def _ordered(self, inputs, named):
        """Return the inputs in the model's order."""
        names = [tensor.name for tensor in self.inputs]
        values = dict(zip(names, inputs))
        for name, value in named.items():
            if name in values or name not in names:
                raise TypeError(f"input {name} is given twice, or not one of {names}")
            values[name] = value
        if len(inputs) > len(names) or len(values) < len(names):
            raise TypeError(f"the model has the inputs {names}, and "
                            f"{len(inputs) + len(named)} are given")
        return [values[name] for name in names]

    @staticmethod
    def _array(tensor, value, stream):
        """Return an input in device memory."""
        if not isinstance(value, DeviceArray):
            if not isinstance(value, numpy.ndarray):
                value = numpy.asarray(value, tensor.dtype)
            return array(value.astype(tensor.dtype, casting="same_kind", copy=False),
                         stream=stream)
        if value.dtype != tensor.dtype:
            raise TypeError(f"input {tensor.name} has elements of type "
                            f"{tensor.dtype}, not {value.dtype}")
        return value

    def _find_gear(self, shapes, choice):
        """Check the shapes of the inputs, and return the gear; None without gears."""
        gears = self._gears
        if choice is None:
            found = [gear for gear in gears.values() if gear.shapes == shapes]
            gear = found[0] if found else None
        elif choice in gears:
            gear = gears[choice]
        else:
            raise ValueError(f"{choice} is none of the gears {self.gears}")
        expected = gear.shapes if gear else [tensor.shape for tensor in self.inputs]
        if shapes != expected:
            known = f"; its gears are {self.gears}" if gears else ""
            raise ValueError(f"inputs have the shapes {shapes}, and the model needs "
                             f"{expected}{known}")
        return gear

    def _run(self, arrays, gear, stream):
        choice = [self._choice] if self._choice else []
        get_dims = acl.mdl.get_output_dims
        with _dataset(arrays + choice) as given:
            if gear:
                check(gear.choose(self._number, given, len(arrays), *gear.arguments))
                get_dims = acl.mdl.get_cur_output_dims
            outputs = [empty(self._shape(get_dims, i), tensor.dtype)
                       for i, tensor in enumerate(self.outputs)]
            with _dataset(outputs) as made:
                if stream is None:
                    check(acl.mdl.execute(self._number, given, made))
                    return [self._sized(made, *item) for item in enumerate(outputs)]
                check(acl.mdl.execute_async(self._number, given, made, stream))
                stream.keep(self, *arrays, *outputs)
                return outputs

    @staticmethod
    def _sized(dataset, index, output):
        """Return an output with the size that its elements have decided."""
        desc = acl.mdl.get_dataset_tensor_desc(dataset, index)
        if not desc:
            return output
        shape = [check(acl.get_tensor_desc_dim_v2(desc, i))
                 for i in range(acl.get_tensor_desc_num_dims(desc))]
        return DeviceArray(output.memory, shape, output.dtype)

    def close(self):
        """Wait for the runs, and unload the model; any thread may call this."""
        number, self._number = self._number, 0
        desc, self._desc = self._desc, 0
        self._choice = None
        if desc:
            acl.mdl.destroy_desc(desc)
        if number:
            with in_context(self._context):
                check(acl.mdl.unload(number))
