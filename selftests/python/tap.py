# SPDX-License-Identifier: GPL-2.0-only
"""Shared parts of the tests of the Python module: a list of tests that prints TAP.

Importing it makes the modules of the build importable.
"""

import faulthandler
import inspect
import os
import sys
import traceback

B = os.environ.get("B", "build")
SITE = os.path.abspath(f"{B}/cann/python/site-packages")
sys.path.insert(0, SITE)

TESTS = []
LIMIT = 120         # seconds of one test


def test(function):
    """Add a test, whose name is the first line of its docstring."""
    TESTS.append(function)
    return function


def equal(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def raises(kind, function, *args):
    """Check that a call raises, and return the exception."""
    try:
        result = function(*args)
    except kind as error:
        return error
    raise AssertionError(f"{args} gave {result!r}, no {kind}")


def functions():
    """Return {name: function} of the module acl and its submodules."""
    import acl
    modules = {f"{name}.": module for name, module in vars(acl).items()
               if inspect.ismodule(module)}
    return {prefix + name: value for prefix, module in {"": acl, **modules}.items()
            for name, value in sorted(vars(module).items())
            if inspect.isbuiltin(value)}


def main():
    """Run the tests. One that hangs ends the program, with a trace."""
    faulthandler.enable()
    failed = 0
    print(f"TAP version 13\n1..{len(TESTS)}", flush=True)
    for number, function in enumerate(TESTS, 1):
        name = function.__doc__.splitlines()[0].rstrip(".")
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        try:
            function()
            print(f"ok {number} {name}", flush=True)
        except Exception:       # whatever a test raises is its failure
            failed += 1
            print(f"not ok {number} {name}", flush=True)
            text = traceback.format_exc()
            print("".join(f"# {line}\n" for line in text.splitlines()), flush=True)
    sys.exit(failed > 0)
