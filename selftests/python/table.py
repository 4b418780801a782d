#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The functions of the module acl are those of its table and of its stub."""

import ast
import inspect

from tap import SITE, equal, main, test

import acl

TABLE = "lib/python/acl.table"


def table_names():
    with open(TABLE, encoding="utf-8") as file:
        return [line.split()[0] for line in file
                if line.strip() and line[0] not in "#\t"]


def module_functions():
    """Return {name: function} of acl and its submodules."""
    functions = {}
    for prefix, module in (("", acl), ("rt.", acl.rt), ("prof.", acl.prof),
                           ("util.", acl.util), ("_vnpu.", acl._vnpu)):
        functions.update({prefix + name: value
                          for name, value in vars(module).items()
                          if inspect.isbuiltin(value)})
    return functions


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
    equal(sorted(module_functions()), sorted(names))


@test
def _():
    """The stub has each function with the arguments of its signature."""
    stub = stub_arguments()
    functions = module_functions()
    del functions["rt.__getattr__"]
    equal(sorted(stub), sorted(functions))
    for name, function in functions.items():
        signature = inspect.signature(function)
        equal((name, list(signature.parameters)), (name, stub[name]))


@test
def _():
    """Each function has a description."""
    for name, function in module_functions().items():
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
    assert len(names) >= 245, len(names)


@test
def _():
    """Submodules can be imported by their names."""
    import acl.prof
    import acl.rt
    import acl.util
    assert acl.rt.malloc and acl.prof.init and acl.util.bytes_to_ptr


main()
