# SPDX-License-Identifier: MIT
"""Mixed precision: autocast, and a scaler of the loss."""

import functools

import torch

from . import _C

_torch_autocast = torch.autocast


class autocast:
    """Let operators of a with statement, or of a function, use a lower precision.

    Products run in `dtype`, float16 or bfloat16; functions that need more precision,
    and sums, run in float32. lib/torch/autocast.cpp has the lists. Gradients have
    the types of their tensors.
    """

    def __init__(self, enabled=True, dtype=torch.float16, cache_enabled=True):
        if dtype not in get_amp_supported_dtype():
            raise RuntimeError(f"autocast of NPUs is to float16 or bfloat16, not to {dtype}")
        self.enabled, self.dtype = enabled, dtype
        self._before = []

    def __enter__(self):
        self._before.append((is_autocast_enabled(), get_autocast_dtype()))
        set_autocast_dtype(self.dtype)
        set_autocast_enabled(self.enabled)
        return self

    def __exit__(self, *exception):
        enabled, dtype = self._before.pop()
        set_autocast_enabled(enabled)
        set_autocast_dtype(dtype)

    def __call__(self, function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with autocast(self.enabled, self.dtype):
                return function(*args, **kwargs)
        return wrapper


class _Type(type):
    """The type torch.autocast. Its first argument may be "npu"."""

    def __instancecheck__(cls, value):
        return isinstance(value, (autocast, _torch_autocast))

    def __call__(cls, device_type, dtype=None, enabled=True, cache_enabled=None):
        if device_type in ("npu", "privateuseone"):
            return autocast(enabled, dtype or torch.float16)
        return _torch_autocast(device_type, dtype, enabled, cache_enabled)


class torch_autocast(metaclass=_Type):
    __doc__ = _torch_autocast.__doc__


def is_autocast_enabled():
    """Return whether autocast is on in this thread."""
    return _C.is_autocast_enabled()


def set_autocast_enabled(enabled):
    _C.set_autocast_enabled(bool(enabled))


def get_autocast_dtype():
    """Return the type of the lower precision."""
    return torch.float16 if _C.is_autocast_to_half() else torch.bfloat16


def set_autocast_dtype(dtype):
    _C.set_autocast_type(torch.empty(0, dtype=dtype))


def get_amp_supported_dtype():
    """Return the types that autocast can use."""
    return [torch.float16, torch.bfloat16]


class GradScaler:
    """Scale a loss up, so that gradients of half precision do not become 0.

    step() unscales the gradients, and leaves the optimizer's step out if they have
    infinite or undefined elements. update() then lowers the scale; it raises the
    scale after `growth_interval` steps in a row.
    """

    def __init__(self, init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5,
                 growth_interval=2000, enabled=True):
        if growth_factor <= 1 or not 0 < backoff_factor < 1:
            raise ValueError("growth_factor is more than 1, and backoff_factor is "
                             f"between 0 and 1, not {growth_factor} and {backoff_factor}")
        self._enabled = enabled
        self._scale = float(init_scale)
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        self._good_steps = 0
        self._found = {}        # whether gradients of an optimizer are not finite
        self._stepped = set()   # optimizers after step()

    def scale(self, outputs):
        """Return a tensor, or all tensors of a list or tuple, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, torch.Tensor):
            return outputs * self._scale
        return type(outputs)(map(self.scale, outputs))

    def unscale_(self, optimizer):
        """Divide the gradients of an optimizer by the scale, once in a step."""
        if not self._enabled:
            return
        if id(optimizer) in self._found:
            raise RuntimeError("unscale_() has already been called on this optimizer "
                               "since the last update()")
        gradients = [p.grad for group in optimizer.param_groups
                     for p in group["params"] if p.grad is not None]
        if not gradients:
            raise RuntimeError("no parameter of the optimizer has a gradient")
        if any(g.dtype == torch.float16 for g in gradients):
            raise ValueError("gradients of float16 cannot be unscaled: keep the "
                             "parameters in float32")
        with torch.no_grad():
            # An element that is not finite becomes undefined by a product with 0.
            sums = [g.mul_(1 / self._scale).mul(0).sum().to(gradients[0].device)
                    for g in gradients]
            self._found[id(optimizer)] = sum(sums[1:], sums[0]).item() != 0

    def step(self, optimizer, *args, **kwargs):
        """Do the optimizer's step, unless gradients are not finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if id(optimizer) in self._stepped:
            raise RuntimeError("step() has already been called on this optimizer "
                               "since the last update()")
        if id(optimizer) not in self._found:
            self.unscale_(optimizer)
        self._stepped.add(id(optimizer))
        if self._found[id(optimizer)]:
            return None
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale=None):
        """Set the scale for the next step."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._found:
            raise RuntimeError("update() needs a step() or an unscale_() before it")
        elif any(self._found.values()):
            self._scale *= self._backoff_factor
            self._good_steps = 0
        else:
            self._good_steps += 1
            if self._good_steps == self._growth_interval:
                self._scale *= self._growth_factor
                self._good_steps = 0
        self._found.clear()
        self._stepped.clear()

    def get_scale(self):
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self):
        return self._growth_factor

    def set_growth_factor(self, new_factor):
        self._growth_factor = new_factor

    def get_backoff_factor(self):
        return self._backoff_factor

    def set_backoff_factor(self, new_factor):
        self._backoff_factor = new_factor

    def get_growth_interval(self):
        return self._growth_interval

    def set_growth_interval(self, new_interval):
        self._growth_interval = new_interval

    def is_enabled(self):
        return self._enabled

    def state_dict(self):
        if not self._enabled:
            return {}
        return {"scale": self._scale, "growth_factor": self._growth_factor,
                "backoff_factor": self._backoff_factor,
                "growth_interval": self._growth_interval,
                "_growth_tracker": self._good_steps}

    def load_state_dict(self, state_dict):
        if not self._enabled:
            return
        self._scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._good_steps = state_dict["_growth_tracker"]
