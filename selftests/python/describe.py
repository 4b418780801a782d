#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Descriptions of models and tensors, and attributes of operators, on the host."""

import sys

sys.path.insert(0, "selftests/model")

import harness
from harness import FILES, affine, compile_model
from tap import B, equal, main, raises, test

import acl

harness.PLACES["atc"] = f"{B}/cann/bin/atc"

INVALID_PARAM, NOT_SUPPORTED, NO_FILE, NO_MODEL = 100000, 200001, 145002, 145006
FLOAT, FLOAT16, ND = 0, 1, 2
LOAD_TYPE, PATH, ADDRESS, SIZE, WORKSPACE_NUMBER = 1, 2, 3, 4, 9
FROM_FILE, FROM_MEMORY = 1, 3
GEAR_INPUT = "ascend_mbatch_shape_data"


class Described:
    """The description of a model that is compiled with options of atc."""

    def __init__(self, model, *options):
        self.path, _ = compile_model(model, *options)

    def __enter__(self):
        self.desc = acl.mdl.create_desc()
        equal(acl.mdl.get_desc_from_file(self.desc, self.path), 0)
        return self.desc

    def __exit__(self, *_):
        equal(acl.mdl.destroy_desc(self.desc), 0)


@test
def _():
    """A description has names, sizes and types."""
    with Described(affine()) as desc:
        equal((acl.mdl.get_num_inputs(desc), acl.mdl.get_num_outputs(desc)), (1, 1))
        dims = {"name": "x", "dimCount": 2, "dims": [2, 3]}
        equal(acl.mdl.get_input_dims(desc, 0), (dims, 0))
        equal(acl.mdl.get_input_dims_v2(desc, 0), (dims, 0))
        equal(acl.mdl.get_output_dims(desc, 0), ({**dims, "name": "shift:0:y"}, 0))
        equal(acl.mdl.get_input_name_by_index(desc, 0), "x")
        equal(acl.mdl.get_output_name_by_index(desc, 0), "shift:0:y")
        equal(acl.mdl.get_input_index_by_name(desc, "x"), (0, 0))
        equal(acl.mdl.get_output_index_by_name(desc, "shift:0:y"), (0, 0))
        equal(acl.mdl.get_tensor_real_name(desc, "x"), "x")
        equal(acl.mdl.get_tensor_real_name(desc, "z"), None)
        equal(acl.mdl.get_input_size_by_index(desc, 0), 24)
        equal(acl.mdl.get_output_size_by_index(desc, 0), 24)
        equal(acl.mdl.get_input_data_type(desc, 0), FLOAT)
        equal(acl.mdl.get_output_data_type(desc, 0), FLOAT)
        equal(acl.mdl.get_input_format(desc, 0), acl.mdl.get_output_format(desc, 0))
        equal(acl.mdl.get_dynamic_batch(desc), ({"batchCount": 0, "batch": []}, 0))


@test
def _():
    """Gears are lists."""
    with Described(affine(["n", 3]), "--input_shape=x:-1,3",
                   "--dynamic_batch_size=1,8") as desc:
        equal(acl.mdl.get_dynamic_batch(desc), ({"batchCount": 2, "batch": [1, 8]}, 0))
        equal(acl.mdl.get_input_dims(desc, 0)[0]["dims"], [-1, 3])
        equal(acl.mdl.get_input_index_by_name(desc, GEAR_INPUT), (1, 0))
    with Described(affine([1, 3, "h", "w"]), "--input_shape=x:1,3,-1,-1",
                   "--dynamic_image_size=8,6;4,2") as desc:
        equal(acl.mdl.get_dynamic_hw(desc, -1),
              ({"hwCount": 2, "hw": [[8, 6], [4, 2]]}, 0))
    with Described(affine(["n", "m"]), "--input_shape=x:-1,-1",
                   "--dynamic_dims=1,2;3,4") as desc:
        equal(acl.mdl.get_input_dynamic_gear_count(desc, -1), (2, 0))
        gears, code = acl.mdl.get_input_dynamic_dims(desc, -1, 2)
        equal((code, [gear["dims"] for gear in gears]), (0, [[1, 2], [3, 4]]))
        # More room than gears, and less.
        equal(len(acl.mdl.get_input_dynamic_dims(desc, -1, 1 << 40)[0]), 2)
        equal(acl.mdl.get_input_dynamic_dims(desc, -1, 1), ([], INVALID_PARAM))


