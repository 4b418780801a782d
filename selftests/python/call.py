# SPDX-License-Identifier: GPL-2.0-only
"""Shared parts of the tests of the Python module on a device."""

import tap      # makes the modules of the build importable

import acl

HUGE_FIRST = 0
PARAM_INVALID = 107000


def ok(result):
    """Return the results of a call that succeeds, without the code."""
    *values, code = result if isinstance(result, tuple) else (result,)
    assert code == 0, (code, acl.get_recent_err_msg())
    return values[0] if len(values) == 1 else tuple(values)


def free_bytes():
    return ok(acl.rt.get_mem_info(1))[0]
