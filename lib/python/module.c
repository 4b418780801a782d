// SPDX-License-Identifier: MIT
/*
 * The modules, and the functions of acl, acl.rt and acl.prof that belong nowhere
 * else.
 */
#include "acl_module.h"

ACL_FUNCTION(acl_app_log)
{
	static const char *const names[] = { "level", "text" };
	struct acl_call call = { "acl.app_log", names, values, count };
	PyFrameObject *frame = PyEval_GetFrame();
	PyCodeObject *code = frame ? PyFrame_GetCode(frame) : NULL;
	aclLogLevel level;
	const char *text;

	(void)module;
	if (acl_arg_count(&call, 2, 2) &&
	    acl_arg_enum(&call, 0, &level, sizeof(level)) &&
	    acl_arg_string(&call, 1, &text))
		/* The caller's position, where its names are UTF-8. */
		aclAppLog(level, code ? PyUnicode_AsUTF8(code->co_name) : NULL,
			  code ? PyUnicode_AsUTF8(code->co_filename) : NULL,
			  frame ? PyFrame_GetLineNumber(frame) : 0, "%s", text);
	Py_XDECREF(code);
	if (PyErr_Occurred())
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *list_of_ints(const int32_t *numbers, size_t number)
{
	PyObject *list = PyList_New(number);

	for (size_t i = 0; list && i < number; i++) {
		PyObject *item = PyLong_FromLong(numbers[i]);

		if (item)
			PyList_SET_ITEM(list, i, item);
		else
			Py_CLEAR(list);
	}
	return list;
}

ACL_FUNCTION(acl_get_cann_attribute_list)
{
	struct acl_call call = { "acl.get_cann_attribute_list", NULL, values,
				 count };
	const aclCannAttr *attributes = NULL;
	size_t number = 0;
	aclError ret;

	(void)module;
	if (!acl_arg_count(&call, 0, 0))
		return NULL;
	ret = aclGetCannAttributeList(&attributes, &number);
	return Py_BuildValue("NKi",
		list_of_ints((const int32_t *)attributes, number),
		(unsigned long long)number, ret);
}

/* pyACL demands an argument here, and ignores it. */
ACL_FUNCTION(rt_get_group_count)
{
	struct acl_call call = { "acl.rt.get_group_count", NULL, values, count };
	uint32_t groups = 0;
	aclError ret;

	(void)module;
	if (!acl_arg_count(&call, 0, 1))
		return NULL;
	ret = aclrtGetGroupCount(&groups);
	return Py_BuildValue("Ii", groups, ret);
}

ACL_FUNCTION(rt_get_group_info_detail)
{
	static const char *const names[] = { "group_info", "group_index", "attr" };
	struct acl_call call = { "acl.rt.get_group_info_detail", names, values,
				 count };
	int32_t numbers[256] = { 0 }, index;
	aclrtGroupInfo *info;
	aclrtGroupAttr attr;
	size_t size = 0;
	aclError ret;

	(void)module;
	if (!acl_arg_count(&call, 3, 3) ||
	    !acl_arg_uint(&call, 0, &info, sizeof(info)) ||
	    !acl_arg_int(&call, 1, &index, sizeof(index)) ||
	    !acl_arg_enum(&call, 2, &attr, sizeof(attr)))
		return NULL;
	ret = aclrtGetGroupInfoDetail(info, index, attr, numbers,
				      sizeof(numbers), &size);
	return Py_BuildValue("Ni", list_of_ints(numbers, size / sizeof(*numbers)),
			     ret);
}

ACL_FUNCTION(prof_create_subscribe_config)
{
	static const char *const names[] = { "time_info_switch",
					     "aicore_metrics", "fd" };
	struct acl_call call = { "acl.prof.create_subscribe_config", names,
				 values, count };
	aclprofAicoreMetrics metrics;
	int8_t times;
	int fd;

	(void)module;
	if (!acl_arg_count(&call, 3, 3) ||
	    !acl_arg_int(&call, 0, &times, sizeof(times)) ||
	    !acl_arg_enum(&call, 1, &metrics, sizeof(metrics)) ||
	    !acl_arg_int(&call, 2, &fd, sizeof(fd)))
		return NULL;
	return PyLong_FromVoidPtr(
		aclprofCreateSubscribeConfig(times, metrics, &fd));
}

typedef aclError (*length_function)(const void *info, size_t size, uint32_t index,
				    size_t *length);
typedef aclError (*text_function)(const void *info, size_t size, uint32_t index,
				  char *text, size_t length);

static PyObject *operator_text(struct acl_call *call, length_function get_length,
			       text_function get_text)
{
	PyObject *result = NULL;
	size_t size, length = 0;
	char *text = NULL;
	uint32_t index;
	aclError ret;
	void *info;

	if (!acl_arg_count(call, 3, 3) ||
	    !acl_arg_uint(call, 0, &info, sizeof(info)) ||
	    !acl_arg_uint(call, 1, &size, sizeof(size)) ||
	    !acl_arg_uint(call, 2, &index, sizeof(index)) ||
	    !acl_check_readable(call, 0, info, size))
		return NULL;
	ret = get_length(info, size, index, &length);
	if (ret)
		return Py_BuildValue("Oi", Py_None, ret);
	if (acl_text_alloc(call, &text, length)) {
		ret = get_text(info, size, index, text, length);
		result = Py_BuildValue("si", text, ret);
	}
	acl_call_end(call);
	return result;
}

static const char *const operator_names[] = { "op_info", "op_info_len", "index" };

ACL_FUNCTION(prof_get_op_type_v2)
{
	struct acl_call call = { "acl.prof.get_op_type_v2", operator_names, values,
				 count };

	(void)module;
	return operator_text(&call, aclprofGetOpTypeLen, aclprofGetOpType);
}

ACL_FUNCTION(prof_get_op_name_v2)
{
	struct acl_call call = { "acl.prof.get_op_name_v2", operator_names, values,
				 count };

	(void)module;
	return operator_text(&call, aclprofGetOpNameLen, aclprofGetOpName);
}

/* Names that programs expect in acl.rt, and that the package vnpu has. */
ACL_FUNCTION(rt___getattr__)
{
	static const char *const names[] = { "name" };
	static const char *const known[] = { "MemoryPool", "MemoryPoolType",
					     "MemcpyKind" };
	struct acl_call call = { "acl.rt.__getattr__", names, values, count };
	PyObject *package, *found;
	const char *name;

	(void)module;
	if (!acl_arg_count(&call, 1, 1) || !acl_arg_string(&call, 0, &name))
		return NULL;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(name, known[i]))
			continue;
		package = PyImport_ImportModule("vnpu");
		if (!package)
			return NULL;
		found = PyObject_GetAttr(package, values[0]);
		Py_DECREF(package);
		return found;
	}
	PyErr_Format(PyExc_AttributeError,
		"module 'acl.rt' has no attribute '%s'", name);
	return NULL;
}