@test
def _():
    """A file is described and measured in memory, too."""
    path, _ = compile_model(affine())
    with open(path, "rb") as file:
        content = file.read()
    address, size = acl.util.bytes_to_ptr(content), len(content)
    desc = acl.mdl.create_desc()
    equal(acl.mdl.get_desc_from_mem(desc, address, size), 0)
    equal(acl.mdl.get_num_inputs(desc), 1)
    equal(acl.mdl.query_size_from_mem(address, size), acl.mdl.query_size(path))
    equal(acl.mdl.get_desc_from_mem(desc, address, 10), NO_MODEL)
    raises(ValueError, acl.mdl.get_desc_from_mem, desc, 4096, size)
    raises(ValueError, acl.mdl.query_size_from_mem, address, 1 << 62)
    raises(ValueError, acl.mdl.load_from_mem, 4096, size)
    raises(ValueError, acl.mdl.load_from_mem_with_mem, 4096, size, 0, 0, 0, 0)
    equal(acl.mdl.get_desc_from_file(desc, FILES.path("none.om")), NO_FILE)
    assert "none.om" in acl.get_recent_err_msg()
    equal(acl.mdl.destroy_desc(desc), 0)
    equal(acl.mdl.destroy_desc(desc), INVALID_PARAM)
    equal(acl.mdl.get_input_dims(desc, 0),
          ({"name": "", "dimCount": 0, "dims": []}, INVALID_PARAM))


@test
def _():
    """Options of loads have the types of their attributes."""
    handle = acl.mdl.create_config_handle()
    path, content = FILES.path("none.om"), b"no model"
    for attr, value in ((0, 7), (LOAD_TYPE, FROM_FILE), (PATH, path)):
        equal(acl.mdl.set_config_opt(handle, attr, value), 0)
    equal(acl.mdl.set_config_opt(handle, 0, 8), INVALID_PARAM)
    equal(acl.mdl.set_config_opt(handle, WORKSPACE_NUMBER, 1), NOT_SUPPORTED)
    raises(TypeError, acl.mdl.set_config_opt, handle, PATH, 1)
    raises(TypeError, acl.mdl.set_config_opt, handle, LOAD_TYPE, "1")
    raises(ValueError, acl.mdl.set_config_opt, handle, 0, 1 << 31)
    raises(TypeError, acl.mdl.set_config_opt, handle, LOAD_TYPE, 1, 8)
    # An address is checked when it is read.
    for attr, value in ((LOAD_TYPE, FROM_MEMORY), (SIZE, len(content)),
                        (ADDRESS, 4096)):
        equal(acl.mdl.set_config_opt(handle, attr, value), 0)
    raises(ValueError, acl.mdl.load_with_config, handle)
    address = acl.util.bytes_to_ptr(content)
    equal(acl.mdl.set_config_opt(handle, ADDRESS, address), 0)
    number, code = acl.mdl.load_with_config(handle)
    assert code and not number, (number, code)
    equal(acl.mdl.destroy_config_handle(handle), 0)
    equal(acl.mdl.destroy_config_handle(handle), INVALID_PARAM)
    equal(acl.mdl.load_with_config(handle), (0, INVALID_PARAM))
    handle = acl.mdl.create_exec_config_handle()
    for attr, value in ((0, -1), (1, 100), (2, 1 << 40), (3, 4096)):
        equal(acl.mdl.set_exec_config_opt(handle, attr, value), 0)
    raises(ValueError, acl.mdl.set_exec_config_opt, handle, 0, 1 << 31)
    raises(ValueError, acl.mdl.set_exec_config_opt, handle, 3, -1)
    equal(acl.mdl.destroy_exec_config_handle(handle), 0)


@test
def _():
    """Sizes as dicts are checked."""
    choose = acl.mdl.set_input_dynamic_dims
    for dims in ({}, {"dims": 3}, {"dims": [1], "dimCount": 2}, {"dims": [1] * 129},
                 {"dims": [1], "dimCount": -1}, {"dims": [1 << 63]}):
        raises(ValueError, choose, 1, 0, 0, dims)
    for dims in [1], {"dims": ["1"]}, {"dims": [1], "dimCount": "1"}:
        raises(TypeError, choose, 1, 0, 0, dims)
    assert choose(1, 0, 0, {"name": "", "dimCount": 1, "dims": [1]})


@test
def _():
    """Datasets hold buffers and descriptions."""
    dataset = acl.mdl.create_dataset()
    buffer = acl.create_data_buffer(0, 0)
    equal(acl.mdl.add_dataset_buffer(dataset, buffer), (dataset, 0))
    equal(acl.mdl.get_dataset_num_buffers(dataset), 1)
    equal(acl.mdl.get_dataset_buffer(dataset, 0), buffer)
    equal(acl.mdl.get_dataset_buffer(dataset, 1), 0)
    desc = acl.create_tensor_desc(FLOAT, [4, 2], ND)
    equal(acl.mdl.get_dataset_tensor_desc(dataset, 0), 0)
    equal(acl.mdl.set_dataset_tensor_desc(dataset, desc, 0), 0)
    copy = acl.mdl.get_dataset_tensor_desc(dataset, 0)
    equal(acl.get_tensor_desc_num_dims(copy), 2)
    equal(acl.mdl.destroy_dataset(dataset), 0)
    equal(acl.mdl.add_dataset_buffer(dataset, buffer)[1], INVALID_PARAM)
    equal(acl.destroy_data_buffer(buffer), 0)
    acl.destroy_tensor_desc(desc)


