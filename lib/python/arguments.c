// SPDX-License-Identifier: MIT
/*
 * Arguments of the module's functions, see acl_module.h.
 */
#include "acl_module.h"

#include <assert.h>

void *acl_call_alloc(struct acl_call *call, size_t number, size_t size)
{
	void *block = NULL;

	if (call->used < ACL_BLOCKS)
		block = PyMem_Calloc(number ? number : 1, size);
	if (block)
		call->blocks[call->used++] = block;
	else
		PyErr_NoMemory();
	return block;
}

void acl_call_end(struct acl_call *call)
{
	while (call->used)
		PyMem_Free(call->blocks[--call->used]);
	while (call->kept)
		Py_DECREF(call->objects[--call->kept]);
}

void acl_call_keep(struct acl_call *call, PyObject *object)
{
	assert(call->kept < ACL_BLOCKS);
	call->objects[call->kept++] = object;
}

bool acl_arg_count(struct acl_call *call, Py_ssize_t least, Py_ssize_t most)
{
	if (call->count >= least && call->count <= most)
		return true;
	if (least == most)
		PyErr_Format(PyExc_TypeError,
			"%s takes %zd arguments, not %zd", call->name, most,
			call->count);
	else
		PyErr_Format(PyExc_TypeError,
			"%s takes %zd to %zd arguments, not %zd", call->name,
			least, most, call->count);
	return false;
}

static bool refuse(const struct acl_call *call, Py_ssize_t index,
		   PyObject *type, const char *needed, PyObject *object)
{
	PyErr_Format(type, "%s: %s must be %s, not %.100s", call->name,
		call->names[index], needed, Py_TYPE(object)->tp_name);
	return false;
}

bool acl_arg_refuse(const struct acl_call *call, Py_ssize_t index,
		    PyObject *type, const char *needed)
{
	return refuse(call, index, type, needed, call->values[index]);
}

static bool refuse_number(const struct acl_call *call, Py_ssize_t index,
			  PyObject *number, bool is_signed, size_t size)
{
	PyErr_Format(PyExc_ValueError,
		"%s: %s = %R does not fit a number of %zu bits %s sign",
		call->name, call->names[index], number, size * 8,
		is_signed ? "with" : "without");
	return false;
}

void acl_store(uint64_t bits, void *value, size_t size)
{
	switch (size) {
	case 1:
		*(uint8_t *)value = bits;
		break;
	case 2:
		*(uint16_t *)value = bits;
		break;
	case 4:
		*(uint32_t *)value = bits;
		break;
	default:
		*(uint64_t *)value = bits;
	}
}

bool acl_number(const struct acl_call *call, Py_ssize_t index, PyObject *number,
		bool is_signed, void *value, size_t size)
{
	unsigned int shift = 64 - size * 8;
	uint64_t bits;
	PyObject *exact;
	bool fits;

	if (!PyIndex_Check(number))
		return refuse(call, index, PyExc_TypeError, "an integer",
			      number);
	exact = PyNumber_Index(number);
	if (!exact)
		return false;
	if (is_signed) {
		int overflow;
		long long wide = PyLong_AsLongLongAndOverflow(exact, &overflow);

		bits = (uint64_t)wide;
		fits = !overflow &&
		       (int64_t)(bits << shift) >> shift == (int64_t)bits;
	} else {
		bits = PyLong_AsUnsignedLongLong(exact);
		fits = !PyErr_Occurred() && bits << shift >> shift == bits;
		PyErr_Clear();
	}
	Py_DECREF(exact);
	if (!fits)
		return refuse_number(call, index, number, is_signed, size);
	acl_store(bits, value, size);
	return true;
}

bool acl_item_uint(const struct acl_call *call, Py_ssize_t index,
		   PyObject *item, void *value, size_t size)
{
	return acl_number(call, index, item, false, value, size);
}

bool acl_item_int(const struct acl_call *call, Py_ssize_t index,
		  PyObject *item, void *value, size_t size)
{
	return acl_number(call, index, item, true, value, size);
}

bool acl_item_enum(const struct acl_call *call, Py_ssize_t index,
		   PyObject *item, void *value, size_t size)
{
	int64_t wide;

	if (!acl_number(call, index, item, true, &wide, sizeof(wide)))
		return false;
	if (wide < INT32_MIN || wide > UINT32_MAX)
		return refuse_number(call, index, item, true, size);
	acl_store((uint64_t)wide, value, size);
	return true;
}

bool acl_item_float(const struct acl_call *call, Py_ssize_t index,
		    PyObject *item, void *value, size_t size)
{
	double number = PyFloat_AsDouble(item);

	if (number == -1 && PyErr_Occurred()) {
		if (PyErr_ExceptionMatches(PyExc_TypeError))
			refuse(call, index, PyExc_TypeError, "a number", item);
		return false;
	}
	if (size == sizeof(float))
		*(float *)value = (float)number;
	else
		*(double *)value = number;
	return true;
}

