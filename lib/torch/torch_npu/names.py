# SPDX-License-Identifier: MIT
"""Make PyTorch understand "npu" as a device, and save and load its tensors."""

import functools

import torch

from . import _C, amp, npu, random

_device = torch.device
_TYPE = "privateuseone"

# Functions that create tensors on a device.
_FACTORIES = """arange as_tensor asarray bartlett_window blackman_window empty empty_like
    empty_strided eye full full_like hamming_window hann_window kaiser_window linspace
    logspace normal ones ones_like rand rand_like randint randint_like randn randn_like
    randperm range scalar_tensor sparse_coo_tensor tensor tril_indices triu_indices
    zeros zeros_like""".split()
_METHODS = "new_empty new_empty_strided new_full new_ones new_tensor new_zeros to".split()


def _translate(value):
    """Turn "npu" and "npu:1" into the device; leave all else."""
    if isinstance(value, str) and (value == "npu" or value.startswith("npu:")):
        return _device(_TYPE + value[3:])
    return value


def _wrap(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if "device" in kwargs:
            kwargs["device"] = _translate(kwargs["device"])
        return function(*args, **kwargs)
    return wrapper


def _wrap_to(function):
    """Wrap to(), because its first argument may be a device."""
    @functools.wraps(function)
    def wrapper(self, *args, **kwargs):
        args = tuple(map(_translate, args))
        if "device" in kwargs:
            kwargs["device"] = _translate(kwargs["device"])
        return function(self, *args, **kwargs)
    return wrapper


class _Device(type):
    """The type torch.device, by which devices can be made and recognised."""

    def __instancecheck__(cls, value):
        return isinstance(value, _device)

    def __call__(cls, *args, **kwargs):
        args = list(args)
        if args and args[0] == "npu":
            args[0] = _TYPE
        if kwargs.get("type") == "npu":
            kwargs["type"] = _TYPE
        return _device(*map(_translate, args), **kwargs)


class device(metaclass=_Device):
    __doc__ = _device.__doc__


def _wrap_new(function):
    """Wrap Tensor.new(), which 1.13 knows for some devices only."""
    @functools.wraps(function)
    def new(self, *args, **kwargs):
        if self.device.type != _TYPE:
            return function(self, *args, **kwargs)
        place = _translate(kwargs.pop("device", None)) or self.device
        return function(torch.empty(0, dtype=self.dtype), *args, **kwargs).to(place)
    return new


def _place(where):
    """Return the device of .npu(where)."""
    if where is None:
        return _device(_TYPE, npu.current_device())
    if isinstance(where, int):
        return _device(_TYPE, where)
    return torch.device(where)


def _tensor_npu(self, device=None, non_blocking=False, memory_format=torch.preserve_format):
    """Return a copy of the tensor on an NPU, or itself if it is there."""
    return self.to(_place(device), non_blocking=non_blocking,
                   memory_format=memory_format)


def _module_npu(self, device=None):
    """Move all parameters and buffers to an NPU."""
    return self._apply(lambda tensor: tensor.npu(device))


def _pin_memory(self, device=None):
    """Return a copy of the tensor in pinned memory, or itself if it is there."""
    return _C.pin(self)


def _record_stream(self, stream):
    if not isinstance(stream, npu.Stream):
        return _torch_record_stream(self, stream)
    _C.record_stream(self, stream.device_index, stream.stream_id)
    return None


_torch_record_stream = torch.Tensor.record_stream


def _wrap_set(function):
    @functools.wraps(function)
    def set_(self, source=None, storage_offset=0, size=None, stride=None):
        if source is None:
            return function(self)
        if isinstance(source, torch.Tensor) or source.device.type != _TYPE:
            return function(self, source) if size is None else function(
                self, source, storage_offset, size, stride or ())
        storage = source.untyped() if hasattr(source, "untyped") else source
        if size is None:
            size, stride = (storage.nbytes() // self.element_size(),), (1,)
        return _C.set_storage(self, storage._cdata, storage_offset, size, stride or ())
    return set_


def _bytes(storage):
    """Return the bytes of a storage of an NPU as a tensor."""
    empty = torch.empty(0, dtype=torch.uint8, device=storage.device)
    return _C.set_storage(empty, storage._cdata, 0, (storage.nbytes(),), (1,))


def _wrap_write(function):
    @functools.wraps(function)
    def _write_file(self, *args):
        return function(self.cpu(), *args)
    return _write_file


def _wrap_read(function):
    @functools.wraps(function)
    def _set_from_file(self, *args):
        if self.device.type != _TYPE:
            return function(self, *args)
        host = function(torch.UntypedStorage(self.nbytes()), *args)
        _bytes(self).copy_(torch.tensor([], dtype=torch.uint8).set_(host))
        return self
    return _set_from_file


def _wrap_copy(function, copy):
    """Wrap a method of storages that copies, which 1.13 knows for some devices only."""
    @functools.wraps(function)
    def method(self):
        if self.device.type != _TYPE:
            return function(self)
        return copy(_bytes(self)).storage().untyped()
    return method


def _location(storage):
    """Return the name of the device of a storage, in files."""
    if storage.device.type == _TYPE:
        return f"npu:{storage.device.index}"
    return None


def _restore(storage, location):
    """Move a storage that was read to the device of this name."""
    name = str(location).replace(_TYPE, "npu")
    if name != "npu" and not name.startswith("npu:"):
        return None
    where = torch.device(name)
    if where.index is not None and where.index >= npu.device_count():
        raise RuntimeError(
            f"a tensor was saved on {name}, but there are {npu.device_count()} NPUs: "
            "use map_location of torch.load() to load it elsewhere")
    host = torch.tensor([], dtype=torch.uint8).set_(storage)
    return host.to(where).storage().untyped()


def _wrap_seed(function):
    @functools.wraps(function)
    def manual_seed(seed):
        npu.manual_seed_all(seed)
        return function(seed)
    return manual_seed


def _wrap_type(function):
    """Let types have the names of torch.npu, such as torch.npu.FloatTensor."""
    @functools.wraps(function)
    def type(self, dtype=None, non_blocking=False, **kwargs):
        if dtype is None:
            return function(self).replace(_TYPE, "npu")
        if isinstance(dtype, str):
            dtype = npu.TYPES.get(dtype.replace("torch.npu.", ""), dtype)
        if dtype not in npu.TYPES.values():
            return function(self, dtype, non_blocking, **kwargs)
        return self.npu(self.device if self.is_npu else None, non_blocking).to(dtype.dtype)
    return type


def _wrap_text(function):
    """Let the text of a tensor's elements be that of a copy on the CPU."""
    @functools.wraps(function)
    def text(tensor, *args, **kwargs):
        return function(tensor.cpu() if tensor.is_npu else tensor, *args, **kwargs)
    return text


def _wrap_backward(function):
    """Let gradients be computed on the current stream, after the work of all others.

    Types are those of the forward pass, so autocast is off.
    """
    @functools.wraps(function)
    def backward(*args, **kwargs):
        enabled = amp.is_autocast_enabled()
        _C.join_streams(True)
        amp.set_autocast_enabled(False)
        try:
            return function(*args, **kwargs)
        finally:
            amp.set_autocast_enabled(enabled)
            _C.join_streams(False)
    return backward


def install():
    """Change PyTorch's names; called once, on import."""
    for name in _FACTORIES:
        setattr(torch, name, _wrap(getattr(torch, name)))
    for name in ("fftfreq", "rfftfreq"):
        setattr(torch.fft, name, _wrap(getattr(torch.fft, name)))
    for name in _METHODS:
        setattr(torch.Tensor, name, _wrap_to(getattr(torch.Tensor, name)))
    torch.nn.Module.to = _wrap_to(torch.nn.Module.to)
    torch.device = device
    torch.Tensor.npu = _tensor_npu
    torch.Tensor.new = _wrap_new(torch.Tensor.new)
    torch.Tensor.set_ = _wrap_set(torch.Tensor.set_)
    torch.Tensor.is_npu = property(lambda self: self.device.type == _TYPE)
    torch.Tensor.pin_memory = _pin_memory
    torch.Tensor.is_pinned = lambda self, device=None: _C.is_pinned(self)
    torch.Tensor.type = _wrap_type(torch.Tensor.type)
    torch.Tensor.record_stream = _record_stream
    storage = torch.UntypedStorage
    storage.cpu = _wrap_copy(storage.cpu, torch.Tensor.cpu)
    storage.clone = _wrap_copy(storage.clone, torch.Tensor.clone)
    storage._write_file = _wrap_write(storage._write_file)
    storage._set_from_file = _wrap_read(storage._set_from_file)
    torch.nn.Module.npu = _module_npu
    torch.manual_seed = torch.random.manual_seed = _wrap_seed(torch.manual_seed)
    torch.Generator = random.Generator
    torch.autocast = torch.amp.autocast = amp.torch_autocast
    for module, name in ((torch.autograd, "backward"), (torch.autograd, "grad")):
        setattr(module, name, _wrap_backward(getattr(module, name)))
    torch._tensor_str._tensor_str = _wrap_text(torch._tensor_str._tensor_str)
    torch.serialization.register_package(15, _location, _restore)
