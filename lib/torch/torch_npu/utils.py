# SPDX-License-Identifier: MIT
"""torch.utils on NPUs: pinned batches, and parts of models that are computed again."""

import functools

import torch.utils.checkpoint
from torch.utils.data import _utils, dataloader

from . import amp, random
from .device import is_available


def _wrap_loader(function):
    """Let the thread that takes a batch pin it: PyTorch's own thread needs CUDA."""
    @functools.wraps(function)
    def __init__(self, loader):
        function(self, loader)
        self._npu_pins = loader.pin_memory and is_available()
        self._pin_memory = False
    return __init__


def _wrap_next(function):
    @functools.wraps(function)
    def __next__(self):
        batch = function(self)
        return _utils.pin_memory.pin_memory(batch) if self._npu_pins else batch
    return __next__


class _Repeated:
    """A function that has the random numbers and the types of its first call in all calls."""

    def __init__(self, function, keeps_random):
        self._function, self._keeps_random = function, keeps_random
        self._first = None

    def __call__(self, *args, **kwargs):
        before = self._state()
        if self._first is None:
            self._first = before
            return self._function(*args, **kwargs)
        self._set_state(self._first)
        try:
            return self._function(*args, **kwargs)
        finally:
            self._set_state(before)

    def _state(self):
        return (amp.is_autocast_enabled(), amp.get_autocast_dtype(),
                random.get_rng_state_all() if self._keeps_random else [])

    @staticmethod
    def _set_state(state):
        enabled, dtype, generators = state
        amp.set_autocast_enabled(enabled)
        amp.set_autocast_dtype(dtype)
        random.set_rng_state_all(generators)


def _wrap_checkpoint(function):
    @functools.wraps(function)
    def checkpoint(run, *args, **kwargs):
        return function(_Repeated(run, kwargs.get("preserve_rng_state", True)),
                        *args, **kwargs)
    return checkpoint


def install():
    """Change PyTorch's functions; called once, on import."""
    iterator = dataloader._BaseDataLoaderIter
    iterator.__init__ = _wrap_loader(iterator.__init__)
    iterator.__next__ = _wrap_next(iterator.__next__)
    torch.utils.checkpoint.checkpoint = _wrap_checkpoint(torch.utils.checkpoint.checkpoint)