bool acl_item_string(const struct acl_call *call, Py_ssize_t index,
		     PyObject *item, void *value, size_t size)
{
	const char *text;
	Py_ssize_t length;

	(void)size;
	if (!PyUnicode_Check(item))
		return refuse(call, index, PyExc_TypeError, "a str", item);
	text = PyUnicode_AsUTF8AndSize(item, &length);
	if (!text)
		return false;
	if (strlen(text) != (size_t)length || length > INT32_MAX) {
		PyErr_Format(PyExc_ValueError,
			"%s: %s has a NUL character, or is too long",
			call->name, call->names[index]);
		return false;
	}
	*(const char **)value = text;
	return true;
}

bool acl_arg_uint(struct acl_call *call, Py_ssize_t index, void *value,
		  size_t size)
{
	return acl_item_uint(call, index, call->values[index], value, size);
}

bool acl_arg_int(struct acl_call *call, Py_ssize_t index, void *value,
		 size_t size)
{
	return acl_item_int(call, index, call->values[index], value, size);
}

bool acl_arg_enum(struct acl_call *call, Py_ssize_t index, void *value,
		  size_t size)
{
	return acl_item_enum(call, index, call->values[index], value, size);
}

bool acl_arg_any(struct acl_call *call, Py_ssize_t index, void *value,
		 size_t size)
{
	if (acl_arg_int(call, index, value, size))
		return true;
	if (!PyErr_ExceptionMatches(PyExc_ValueError))
		return false;
	PyErr_Clear();
	return acl_arg_uint(call, index, value, size);
}

bool acl_arg_float(struct acl_call *call, Py_ssize_t index, void *value,
		   size_t size)
{
	return acl_item_float(call, index, call->values[index], value, size);
}

bool acl_arg_string(struct acl_call *call, Py_ssize_t index, const char **value)
{
	return acl_item_string(call, index, call->values[index], value,
			       sizeof(*value));
}

bool acl_arg_optional(struct acl_call *call, Py_ssize_t index,
		      const char **value)
{
	return index >= call->count || acl_arg_string(call, index, value);
}

bool acl_arg_callable(struct acl_call *call, Py_ssize_t index)
{
	return PyCallable_Check(call->values[index]) ||
	       acl_arg_refuse(call, index, PyExc_TypeError, "callable");
}

void acl_refuse_address(const struct acl_call *call, Py_ssize_t index,
			uint64_t address, uint64_t size, const char *verb)
{
	PyErr_Format(PyExc_ValueError,
		"%s: %s = %p is not the address of %llu bytes that the host can %s",
		call->name, call->names[index], (void *)(uintptr_t)address,
		(unsigned long long)size, verb);
}

bool acl_check_readable(struct acl_call *call, Py_ssize_t index,
			const void *address, uint64_t size)
{
	if (!size || !address || acl_host_may(acl_address(address), size, false))
		return true;
	acl_refuse_address(call, index, acl_address(address), size, "read");
	return false;
}

bool acl_check_writable(struct acl_call *call, Py_ssize_t index,
			const void *address, uint64_t size)
{
	if (!size || !address || acl_host_may(acl_address(address), size, true))
		return true;
	acl_refuse_address(call, index, acl_address(address), size, "write");
	return false;
}

static bool is_device(const void *address)
{
	aclrtPtrAttributes attributes = { 0 };

	return !aclrtPointerGetAttributes(address, &attributes) &&
	       (attributes.location.type == ACL_MEM_LOCATION_TYPE_DEVICE ||
		attributes.location.type == ACL_MEM_LOCATION_TYPE_MANAGED);
}

static bool check_host(struct acl_call *call, const void *address, uint64_t size,
		       bool write)
{
	if (acl_host_may(acl_address(address), size, write))
		return true;
	PyErr_Format(PyExc_ValueError,
		"%s: %p is neither device memory nor the address of %llu bytes that the host can %s",
		call->name, address, (unsigned long long)size,
		write ? "write" : "read");
	return false;
}

bool acl_check_copy(struct acl_call *call, const void *dst, uint64_t dst_size,
		    const void *src, uint64_t src_size)
{
	if (!dst || !src || !dst_size || !src_size || is_device(dst) ||
	    is_device(src))
		return true;
	return check_host(call, dst, dst_size, true) &&
	       check_host(call, src, src_size, false);
}

bool acl_check_fill(struct acl_call *call, const void *dst, uint64_t size)
{
	return !dst || !size || is_device(dst) ||
	       check_host(call, dst, size, true);
}

bool acl_check_within(struct acl_call *call, Py_ssize_t index, uint64_t length,
		      const char *text)
{
	if (length <= strlen(text))
		return true;
	PyErr_Format(PyExc_ValueError,
		"%s: %s = %llu is more than the length of the string, %zu",
		call->name, call->names[index], (unsigned long long)length,
		strlen(text));
	return false;
}

bool acl_text_alloc(struct acl_call *call, char **text, uint64_t size)
{
	if (size > ACL_TEXT_MAX) {
		PyErr_Format(PyExc_ValueError,
			"%s: a length of %llu is more than %d", call->name,
			(unsigned long long)size, ACL_TEXT_MAX);
		return false;
	}
	/* One byte more, a zero, ends the library's text. */
	*text = acl_call_alloc(call, size + 1, 1);
	return *text;
}