/* Add a submodule, which "import acl.NAME" finds, too. */
static int add_module(PyObject *acl, const char *name, PyMethodDef *methods)
{
	char full[32] = "acl.";
	PyObject *module = PyImport_AddModule(strcat(full, name));

	if (!module || PyModule_AddFunctions(module, methods))
		return -1;
	return PyModule_AddObjectRef(acl, name, module);
}

/* Have the interpreter call acl_callbacks_end() before it ends. */
static int register_end(void)
{
	static PyMethodDef method = { "end", acl_callbacks_end, METH_NOARGS, NULL };
	PyObject *function = PyCFunction_New(&method, NULL);
	PyObject *atexit = PyImport_ImportModule("atexit");
	PyObject *result = NULL;

	if (function && atexit)
		result = PyObject_CallMethod(atexit, "register", "O", function);
	Py_XDECREF(function);
	Py_XDECREF(atexit);
	Py_XDECREF(result);
	return result ? 0 : -1;
}

PyMODINIT_FUNC PyInit_acl(void);

PyMODINIT_FUNC PyInit_acl(void)
{
	static struct PyModuleDef definition = {
		PyModuleDef_HEAD_INIT,
		.m_name = "acl",
		.m_doc = "pyACL, the interface of AscendCL.\n\n"
			 "Functions return their results and a code, which is 0 for\n"
			 "success. get_recent_err_msg() explains the others.",
		.m_size = -1,
		.m_methods = acl_methods_acl,
	};
	PyObject *acl = PyModule_Create(&definition);

	if (!acl)
		return NULL;
	if (add_module(acl, "rt", acl_methods_rt) ||
	    add_module(acl, "mdl", acl_methods_mdl) ||
	    add_module(acl, "op", acl_methods_op) ||
	    add_module(acl, "blas", acl_methods_blas) ||
	    add_module(acl, "prof", acl_methods_prof) ||
	    add_module(acl, "util", acl_methods_util) ||
	    add_module(acl, "_vnpu", acl_methods__vnpu) || register_end())
		Py_CLEAR(acl);
	return acl;
}