@test
def _():
    """Descriptions of tensors have what they were made of."""
    desc = acl.create_tensor_desc(FLOAT16, [2, -1, 3], ND)
    equal(acl.get_tensor_desc_type(desc), FLOAT16)
    equal(acl.get_tensor_desc_format(desc), ND)
    equal(acl.get_tensor_desc_num_dims(desc), 3)
    equal([acl.get_tensor_desc_dim(desc, i) for i in range(4)], [2, -1, 3, -1])
    equal(acl.get_tensor_desc_dim_v2(desc, 1), (-1, 0))
    equal(acl.get_tensor_desc_dim_v2(desc, 3)[1], INVALID_PARAM)
    equal(acl.get_tensor_desc_name(desc), "")
    equal(acl.set_tensor_desc_name(desc, "weights"), None)
    equal(acl.get_tensor_desc_name(desc), "weights")
    equal(acl.destroy_tensor_desc(desc), None)
    equal(acl.get_tensor_desc_num_dims(desc), 0)
    desc = acl.create_tensor_desc(FLOAT, [4, 2], ND)
    equal(acl.get_tensor_desc_element_count(desc), 8)
    equal(acl.get_tensor_desc_size(desc), 32)
    acl.destroy_tensor_desc(desc)
    equal(acl.create_tensor_desc(FLOAT, [1] * 129, ND), 0)
    raises(TypeError, acl.create_tensor_desc, FLOAT, 1, ND)
    raises(TypeError, acl.create_tensor_desc, FLOAT, ["1"], ND)
    raises(ValueError, acl.create_tensor_desc, FLOAT, [1 << 63], ND)


class Array:
    """An array of another package."""

    def __init__(self, items):
        self.items = items

    def tolist(self):
        return self.items


@test
def _():
    """Attributes are of lists and of arrays."""
    attr = acl.op.create_attr()
    for name, value in (("bool", True), ("int", -1), ("float", 0.5), ("string", "x"),
                        ("data_type", FLOAT16)):
        equal(getattr(acl.op, f"set_attr_{name}")(attr, name, value), 0)
    for name, values in (("bool", [True, False]), ("int", [-1, 1 << 62]),
                         ("float", [0.5, 1]), ("string", ["x", ""]),
                         ("data_type", [FLOAT, -1])):
        function = getattr(acl.op, f"set_attr_list_{name}")
        equal(function(attr, name, values), 0)
        equal(function(attr, name, Array(values)), 0)
        equal(function(attr, name, []), 0)
        raises(TypeError, function, attr, name, [None])
        raises(TypeError, function, attr, name, [values])
        raises(TypeError, function, attr, name, Array(1))
        raises(TypeError, function, attr, name, "text")
    raises(ValueError, acl.op.set_attr_list_string, attr, "x", ["a\0b"])
    raises(ValueError, acl.op.set_attr_list_int, attr, "x", [1 << 63])
    raises(ValueError, acl.op.set_attr_list_bool, attr, "x", [256])
    raises(ZeroDivisionError, acl.op.set_attr_list_int, attr, "x", Bad())
    lists = acl.op.set_attr_list_list_int
    for values in [], [[]], [[1, -2], [], [3]]:
        equal(lists(attr, "x", values), 0)
    for values in [1], [(1, 2)], [[None]], [[[1]]], 1:
        raises(TypeError, lists, attr, "x", values)
    raises(ValueError, lists, attr, "x", [[1], [1 << 63]])
    equal(acl.op.destroy_attr(attr), None)
    equal(acl.op.set_attr_int(attr, "x", 1), INVALID_PARAM)


class Bad:
    def tolist(self):
        return 1 // 0


@test
def _():
    """Lists that belong together have one length."""
    desc, buffer = acl.create_tensor_desc(FLOAT, [4], ND), acl.create_data_buffer(0, 0)
    for run in acl.op.execute, acl.op.execute_v2:
        error = raises(ValueError, run, "Add", [desc, desc], [buffer], [desc],
                       [buffer], 0, 0)
        assert "inputs has 1 items, and input_desc has 2" in str(error), error
        raises(ValueError, run, "Add", [], [], [], [buffer], 0, 0)
        raises(TypeError, run, "Add", [None], [buffer], [], [], 0, 0)
    acl.destroy_tensor_desc(desc)
    equal(acl.destroy_data_buffer(buffer), 0)


if __name__ == "__main__":
    main()
