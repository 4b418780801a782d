// SPDX-License-Identifier: MIT
/*
 * Lists as arguments of the module's functions, see acl_module.h.
 */
#include "acl_module.h"

/*
 * Return a tuple of the items, which no other thread can change; the call keeps
 * it.  Arrays have tolist(), whose numbers are Python's.
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
