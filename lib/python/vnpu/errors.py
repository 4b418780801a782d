# SPDX-License-Identifier: MIT
"""Codes of AscendCL as exceptions."""

import acl

OUT_OF_MEMORY = 207001          # ACL_ERROR_RT_MEMORY_ALLOCATION
CONTEXT_NULL = 107002           # ACL_ERROR_RT_CONTEXT_NULL


class Error(RuntimeError):
    """A call of AscendCL failed. `code` is its code, the text the library's."""

    def __init__(self, code, text=None):
        super().__init__(text or f"error {code} of AscendCL")
        self.code = code


class OutOfMemoryError(Error, MemoryError):
    """Memory of the device, or of a pool, ran out."""


def failed(code):
    """Return the exception of a code, with the library's message."""
    kind = OutOfMemoryError if code == OUT_OF_MEMORY else Error
    return kind(code, acl.get_recent_err_msg())


def check(result):
    """Return the results without the code, which is last, or raise Error.

    None stands for no result, and a single one is returned alone.
    """
    if not isinstance(result, tuple):
        result = (result,)
    *values, code = result
    if code:
        raise failed(code)
    return tuple(values) if len(values) > 1 else values[0] if values else None
