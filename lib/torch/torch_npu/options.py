# SPDX-License-Identifier: MIT
"""Options, marks for the profiler, and limits of time."""

import functools
import os
import types

import acl
import torch

from . import _C
from .device import check, init
from .streams import current_stream

_options = {"jit_compile": "disable"}
_state = {"nd": True}

# float32 is computed in full, and memory has no formats but ND: these change nothing.
matmul = types.SimpleNamespace(allow_hf32=False)
conv = types.SimpleNamespace(allow_hf32=False)
config = types.SimpleNamespace(allow_internal_format=False)


def set_option(option):
    """Keep options of a compiler; operators are compiled already."""
    if not isinstance(option, dict):
        raise TypeError(f"options are a dict, not {type(option).__name__}")
    _options.update(option)


def set_compile_mode(jit_compile=False):
    """Keep whether operators are compiled at their first call: they never are."""
    _options["jit_compile"] = "enable" if jit_compile else "disable"


def is_jit_compile_false():
    return _options["jit_compile"] == "disable"


def set_aoe(dump_path):
    """Keep a directory for graphs to tune: operators are compiled, so none is written."""
    if not os.path.isdir(dump_path):
        raise ValueError(f"{dump_path!r} is no directory")
    _state["aoe"] = dump_path


def set_mm_bmm_format_nd(is_nd):
    """Keep whether products take matrices as they are, which they always do."""
    if not isinstance(is_nd, bool):
        raise TypeError(f"expected a bool, not {type(is_nd).__name__}")
    _state["nd"] = is_nd


def get_mm_bmm_format_nd():
    return _state["nd"]


def set_op_timeout_ms(timeout):
    """Limit the milliseconds of an operator."""
    check(acl.rt.set_op_execute_timeout_v2(timeout * 1000))


def init_dump():
    """Begin to dump operators, as set_dump() says."""
    init()
    check(acl.mdl.init_dump())


def set_dump(cfg_file):
    """Read what to dump: a JSON file as for acl.mdl.set_dump().

    Operators of tensors need "dump_op_switch": "on".
    """
    check(acl.mdl.set_dump(cfg_file))


def finalize_dump():
    """End the dump."""
    check(acl.mdl.finalize_dump())


def get_npu_overflow_flag():
    """Return whether a result of this process overflowed into saturation."""
    status = torch.zeros(64, dtype=torch.uint8, device="npu")
    check(acl.rt.get_overflow_status(status.data_ptr(), 64, current_stream().npu_stream))
    return bool(status.cpu().any())


def clear_npu_overflow_flag():
    check(acl.rt.reset_overflow_status(current_stream().npu_stream))


class mstx:
    """Marks and ranges of a program, for msprof."""

    @staticmethod
    def mark(message, stream=None):
        """Mark this moment."""
        del stream              # the mark is of the host
        check(acl.prof.mark_ex(str(message), 0))

    @staticmethod
    def range_start(message, stream=None):
        """Begin a range, and return what range_end() takes."""
        del stream
        stamp = acl.prof.create_stamp()
        check(acl.prof.set_stamp_trace_message(stamp, str(message), len(str(message))))
        number, code = acl.prof.range_start(stamp)
        check(code)
        return stamp, number

    @staticmethod
    def range_end(range_id):
        stamp, number = range_id
        check(acl.prof.range_stop(number))
        acl.prof.destroy_stamp(stamp)

    @classmethod
    def mstx_range(cls, message, stream=None):
        """Return a decorator that makes each call of a function a range."""
        def decorate(function):
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                number = cls.range_start(message, stream)
                try:
                    return function(*args, **kwargs)
                finally:
                    cls.range_end(number)
            return wrapper
        return decorate
