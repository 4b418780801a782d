# SPDX-License-Identifier: MIT
"""Devices: numbers, as in AscendCL."""

import contextlib

import acl

from .errors import CONTEXT_NULL, check


def device_count():
    return check(acl.rt.get_device_count())


def set_device(number):
    """Use a device in this thread from now on."""
    check(acl.rt.set_device(number))


def current_device():
    """Return the number of the thread's device, which is 0 if none was set."""
    number, code = acl.rt.get_device()
    if code == CONTEXT_NULL:
        set_device(number := 0)
        code = 0
    return check((number, code))


@contextlib.contextmanager
def device(number):
    """Use a device inside a with statement, and then the former one again."""
    former = current_device()
    set_device(number)
    try:
        yield number
    finally:
        set_device(former)


@contextlib.contextmanager
def in_context(context):
    """Use a context inside a with statement, and then the former one again."""
    former, none = acl.rt.get_context()
    check(acl.rt.set_context(context))
    try:
        yield
    finally:
        if not none:
            acl.rt.set_context(former)


def synchronize():
    """Wait for all streams of the thread's device."""
    check(acl.rt.synchronize_device())


def mem_get_info(attribute=1):
    """Return the free and all bytes of the thread's device."""
    current_device()
    return check(acl.rt.get_mem_info(attribute))
