// SPDX-License-Identifier: MIT
/*
 * Lists as arguments of the module's functions, see acl_module.h.
 */
#include "acl_module.h"

/*
 * Return a tuple of the items, which no other thread can change; the call keeps
 * it.  Arrays have tolist(), which makes Python's numbers.
 */
static PyObject *items_of(struct acl_call *call, Py_ssize_t index)
{
	PyObject *value = call->values[index], *list, *items;

	if (PyList_Check(value)) {
		items = PyList_AsTuple(value);
	} else {
		list = PyObject_CallMethod(value, "tolist", NULL);
		if (!list && !PyErr_ExceptionMatches(PyExc_AttributeError))
			return NULL;
		if (!list || !PyList_Check(list)) {
			Py_XDECREF(list);
			acl_arg_refuse(call, index, PyExc_TypeError,
				       "a list, or an array of one dimension");
			return NULL;
		}
		items = PyList_AsTuple(list);
		Py_DECREF(list);
	}
	if (items)
		acl_call_keep(call, items);
	return items;
}

static void *convert(struct acl_call *call, Py_ssize_t index, size_t size,
		     acl_item *item, Py_ssize_t *length)
{
	PyObject *objects = items_of(call, index);
	char *items;

	if (!objects)
		return NULL;
	*length = PyTuple_GET_SIZE(objects);
	items = acl_call_alloc(call, *length, size);
	for (Py_ssize_t i = 0; items && i < *length; i++)
		if (!item(call, index, PyTuple_GET_ITEM(objects, i),
			  items + i * size, size))
			return NULL;
	return items;
}

bool acl_arg_list(struct acl_call *call, Py_ssize_t index, void **items,
		  size_t size, acl_item *item, void *length,
		  size_t length_size)
{
	Py_ssize_t number;

	*items = convert(call, index, size, item, &number);
	if (*items)
		acl_store(number, length, length_size);
	return *items;
}

bool acl_arg_same(struct acl_call *call, Py_ssize_t index, void **items,
		  size_t size, acl_item *item, uint64_t length)
{
	Py_ssize_t number;

	*items = convert(call, index, size, item, &number);
	if (!*items)
		return false;
	if ((uint64_t)number == length)
		return true;
	PyErr_Format(PyExc_ValueError,
		"%s: %s has %zd items, and %s has %llu", call->name,
		call->names[index], number, call->names[index - 1],
		(unsigned long long)length);
	return false;
}

/* Lists of integers: one array, in which each list has its place. */
struct lists {
	Py_ssize_t count;
	int *lengths;
	int64_t **values;
};

/* Return the items of all lists one after the other, and set the lengths. */
static PyObject *join_lists(struct acl_call *call, Py_ssize_t index,
			    PyObject *lists, int *lengths)
{
	PyObject *joined = PyList_New(0), *items = NULL;
	Py_ssize_t number = PyTuple_GET_SIZE(lists), end = 0;

	for (Py_ssize_t i = 0; joined && i < number; i++) {
		PyObject *list = PyTuple_GET_ITEM(lists, i);

		if (!PyList_Check(list) ||
		    end + PyList_GET_SIZE(list) > INT_MAX) {
			acl_arg_refuse(call, index, PyExc_TypeError,
				       "a list of lists");
			Py_CLEAR(joined);
		} else if (PyList_SetSlice(joined, end, end, list)) {
			Py_CLEAR(joined);
		} else {
			lengths[i] = (int)(PyList_GET_SIZE(joined) - end);
			end = PyList_GET_SIZE(joined);
		}
	}
	if (joined)
		items = PyList_AsTuple(joined);
	Py_XDECREF(joined);
	if (items)
		acl_call_keep(call, items);
	return items;
}

static bool arg_lists(struct acl_call *call, Py_ssize_t index,
		      struct lists *lists)
{
	PyObject *objects = items_of(call, index), *items;
	int64_t *numbers;

	if (!objects)
		return false;
	lists->count = PyTuple_GET_SIZE(objects);
	lists->lengths = acl_call_alloc(call, lists->count,
					sizeof(*lists->lengths));
	lists->values = acl_call_alloc(call, lists->count,
				       sizeof(*lists->values));
	if (!lists->lengths || !lists->values)
		return false;
	items = join_lists(call, index, objects, lists->lengths);
	if (!items)
		return false;
	numbers = acl_call_alloc(call, PyTuple_GET_SIZE(items),
				 sizeof(*numbers));
	for (Py_ssize_t i = 0; numbers && i < PyTuple_GET_SIZE(items); i++)
		if (!acl_item_int(call, index, PyTuple_GET_ITEM(items, i),
				  &numbers[i], sizeof(*numbers)))
			return false;
	for (Py_ssize_t i = 0; numbers && i < lists->count; i++) {
		lists->values[i] = numbers;
		numbers += lists->lengths[i];
	}
	return numbers;
}

ACL_FUNCTION(op_set_attr_list_list_int)
{
	static const char *const names[] = { "attr", "attr_name", "values" };
	struct acl_call call = { "acl.op.set_attr_list_list_int", names, values,
				 count };
	PyObject *result = NULL;
	struct lists lists;
	const char *name;
	aclopAttr *attr;

	(void)module;
	if (acl_arg_count(&call, 3, 3) &&
	    acl_arg_uint(&call, 0, &attr, sizeof(attr)) &&
	    acl_arg_string(&call, 1, &name) &&
	    arg_lists(&call, 2, &lists))
		result = PyLong_FromLong(aclopSetAttrListListInt(attr, name,
			(int)lists.count, lists.lengths,
			(const int64_t *const *)lists.values));
	acl_call_end(&call);
	return result;
}
