// SPDX-License-Identifier: MIT
/*
 * Functions of Python that the library calls: callbacks of streams, of failures
 * and of allocators.
 *
 * They may run in any thread, and take the interpreter's lock.  An exception in
 * one goes to sys.unraisablehook.  When the interpreter ends, no more of them
 * begin: a thread that asked for its lock then would never return.
 */
#include "acl_module.h"

#include <stdatomic.h>
#include <time.h>

/* Callbacks of streams that have not run: number -> (function, data, stream). */
static PyObject *launched;
static unsigned long long last_number;

/* The function for failures, and the failure that it is called for. */
static PyObject *exception_function;
static aclrtExceptionInfo *_Atomic exception_info;

/* The functions of allocators, one of each kind in the process. */
enum { ALLOC, FREE, ADVISE, ADDRESS, ALLOCATOR_KINDS };
static PyObject *allocator_functions[ALLOCATOR_KINDS];

/* Check whether the interpreter ends, and the callbacks that run. */
static atomic_bool ending;
static atomic_uint running;

/* Enter a callback; return false if the interpreter ends. */
static bool callback_begin(PyGILState_STATE *state)
{
	atomic_fetch_add(&running, 1);
	if (atomic_load(&ending)) {
		atomic_fetch_sub(&running, 1);
		return false;
	}
	*state = PyGILState_Ensure();
	return true;
}

static void callback_end(PyGILState_STATE state)
{
	PyGILState_Release(state);
	atomic_fetch_sub(&running, 1);
}

PyObject *acl_callbacks_end(PyObject *module, PyObject *unused)
{
	const struct timespec turn = { .tv_nsec = 1000000 };

	(void)module;
	(void)unused;
	atomic_store(&ending, true);
	Py_BEGIN_ALLOW_THREADS
	/* A callback that never returns delays the end by a few seconds. */
	for (int i = 0; i < 2000 && atomic_load(&running); i++)
		nanosleep(&turn, NULL);
	Py_END_ALLOW_THREADS
	Py_RETURN_NONE;
}

/* Call a function with arguments that this takes over; report an exception. */
static PyObject *call(PyObject *function, PyObject *arguments)
{
	PyObject *result = NULL;

	if (arguments)
		result = PyObject_Call(function, arguments, NULL);
	if (!result)
		PyErr_WriteUnraisable(function);
	Py_XDECREF(arguments);
	return result;
}

/*
 * Callbacks of streams.  The library gets a number rather than the objects, since
 * it does not report callbacks that it drops.
 */
static PyObject *launched_add(PyObject *function, PyObject *data,
			      aclrtStream stream)
{
	PyObject *number = PyLong_FromUnsignedLongLong(++last_number);
	PyObject *entry = Py_BuildValue("OOK", function, data,
					acl_address(stream));

	if (!launched)
		launched = PyDict_New();
	if (!number || !entry || !launched ||
	    PyDict_SetItem(launched, number, entry))
		Py_CLEAR(number);
	Py_XDECREF(entry);
	return number;
}

/* Remove an entry, and return it if it existed. */
static PyObject *launched_take(PyObject *number)
{
	PyObject *entry = PyDict_GetItem(launched, number);

	Py_XINCREF(entry);
	if (entry)
		PyDict_DelItem(launched, number);
	return entry;
}

void acl_callbacks_drop(unsigned long long stream)
{
	PyObject *numbers = launched ? PyDict_Keys(launched) : NULL;

	for (Py_ssize_t i = 0; numbers && i < PyList_GET_SIZE(numbers); i++) {
		PyObject *number = PyList_GET_ITEM(numbers, i);
		PyObject *entry = PyDict_GetItem(launched, number);

		if (entry && PyLong_AsUnsignedLongLong(
				PyTuple_GET_ITEM(entry, 2)) == stream)
			Py_XDECREF(launched_take(number));
	}
	Py_XDECREF(numbers);
	PyErr_Clear();
}

static void call_launched(void *data)
{
	PyObject *number, *entry;
	PyGILState_STATE state;

	if (!callback_begin(&state))
		return;
	number = PyLong_FromVoidPtr(data);
	entry = number ? launched_take(number) : NULL;
	if (entry) {
		Py_XDECREF(call(PyTuple_GET_ITEM(entry, 0),
			Py_BuildValue("(O)", PyTuple_GET_ITEM(entry, 1))));
		Py_DECREF(entry);
	}
	Py_XDECREF(number);
	callback_end(state);
}

ACL_FUNCTION(rt_launch_callback)
{
	static const char *const names[] = { "fn", "user_data", "block_type",
					     "stream" };
	struct acl_call call = { "acl.rt.launch_callback", names, values, count };
	aclrtCallbackBlockType type;
	aclrtStream stream;
	PyObject *number;
	aclError ret;
	void *data;

	(void)module;
	if (!acl_arg_count(&call, 4, 4) || !acl_arg_callable(&call, 0) ||
	    !acl_arg_enum(&call, 2, &type, sizeof(type)) ||
	    !acl_arg_uint(&call, 3, &stream, sizeof(stream)))
		return NULL;
	number = launched_add(values[0], values[1], stream);
	if (!number)
		return NULL;
	data = PyLong_AsVoidPtr(number);
	Py_BEGIN_ALLOW_THREADS
	ret = aclrtLaunchCallback(call_launched, data, type, stream);
	Py_END_ALLOW_THREADS
	if (ret)
		Py_XDECREF(launched_take(number));
	Py_DECREF(number);
	return PyLong_FromLong(ret);
}

