#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The functions of the module acl are those of its table and of its stub."""

import ast
import inspect
import re

from tap import SITE, equal, functions, main, test

import acl

TABLE = "lib/python/acl.table"


def table_names():
    with open(TABLE, encoding="utf-8") as file:
        return [line.split()[0] for line in file
                if line.strip() and line[0] not in "#\t"]


def stub_arguments():
    """Return {name: arguments} of the stub."""
    with open(f"{SITE}/acl.pyi", encoding="utf-8") as file:
        tree = ast.parse(file.read())
    found = {}
    for prefix, body in [("", tree.body)] + [
            (f"{node.name}.", node.body) for node in tree.body
            if isinstance(node, ast.ClassDef)]:
        for node in body:
            if isinstance(node, ast.FunctionDef):
                assert not node.args.args, f"{node.name} has named arguments"
                found[prefix + node.name] = [a.arg for a in node.args.posonlyargs]
    return found


@test
def _():
    """Each line of the table is a function, and each function a line."""
    names = table_names()
    equal(len(names), len(set(names)))
    equal(sorted(functions()), sorted(names))


@test
def _():
    """The stub has each function with the arguments of its signature."""
    stub = stub_arguments()
    found = functions()
    del found["rt.__getattr__"]
    equal(sorted(stub), sorted(found))
    for name, function in found.items():
        signature = inspect.signature(function)
        equal((name, list(signature.parameters)), (name, stub[name]))


@test
def _():
    """Each function has a description."""
    for name, function in functions().items():
        assert "\n\nReturn " in function.__doc__, name


@test
def _():
    """Each call of the library that pyACL has is in the table."""
    # Families of calls, all of whose functions pyACL has.
    families = {"acl.rt.": ("malloc", "free", "memcpy", "memcpy_async", "memset",
                            "create_stream", "synchronize_stream", "create_event",
                            "process_report", "launch_callback", "launch_kernel",
                            "get_mem_info", "get_run_mode", "set_device"),
                "acl.": ("init", "finalize", "create_data_buffer",
                         "get_recent_err_msg", "get_soc_name"),
                "acl.util.": ("bytes_to_ptr", "ptr_to_bytes", "numpy_to_ptr",
                              "ptr_to_numpy", "start_thread", "stop_thread")}
    names = {f"acl.{name}" for name in table_names()}
    for prefix, wanted in families.items():
        equal([n for n in wanted if prefix + n not in names], [])
    assert len(names) >= 340, len(names)


# Calls on graphs, and others that pyACL does not have.
NOT_IN_PYACL = re.compile("aclmdlRI|aclmdlExecuteAsyncV2|aclmdl[GS]etAttribute|aclopCompile")


@test
def _():
    """All calls on models, operators and matrices are in the table."""
    with open("lib/libvnpu.map", encoding="utf-8") as file:
        calls = re.findall(r"\b(acl(?:mdl|op|blas)\w+);", file.read())
    with open(TABLE, encoding="utf-8") as file:
        words = file.read().split()
    equal([c for c in calls if c not in words and not NOT_IN_PYACL.match(c)], [])
    assert len(calls) > 80, calls


@test
def _():
    """Submodules can be imported by their names."""
    import acl.blas
    import acl.mdl
    import acl.op
    import acl.prof
    import acl.rt
    import acl.util
    assert acl.rt.malloc and acl.prof.init and acl.util.bytes_to_ptr
    assert acl.mdl.execute and acl.op.execute and acl.blas.hgemm


main()
