#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Wrong arguments raise TypeError or ValueError, or give a code, and never crash.

Each function is called with random arguments of all types, with and without a
device. The seed is printed, and SEED= sets it. TRACE=1 prints each call before it.
"""

import inspect
import os
import random
import sys
import tempfile

from tap import equal, functions, main, raises, test

import acl

ROUNDS = int(os.environ.get("ROUNDS", "20"))
TRACE = os.environ.get("TRACE")
SEED = int(os.environ.get("SEED", random.randrange(1 << 32)))

# They let a stream wait for a value that nothing writes, or end the work of others.
SKIPPED = {"rt.value_wait", "rt.wait_and_reset_notify", "rt.device_task_abort"}

NUMBERS = (0, 1, 2, 3, 7, 64, 4096, 65537, -1, -2, 1 << 31, (1 << 32) - 1, 1 << 32,
           1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 64, -(1 << 63))
OTHERS = (None, True, 1.5, "", "text", "a" * 5000, "a\0b", "\udc80", b"bytes", (),
          (1, 2), [], [1, -2, 3], ["x"], [1 << 70], [{}], {}, {"location": {}},
          {"location": 3}, {"attrs": [{"value": {"rsv": [1] * 9}}]},
          {"dims": [1, 2], "dimCount": 2}, {"dims": [[1]]}, [0.5, True], ["Add", "x"],
          {"type": "x"}, [{"type": 1, "value": -1}], {"bytes": [1]}, object(), len,
          [None] * 3, 1j, range(3))


class Index:
    """A number that is one only where it is asked for."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


def argument(chance, handles):
    kind = chance.random()
    if kind < 0.5:
        return chance.choice(NUMBERS)
    if kind < 0.75:
        return chance.choice(handles)
    if kind < 0.95:
        return chance.choice(OTHERS)
    return Index(chance.choice((1, "no", 1 << 65, KeyError("no"))))


def offline_handles():
    """Return handles of models and operators, which need no device."""
    return [acl.create_tensor_desc(0, [4, 2], 2), acl.create_data_buffer(0, 8),
            acl.mdl.create_desc(), acl.mdl.create_dataset(),
            acl.mdl.create_config_handle(), acl.mdl.create_exec_config_handle(),
            acl.op.create_attr()]


def call(name, function, args):
    if TRACE:
        print(f"# {name}{args}", flush=True)
    try:
        function(*args)
    except (TypeError, ValueError, KeyError, RuntimeError, AttributeError):
        pass
    except (MemoryError, OverflowError, BufferError) as error:
        raise AssertionError(f"{name}{args}: {error!r}") from error


def attack(handles, rounds):
    chance = random.Random(SEED)
    for name, function in functions().items():
        if name in SKIPPED:
            continue
        wanted = len(inspect.signature(function).parameters)
        for turn in range(rounds):
            number = wanted if turn % 4 else chance.randrange(wanted + 2)
            args = [argument(chance, handles) for _ in range(number)]
            call(name, function, args)


@test
def _():
    """Random arguments without a current device."""
    print(f"# SEED={SEED} ROUNDS={ROUNDS}")
    attack(NUMBERS, ROUNDS)
    attack(NUMBERS[:8] + tuple(offline_handles()), ROUNDS)


@test
def _():
    """Random arguments with handles and addresses of a device."""
    if acl.rt.set_device(0):
        return
    handles = []
    for created in (acl.rt.create_stream(), acl.rt.create_event(),
                    acl.rt.malloc(65536, 0), acl.rt.malloc_host(65536),
                    acl.rt.create_notify(0), acl.rt.create_context(0),
                    acl.rt.reserve_mem_address(1 << 21, 0, 0, 0)):
        equal(created[-1], 0)
        handles.append(created[0])
    handles += [acl.create_data_buffer(0, 8), acl.prof.create_stamp(),
                acl.prof.create_step_info(), acl.rt.create_group_info(),
                acl.rt.allocator_create_desc(), *offline_handles(), 0]
    equal(acl.rt.set_device(0), 0)
    attack(handles, ROUNDS)
    acl.rt.set_exception_info_callback(None)
    acl.rt.set_device(0)
    equal(acl.rt.reset_device_force(0), 0)


@test
def _():
    """Errors name the function and the argument."""
    error = raises(TypeError, acl.rt.malloc, "1", 0)
    equal(str(error), "acl.rt.malloc: size must be an integer, not str")
    error = raises(TypeError, acl.rt.malloc, 1)
    equal(str(error), "acl.rt.malloc takes 2 arguments, not 1")
    raises(TypeError, lambda: acl.rt.malloc(size=1, policy=0))
    error = raises(ValueError, acl.rt.set_device, 1 << 31)
    assert "acl.rt.set_device: device_id = 2147483648" in str(error), error
    raises(ValueError, acl.rt.free, -1)
    raises(KeyError, acl.rt.free, Index(KeyError("no")))


@test
def _():
    """Addresses that the host cannot read raise ValueError."""
    raises(ValueError, acl.util.ptr_to_bytes, 8, 1)
    raises(ValueError, acl.util.ptr_to_bytes, 0, 1)
    data = b"0123456789"
    start = acl.util.bytes_to_ptr(data)
    equal(acl.util.ptr_to_bytes(start + 2, 3), b"234")
    equal(acl.util.ptr_to_bytes(0, 0), b"")
    raises(ValueError, acl.util.ptr_to_bytes, start, 1 << 62)
    raises(ValueError, acl.util.ptr_to_bytes, (1 << 64) - 4096, 8192)
    raises(ValueError, acl.util.bytes_to_ptr, "text")
    raises(ValueError, acl.rt.create_binary, 4096, 100)
    raises(ValueError, acl.prof.set_stamp_trace_message, 1, "abc", 4)
    raises(ValueError, acl.rt.get_task_id_from_exception_info, start)
    raises(ValueError, acl.rt.ipc_mem_get_export_key, 0, 1, 1 << 30, 0)


@test
def _():
    """Objects with __index__ stand for their number."""
    equal(acl.data_type_size(Index(0)), 4)
    equal(acl.data_type_size(True), 2)
    raises(TypeError, acl.data_type_size, 0.0)


if __name__ == "__main__":
    # Exceptions of callbacks that were random arguments are not worth a line.
    sys.unraisablehook = lambda report: None
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