static void call_exception(aclrtExceptionInfo *info)
{
	PyGILState_STATE state;
	PyObject *function;

	if (!callback_begin(&state))
		return;
	function = exception_function;
	if (function) {
		Py_INCREF(function);
		atomic_store(&exception_info, info);
		Py_XDECREF(call(function,
				Py_BuildValue("(K)", acl_address(info))));
		atomic_store(&exception_info, NULL);
		Py_DECREF(function);
	}
	callback_end(state);
}

bool acl_arg_info(struct acl_call *call, Py_ssize_t index,
		  aclrtExceptionInfo **info)
{
	if (!acl_arg_uint(call, index, info, sizeof(*info)))
		return false;
	if (!*info || *info == atomic_load(&exception_info))
		return true;
	PyErr_Format(PyExc_ValueError,
		"%s: %s = %p is not that of the callback that runs",
		call->name, call->names[index], (void *)*info);
	return false;
}

ACL_FUNCTION(rt_set_exception_info_callback)
{
	static const char *const names[] = { "callback" };
	struct acl_call call = { "acl.rt.set_exception_info_callback", names,
				 values, count };
	PyObject *function = NULL;
	aclError ret;

	(void)module;
	if (!acl_arg_count(&call, 0, 1))
		return NULL;
	if (count && values[0] != Py_None) {
		if (!acl_arg_callable(&call, 0))
			return NULL;
		function = values[0];
	}
	Py_BEGIN_ALLOW_THREADS
	ret = aclrtSetExceptionInfoCallback(function ? call_exception : NULL);
	Py_END_ALLOW_THREADS
	if (!ret) {
		Py_XINCREF(function);
		Py_XSETREF(exception_function, function);
	}
	return PyLong_FromLong(ret);
}

/* Call an allocator's function, and return its address; NULL on errors. */
static void *call_allocator(int kind, const char *format,
			    unsigned long long first, unsigned long long second,
			    unsigned long long third)
{
	PyObject *function, *result;
	PyGILState_STATE state;
	void *address = NULL;

	if (!callback_begin(&state))
		return NULL;
	function = allocator_functions[kind];
	Py_INCREF(function);
	result = call(function, Py_BuildValue(format, first, second, third));
	if (result && result != Py_None) {
		address = PyLong_AsVoidPtr(result);
		if (PyErr_Occurred())
			PyErr_WriteUnraisable(function);
	}
	Py_XDECREF(result);
	Py_DECREF(function);
	callback_end(state);
	return address;
}

static void *call_alloc(aclrtAllocator allocator, size_t size)
{
	return call_allocator(ALLOC, "(KK)", acl_address(allocator), size, 0);
}

static void call_free(aclrtAllocator allocator, aclrtAllocatorBlock block)
{
	call_allocator(FREE, "(KK)", acl_address(allocator), acl_address(block),
		       0);
}

static void *call_advise(aclrtAllocator allocator, size_t size,
			 aclrtAllocatorAddr address)
{
	return call_allocator(ADVISE, "(KKK)", acl_address(allocator), size,
			      acl_address(address));
}

static void *call_address(aclrtAllocatorBlock block)
{
	return call_allocator(ADDRESS, "(K)", acl_address(block), 0, 0);
}

/* Check the arguments of the functions below, and keep the function. */
static bool allocator_begin(struct acl_call *call, int kind,
			    aclrtAllocatorDesc *desc)
{
	if (!acl_arg_count(call, 2, 2) ||
	    !acl_arg_uint(call, 0, desc, sizeof(*desc)) ||
	    !acl_arg_callable(call, 1))
		return false;
	if (!allocator_functions[kind]) {
		Py_INCREF(call->values[1]);
		allocator_functions[kind] = call->values[1];
	}
	return true;
}

/* The last function that was set successfully serves all allocators. */
static PyObject *allocator_end(struct acl_call *call, int kind, aclError ret)
{
	if (!ret) {
		Py_INCREF(call->values[1]);
		Py_SETREF(allocator_functions[kind], call->values[1]);
	}
	return PyLong_FromLong(ret);
}

#define ALLOCATOR_SETTER(_name, _set, _call, _kind)			\
ACL_FUNCTION(rt_##_name)						\
{									\
	static const char *const names[] = { "allocator_desc", "func" };	\
	struct acl_call call = { "acl.rt." #_name, names, values, count };	\
	aclrtAllocatorDesc desc;					\
	aclError ret;							\
									\
	(void)module;							\
	if (!allocator_begin(&call, _kind, &desc))			\
		return NULL;						\
	Py_BEGIN_ALLOW_THREADS						\
	ret = _set(desc, _call);					\
	Py_END_ALLOW_THREADS						\
	return allocator_end(&call, _kind, ret);			\
}

ALLOCATOR_SETTER(allocator_set_alloc_func_to_desc,
		 aclrtAllocatorSetAllocFuncToDesc, call_alloc, ALLOC)
ALLOCATOR_SETTER(allocator_set_free_func_to_desc,
		 aclrtAllocatorSetFreeFuncToDesc, call_free, FREE)
ALLOCATOR_SETTER(allocator_set_alloc_advise_func_to_desc,
		 aclrtAllocatorSetAllocAdviseFuncToDesc, call_advise, ADVISE)
ALLOCATOR_SETTER(allocator_set_get_addr_from_block_func_to_desc,
		 aclrtAllocatorSetGetAddrFromBlockFuncToDesc, call_address,
		 ADDRESS)
