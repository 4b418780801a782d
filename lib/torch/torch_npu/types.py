# SPDX-License-Identifier: MIT
"""Types of tensors and storages, such as torch.npu.FloatTensor and FloatStorage."""

import torch

from .device import current_device

_DTYPES = {
    "Float": torch.float, "Double": torch.double, "Half": torch.half,
    "BFloat16": torch.bfloat16, "Long": torch.long, "Int": torch.int,
    "Short": torch.short, "Char": torch.int8, "Byte": torch.uint8, "Bool": torch.bool}


def _make_tensor(dtype, *args):
    """Return a tensor of the sizes, or with the elements of one list."""
    where = torch.device("npu", current_device())
    if len(args) == 1 and not isinstance(args[0], int):
        return torch.tensor(args[0], dtype=dtype, device=where)
    return torch.empty(args or (0,), dtype=dtype, device=where)


def _tensor_type(name, dtype):
    class Type(type):
        def __instancecheck__(cls, value):
            return isinstance(value, torch.Tensor) and value.is_npu and value.dtype == dtype

        def __call__(cls, *args):
            return _make_tensor(dtype, *args)
    return Type(name, (), {"__doc__": f"Tensors of {dtype} on an NPU.", "dtype": dtype})


def _storage_type(name, dtype):
    class Type(type):
        def __instancecheck__(cls, value):
            return (isinstance(value, torch.storage.TypedStorage) and value.dtype == dtype
                    and value.device.type == "privateuseone")

        def __call__(cls, elements=0):
            return _make_tensor(dtype, elements).storage()
    return Type(name, (), {"__doc__": f"Storages of {dtype} on an NPU, of a size or a list."})


TYPES = {name + kind: make(name + kind, dtype) for name, dtype in _DTYPES.items()
         for kind, make in (("Tensor", _tensor_type), ("Storage", _storage_type))}
