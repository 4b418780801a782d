// SPDX-License-Identifier: MIT
/*
 * acl.util.start_thread() and stop_thread(): acl.rt.subscribe_report() takes
 * the numbers of these threads.
 */
#include "acl_module.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

/* A thread that was not stopped.  All is under the interpreter's lock. */
struct thread {
	struct thread *next;
	pthread_t id;
	PyObject *function;
	PyObject *argument;
	PyObject *error;		/* a text of the exception, or NULL */
};

static struct thread *threads;

static struct thread *thread_take(pthread_t id)
{
	struct thread **link = &threads;

	while (*link && !pthread_equal((*link)->id, id))
		link = &(*link)->next;
	if (*link) {
		struct thread *found = *link;

		*link = found->next;
		return found;
	}
	return NULL;
}

static void thread_free(struct thread *thread)
{
	Py_XDECREF(thread->function);
	Py_XDECREF(thread->argument);
	Py_XDECREF(thread->error);
	PyMem_Free(thread);
}

/* Keep the text of the exception for stop_thread(), and report it. */
static void keep_error(struct thread *thread)
{
	PyObject *type, *value, *traceback;

	PyErr_Fetch(&type, &value, &traceback);
	PyErr_NormalizeException(&type, &value, &traceback);
	thread->error = PyUnicode_FromFormat("exception=%s,msg=%S",
		value ? Py_TYPE(value)->tp_name : "", value);
	PyErr_Clear();
	PyErr_Restore(type, value, traceback);
	PyErr_WriteUnraisable(thread->function);
}

static void *thread_run(void *data)
{
	PyGILState_STATE state = PyGILState_Ensure();
	struct thread *thread = data;
	PyObject *result;

	if (thread->argument == Py_None)
		result = PyObject_CallNoArgs(thread->function);
	else
		result = PyObject_CallOneArg(thread->function, thread->argument);
	if (!result)
		keep_error(thread);
	Py_XDECREF(result);
	/* Their destructors may need the lock that the thread has now. */
	Py_CLEAR(thread->function);
	Py_CLEAR(thread->argument);
	PyGILState_Release(state);
	return NULL;
}

ACL_FUNCTION(util_start_thread)
{
	static const char *const names[] = { "func", "args" };
	struct acl_call call = { "acl.util.start_thread", names, values, count };
	struct thread *thread;
	int error;

	(void)module;
	if (!acl_arg_count(&call, 2, 2) || !acl_arg_callable(&call, 0))
		return NULL;
	thread = PyMem_Calloc(1, sizeof(*thread));
	if (!thread)
		return PyErr_NoMemory();
	Py_INCREF(values[0]);
	Py_INCREF(values[1]);
	thread->function = values[0];
	thread->argument = values[1];
	/* The new thread waits for the lock, so its number is set when it runs. */
	error = pthread_create(&thread->id, NULL, thread_run, thread);
	if (error) {
		thread_free(thread);
		return Py_BuildValue("Ki", 0ULL, error);
	}
	thread->next = threads;
	threads = thread;
	return Py_BuildValue("Ki", (unsigned long long)thread->id, 0);
}

ACL_FUNCTION(util_stop_thread)
{
	static const char *const names[] = { "tid" };
	struct acl_call call = { "acl.util.stop_thread", names, values, count };
	struct thread *thread;
	pthread_t id;
	int error;

	(void)module;
	if (!acl_arg_count(&call, 1, 1) ||
	    !acl_arg_uint(&call, 0, &id, sizeof(id)))
		return NULL;
	if (pthread_equal(id, pthread_self()))
		return PyLong_FromLong(EDEADLK);
	thread = thread_take(id);
	if (!thread)
		return PyLong_FromLong(ESRCH);
	Py_BEGIN_ALLOW_THREADS
	error = pthread_join(id, NULL);
	Py_END_ALLOW_THREADS
	if (thread->error)
		PyErr_SetObject(PyExc_RuntimeError, thread->error);
	thread_free(thread);
	return PyErr_Occurred() ? NULL : PyLong_FromLong(error);
}
