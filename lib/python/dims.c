// SPDX-License-Identifier: MIT
/*
 * Sizes of models as dicts: the name, the number of items, and a list of them.
 */
#include "acl_module.h"

/* Make a list of numbers, or of lists of @width numbers each unless that is 0. */
static PyObject *number_list(const int64_t *numbers, size_t count, size_t width)
{
	PyObject *list = PyList_New(count);

	for (size_t i = 0; list && i < count; i++) {
		PyObject *item = width ?
			number_list(numbers + i * width, width, 0) :
			PyLong_FromLongLong(numbers[i]);

		if (item)
			PyList_SET_ITEM(list, i, item);
		else
			Py_CLEAR(list);
	}
	return list;
}

PyObject *acl_dict_aclmdlIODims(const aclmdlIODims *dims)
{
	size_t count = dims->dimCount;

	if (count > ACL_MAX_DIM_CNT)
		count = ACL_MAX_DIM_CNT;
	return Py_BuildValue("{sNsnsN}",
		"name", PyUnicode_DecodeUTF8(dims->name,
			strnlen(dims->name, sizeof(dims->name)), "replace"),
		"dimCount", (Py_ssize_t)count,
		"dims", number_list(dims->dims, count, 0));
}

PyObject *acl_dict_aclmdlBatch(const aclmdlBatch *batch)
{
	size_t count = batch->batchCount;

	if (count > ACL_MAX_BATCH_NUM)
		count = ACL_MAX_BATCH_NUM;
	return Py_BuildValue("{snsN}", "batchCount", (Py_ssize_t)count,
		"batch", number_list((const int64_t *)batch->batch, count, 0));
}

PyObject *acl_dict_aclmdlIODimsRange(const aclmdlIODimsRange *range)
{
	size_t count = range->rangeCount;

	if (count > ACL_MAX_DIM_CNT)
		count = ACL_MAX_DIM_CNT;
	return Py_BuildValue("{snsN}", "rangeCount", (Py_ssize_t)count,
			     "range", number_list(&range->range[0][0], count,
						  2));
}

PyObject *acl_dict_aclmdlHW(const aclmdlHW *sizes)
{
	size_t count = sizes->hwCount;

	if (count > ACL_MAX_HW_NUM)
		count = ACL_MAX_HW_NUM;
	return Py_BuildValue("{snsN}", "hwCount", (Py_ssize_t)count,
			     "hw", number_list((const int64_t *)sizes->hw,
					       count, 2));
}

/* Return the number at a key, -1 without one, and -2 with an exception. */
static Py_ssize_t count_of(PyObject *dict, const char *key)
{
	PyObject *number = PyDict_GetItemString(dict, key);
	Py_ssize_t count;

	if (!number)
		return -1;
	Py_INCREF(number);
	count = PyNumber_AsSsize_t(number, NULL);
	Py_DECREF(number);
	return PyErr_Occurred() ? -2 : count < 0 ? PY_SSIZE_T_MAX : count;
}

/* The library ignores the name. */
bool acl_arg_aclmdlIODims(struct acl_call *call, Py_ssize_t index,
			  aclmdlIODims *dims)
{
	PyObject *dict = call->values[index], *list;
	Py_ssize_t count;

	if (!PyDict_Check(dict))
		return acl_arg_refuse(call, index, PyExc_TypeError, "a dict");
	count = count_of(dict, "dimCount");
	if (count == -2)
		return false;
	list = PyDict_GetItemString(dict, "dims");
	if (!list || !PyList_Check(list) ||
	    PyList_GET_SIZE(list) > ACL_MAX_DIM_CNT ||
	    (count >= 0 && count != PyList_GET_SIZE(list))) {
		PyErr_Format(PyExc_ValueError,
			"%s: %s[\"dims\"] must be a list of %s[\"dimCount\"] numbers, up to %d",
			call->name, call->names[index], call->names[index],
			ACL_MAX_DIM_CNT);
		return false;
	}
	list = PyList_AsTuple(list);
	if (!list)
		return false;
	acl_call_keep(call, list);
	dims->dimCount = PyTuple_GET_SIZE(list);
	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(list); i++)
		if (!acl_item_int(call, index, PyTuple_GET_ITEM(list, i),
				  &dims->dims[i], sizeof(dims->dims[i])))
			return false;
	return true;
}

ACL_FUNCTION(mdl_get_input_dynamic_dims)
{
	static const char *const names[] = { "model_desc", "index",
					     "gear_count" };
	struct acl_call call = { "acl.mdl.get_input_dynamic_dims", names, values,
				 count };
	PyObject *list = NULL;
	aclmdlIODims *dims;
	aclmdlDesc *desc;
	size_t index, gears;
	aclError ret;

	(void)module;
	if (!acl_arg_count(&call, 3, 3) ||
	    !acl_arg_uint(&call, 0, &desc, sizeof(desc)) ||
	    !acl_arg_any(&call, 1, &index, sizeof(index)) ||
	    !acl_arg_uint(&call, 2, &gears, sizeof(gears)))
		return NULL;
	/* No model has more. */
	if (gears > ACL_MAX_SHAPE_COUNT)
		gears = ACL_MAX_SHAPE_COUNT;
	dims = acl_call_alloc(&call, gears, sizeof(*dims));
	if (!dims)
		return NULL;
	ret = aclmdlGetInputDynamicDims(desc, index, dims, gears);
	list = PyList_New(0);
	for (size_t i = 0; list && i < gears && dims[i].dimCount; i++) {
		PyObject *dict = acl_dict_aclmdlIODims(&dims[i]);

		if (!dict || PyList_Append(list, dict))
			Py_CLEAR(list);
		Py_XDECREF(dict);
	}
	acl_call_end(&call);
	return list ? Py_BuildValue("Ni", list, ret) : NULL;
}
