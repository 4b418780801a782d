// SPDX-License-Identifier: MIT
/*
 * Arrays of numpy: the part of acl.util that needs it, which loads it at its first
 * call.
 */
#include "acl_module.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

static bool load(void)
{
	return PyArray_API || _import_array() >= 0;
}

/* Return the array that is the only argument of a function, or NULL. */
static PyArrayObject *array_of(struct acl_call *call)
{
	if (!acl_arg_count(call, 1, 1) || !load())
		return NULL;
	if (!PyArray_Check(call->values[0])) {
		acl_arg_refuse(call, 0, PyExc_ValueError, "an ndarray");
		return NULL;
	}
	return (PyArrayObject *)call->values[0];
}

static const char *const array_names[] = { "array" };

ACL_FUNCTION(util_numpy_to_ptr)
{
	struct acl_call call = { "acl.util.numpy_to_ptr", array_names, values,
				 count };
	PyArrayObject *array = array_of(&call);

	(void)module;
	if (!array)
		return NULL;
	if (!PyArray_IS_C_CONTIGUOUS(array) && !PyArray_IS_F_CONTIGUOUS(array) &&
	    PyErr_WarnEx(PyExc_RuntimeWarning,
		"acl.util.numpy_to_ptr: the array has gaps; use acl.util.numpy_contiguous_to_ptr",
		1))
		return NULL;
	return PyLong_FromVoidPtr(PyArray_DATA(array));
}

ACL_FUNCTION(util_numpy_contiguous_to_ptr)
{
	struct acl_call call = { "acl.util.numpy_contiguous_to_ptr", array_names,
				 values, count };
	PyArrayObject *array = array_of(&call);

	(void)module;
	if (array)
		array = PyArray_GETCONTIGUOUS(array);
	if (!array)
		return NULL;
	return Py_BuildValue("KN", acl_address(PyArray_DATA(array)), array);
}

/* Convert the shape; return the bytes of the array, or -1. */
static npy_intp convert_shape(struct acl_call *call, PyObject *shape,
			      npy_intp *dims, npy_intp item)
{
	npy_intp bytes = item;

	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); i++) {
		if (!acl_number(call, 1, PyTuple_GET_ITEM(shape, i), true,
				&dims[i], sizeof(dims[i])))
			return -1;
		if (dims[i] < 0 || __builtin_mul_overflow(bytes, dims[i], &bytes)) {
			PyErr_Format(PyExc_ValueError, "%s: %R is no shape",
				call->name, shape);
			return -1;
		}
	}
	return bytes;
}

ACL_FUNCTION(util_ptr_to_numpy)
{
	static const char *const names[] = { "ptr", "shape", "data_type" };
	struct acl_call call = { "acl.util.ptr_to_numpy", names, values, count };
	npy_intp dims[NPY_MAXDIMS], bytes;
	PyArray_Descr *type;
	uint64_t ptr;
	int number, flags = 0;

	(void)module;
	if (!acl_arg_count(&call, 3, 3) || !load() ||
	    !acl_arg_uint(&call, 0, &ptr, sizeof(ptr)) ||
	    !acl_arg_int(&call, 2, &number, sizeof(number)))
		return NULL;
	if (!PyTuple_Check(values[1]) ||
	    PyTuple_GET_SIZE(values[1]) > NPY_MAXDIMS) {
		acl_arg_refuse(&call, 1, PyExc_TypeError,
			       "a tuple of up to 32 numbers");
		return NULL;
	}
	if (!PyTypeNum_ISNUMBER(number) && number != NPY_BOOL) {
		PyErr_Format(PyExc_ValueError,
			"%s: data_type = %d is no type of numbers of numpy",
			call.name, number);
		return NULL;
	}
	type = PyArray_DescrFromType(number);
	if (!type)
		return NULL;
	bytes = convert_shape(&call, values[1], dims, type->elsize);
	if (bytes > 0 && !acl_host_may(ptr, bytes, false)) {
		acl_refuse_address(&call, 0, ptr, bytes, "read");
		bytes = -1;
	}
	if (bytes < 0) {
		Py_DECREF(type);
		return NULL;
	}
	if (!bytes || acl_host_may(ptr, bytes, true))
		flags = NPY_ARRAY_WRITEABLE;
	return PyArray_NewFromDescr(&PyArray_Type, type,
		(int)PyTuple_GET_SIZE(values[1]), dims, NULL,
		bytes ? (void *)(uintptr_t)ptr : NULL, flags, NULL);
}
