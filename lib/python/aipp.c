// SPDX-License-Identifier: MIT
/* The preprocessing of an input of a model as a dict. */
#include "acl_module.h"

#include <stddef.h>

/* Members of one type; the keys are their names. */
struct item {
	const char *key;
	size_t at;
};

#define ITEM(member)	{ #member, offsetof(aclAippInfo, member) }

static const struct item switches[] = {
	ITEM(cropSwitch), ITEM(resizeSwitch), ITEM(paddingSwitch),
	ITEM(cscSwitch), ITEM(rbuvSwapSwitch), ITEM(axSwapSwitch),
	ITEM(singleLineMode), { 0 }
};

static const struct item integers[] = {
	ITEM(inputFormat), ITEM(srcImageSizeW), ITEM(srcImageSizeH),
	ITEM(loadStartPosW), ITEM(loadStartPosH), ITEM(cropSizeW),
	ITEM(cropSizeH), ITEM(resizeOutputW), ITEM(resizeOutputH),
	ITEM(leftPaddingSize), ITEM(rightPaddingSize), ITEM(topPaddingSize),
	ITEM(bottomPaddingSize), ITEM(matrixR0C0), ITEM(matrixR0C1),
	ITEM(matrixR0C2), ITEM(matrixR1C0), ITEM(matrixR1C1), ITEM(matrixR1C2),
	ITEM(matrixR2C0), ITEM(matrixR2C1), ITEM(matrixR2C2), ITEM(outputBias0),
	ITEM(outputBias1), ITEM(outputBias2), ITEM(inputBias0),
	ITEM(inputBias1), ITEM(inputBias2), ITEM(meanChn0), ITEM(meanChn1),
	ITEM(meanChn2), ITEM(meanChn3), ITEM(srcFormat), ITEM(srcDatatype),
	{ 0 }
};

static const struct item floats[] = {
	ITEM(minChn0), ITEM(minChn1), ITEM(minChn2), ITEM(minChn3),
	ITEM(varReciChn0), ITEM(varReciChn1), ITEM(varReciChn2),
	ITEM(varReciChn3), { 0 }
};

static const struct item sizes[] = {
	ITEM(srcDimNum), ITEM(shapeCount), { 0 }
};

static PyObject *from_switch(const void *at)
{
	return PyLong_FromLong(*(const int8_t *)at);
}

static PyObject *from_integer(const void *at)
{
	return PyLong_FromLong(*(const int32_t *)at);
}

static PyObject *from_float(const void *at)
{
	return PyFloat_FromDouble(*(const float *)at);
}

static PyObject *from_size(const void *at)
{
	return PyLong_FromSize_t(*(const size_t *)at);
}

/* Add an item and drop the reference to it; NULL is an error. */
static bool add(PyObject *dict, const char *key, PyObject *item)
{
	bool added = item && !PyDict_SetItemString(dict, key, item);

	Py_XDECREF(item);
	return added;
}

static bool add_all(PyObject *dict, const aclAippInfo *info,
		    const struct item *items, PyObject *(*from)(const void *))
{
	for (; items->key; items++)
		if (!add(dict, items->key, from((const char *)info + items->at)))
			return false;
	return true;
}

static PyObject *from_shape(const aclAippDims *dims)
{
	return Py_BuildValue("{sNsnsNsn}",
		"srcDims", acl_dict_aclmdlIODims(&dims->srcDims),
		"srcSize", (Py_ssize_t)dims->srcSize,
		"aippOutdims", acl_dict_aclmdlIODims(&dims->aippOutdims),
		"aippOutSize", (Py_ssize_t)dims->aippOutSize);
}

static PyObject *from_shapes(const aclAippInfo *info)
{
	size_t count = info->shapeCount;
	PyObject *list;

	if (count > ACL_MAX_SHAPE_COUNT)
		count = ACL_MAX_SHAPE_COUNT;
	list = PyList_New(count);
	for (size_t i = 0; list && i < count; i++) {
		PyObject *item = from_shape(&info->outDims[i]);

		if (item)
			PyList_SET_ITEM(list, i, item);
		else
			Py_CLEAR(list);
	}
	return list;
}

PyObject *acl_dict_aclAippInfo(const aclAippInfo *info)
{
	PyObject *dict = PyDict_New();

	if (!dict)
		return NULL;
	if (!add_all(dict, info, switches, from_switch) ||
	    !add_all(dict, info, integers, from_integer) ||
	    !add_all(dict, info, floats, from_float) ||
	    !add_all(dict, info, sizes, from_size) ||
	    !add(dict, "outDims", from_shapes(info)))
		Py_CLEAR(dict);
	return dict;
}
