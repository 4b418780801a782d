// SPDX-License-Identifier: MIT
/*
 * Structs of C as dicts of Python: a table of fields for each.
 */
#include "acl_module.h"

#include <stddef.h>

/* Kinds of fields; all but TEXT and DICT may be arrays, which are lists. */
enum kind { UINT, INT, TEXT, DICT };

struct field {
	const char *key;		/* NULL after the last field */
	size_t offset;
	size_t size;			/* of one item, or of the text */
	enum kind kind;
	unsigned int count;		/* items of an array, or 0 */
	const struct field *fields;	/* of a DICT */
};

#define SIZE(_type, _member)	sizeof(((_type *)NULL)->_member)
#define FIELD(_key, _type, _member, _kind)				\
	{ _key, offsetof(_type, _member), SIZE(_type, _member), _kind, 0, NULL }
#define ARRAY(_key, _type, _member, _kind)				\
	{ _key, offsetof(_type, _member), SIZE(_type, _member[0]), _kind, \
	  SIZE(_type, _member) / SIZE(_type, _member[0]), NULL }
#define INNER(_key, _type, _member, _fields)				\
	{ _key, offsetof(_type, _member), SIZE(_type, _member), DICT, 0, _fields }

static const struct field location_fields[] = {
	FIELD("id", aclrtMemLocation, id, UINT),
	FIELD("type", aclrtMemLocation, type, UINT),
	{ 0 }
};

static const struct field prop_fields[] = {
	FIELD("handleType", aclrtPhysicalMemProp, handleType, UINT),
	FIELD("allocationType", aclrtPhysicalMemProp, allocationType, UINT),
	FIELD("memAttr", aclrtPhysicalMemProp, memAttr, UINT),
	INNER("location", aclrtPhysicalMemProp, location, location_fields),
	FIELD("reserve", aclrtPhysicalMemProp, reserve, UINT),
	{ 0 }
};

/* Members of unions begin at the same place, so the first wide enough serves. */
static const struct field malloc_value_fields[] = {
	FIELD("moduleId", aclrtMallocAttrValue, moduleId, UINT),
	FIELD("deviceId", aclrtMallocAttrValue, deviceId, UINT),
	FIELD("vaFlag", aclrtMallocAttrValue, vaFlag, UINT),
	ARRAY("rsv", aclrtMallocAttrValue, rsv, UINT),
	{ 0 }
};

static const struct field malloc_fields[] = {
	FIELD("attr", aclrtMallocAttribute, attr, UINT),
	INNER("value", aclrtMallocAttribute, value, malloc_value_fields),
	{ 0 }
};

static const struct field option_fields[] = {
	FIELD("type", aclrtBinaryLoadOption, type, UINT),
	FIELD("value", aclrtBinaryLoadOption, value.isLazyLoad, UINT),
	{ 0 }
};

static const struct field launch_fields[] = {
	FIELD("id", aclrtLaunchKernelAttr, id, UINT),
	FIELD("value", aclrtLaunchKernelAttr, value.blockDimOffset, UINT),
	{ 0 }
};

static const struct field pool_fields[] = {
	FIELD("type", struct vnpu_pool_config, type, UINT),
	FIELD("limit", struct vnpu_pool_config, limit, UINT),
	FIELD("chunk", struct vnpu_pool_config, chunk, UINT),
	FIELD("reuse", struct vnpu_pool_config, reuse, UINT),
	FIELD("alignment", struct vnpu_pool_config, alignment, UINT),
	FIELD("reuse_threshold", struct vnpu_pool_config, reuse_threshold, UINT),
	{ 0 }
};

static const struct field utilization_fields[] = {
	FIELD("cube_utilization", aclrtUtilizationInfo, cubeUtilization, INT),
	FIELD("vector_utilization", aclrtUtilizationInfo, vectorUtilization, INT),
	FIELD("aicpu_utilization", aclrtUtilizationInfo, aicpuUtilization, INT),
	FIELD("memory_utilization", aclrtUtilizationInfo, memoryUtilization, INT),
	FIELD("utilization_extend", aclrtUtilizationInfo, utilizationExtend, UINT),
	{ 0 }
};

static const struct field version_fields[] = {
	FIELD("version", aclCANNPackageVersion, version, TEXT),
	FIELD("major_version", aclCANNPackageVersion, majorVersion, TEXT),
	FIELD("minor_version", aclCANNPackageVersion, minorVersion, TEXT),
	FIELD("release_version", aclCANNPackageVersion, releaseVersion, TEXT),
	FIELD("patch_version", aclCANNPackageVersion, patchVersion, TEXT),
	FIELD("reserved", aclCANNPackageVersion, reserved, TEXT),
	{ 0 }
};

static const struct field pointer_fields[] = {
	INNER("location", aclrtPtrAttributes, location, location_fields),
	FIELD("page_size", aclrtPtrAttributes, pageSize, UINT),
	ARRAY("rsv", aclrtPtrAttributes, rsv, UINT),
	{ 0 }
};

static const struct field uuid_fields[] = {
	ARRAY("bytes", aclrtUuid, bytes, UINT),
	{ 0 }
};

static const struct field uce_fields[] = {
	FIELD("addr", aclrtMemUceInfo, addr, UINT),
	FIELD("len", aclrtMemUceInfo, len, UINT),
	ARRAY("reserved", aclrtMemUceInfo, reserved, UINT),
	{ 0 }
};

static const struct field stats_fields[] = {
	FIELD("allocated", struct vnpu_pool_stats, allocated, UINT),
	FIELD("active", struct vnpu_pool_stats, active, UINT),
	FIELD("reserved", struct vnpu_pool_stats, reserved, UINT),
	FIELD("idle", struct vnpu_pool_stats, idle, UINT),
	FIELD("active_peak", struct vnpu_pool_stats, active_peak, UINT),
	FIELD("reserved_peak", struct vnpu_pool_stats, reserved_peak, UINT),
	FIELD("allocs", struct vnpu_pool_stats, allocs, UINT),
	FIELD("frees", struct vnpu_pool_stats, frees, UINT),
	FIELD("fragmentation", struct vnpu_pool_stats, fragmentation, UINT),
	{ 0 }
};

static PyObject *item_to_object(const struct field *field, const char *at);

static PyObject *to_dict(const struct field *fields, const void *value)
{
	PyObject *dict = PyDict_New();

	for (; dict && fields->key; fields++) {
		PyObject *item = item_to_object(fields,
			(const char *)value + fields->offset);

		if (!item || PyDict_SetItemString(dict, fields->key, item))
			Py_CLEAR(dict);
		Py_XDECREF(item);
	}
	return dict;
}

static PyObject *number_to_object(const struct field *field, const char *at)
{
	uint64_t bits = 0;
	unsigned int shift = 64 - field->size * 8;

	/* All machines that the driver supports are little-endian. */
	memcpy(&bits, at, field->size);
	if (field->kind == INT)
		return PyLong_FromLongLong((int64_t)(bits << shift) >> shift);
	return PyLong_FromUnsignedLongLong(bits);
}

static PyObject *item_to_object(const struct field *field, const char *at)
{
	PyObject *list;

	if (field->kind == DICT)
		return to_dict(field->fields, at);
	if (field->kind == TEXT)
		return PyUnicode_DecodeUTF8(at, strnlen(at, field->size),
					    "replace");
	if (!field->count)
		return number_to_object(field, at);
	list = PyList_New(field->count);
	for (unsigned int i = 0; list && i < field->count; i++) {
		PyObject *item = number_to_object(field, at + i * field->size);

		if (item)
			PyList_SET_ITEM(list, i, item);
		else
			Py_CLEAR(list);
	}
	return list;
}

static bool from_dict(struct acl_call *call, Py_ssize_t index, PyObject *dict,
		      const struct field *fields, void *value);

static bool from_list(struct acl_call *call, Py_ssize_t index, PyObject *list,
		      const struct field *field, char *at)
{
	if (!PyList_Check(list) || PyList_GET_SIZE(list) > field->count) {
		PyErr_Format(PyExc_ValueError,
			"%s: \"%s\" in %s must be a list of up to %u integers",
			call->name, field->key, call->names[index],
			field->count);
		return false;
	}
	for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
		PyObject *item = PyList_GET_ITEM(list, i);
		bool converted;

		Py_INCREF(item);
		converted = i < field->count &&
			    acl_number(call, index, item, field->kind == INT,
				       at + i * field->size, field->size);
		Py_DECREF(item);
		if (!converted)
			return false;
	}
	return true;
}

static bool from_object(struct acl_call *call, Py_ssize_t index,
			PyObject *object, const struct field *field, char *at)
{
	if (field->kind == DICT)
		return from_dict(call, index, object, field->fields, at);
	if (field->count)
		return from_list(call, index, object, field, at);
	return acl_number(call, index, object, field->kind == INT, at,
			  field->size);
}

static bool from_dict(struct acl_call *call, Py_ssize_t index, PyObject *dict,
		      const struct field *fields, void *value)
{
	if (!PyDict_Check(dict)) {
		PyErr_Format(PyExc_TypeError,
			"%s: %s must be of dicts, not %.100s", call->name,
			call->names[index], Py_TYPE(dict)->tp_name);
		return false;
	}
	for (; fields->key; fields++) {
		PyObject *item = PyDict_GetItemString(dict, fields->key);
		bool converted;

		if (!item)
			continue;
		Py_INCREF(item);
		converted = from_object(call, index, item, fields,
					(char *)value + fields->offset);
		Py_DECREF(item);
		if (!converted)
			return false;
	}
	return true;
}

/* Convert a list of dicts to an array of the call; return NULL on errors. */
static void *from_dicts(struct acl_call *call, Py_ssize_t index, PyObject *list,
			const struct field *fields, size_t size, size_t *number)
{
	char *items;

	if (!PyList_Check(list)) {
		PyErr_Format(PyExc_ValueError,
			"%s: %s needs a list of dicts, not %.100s", call->name,
			call->names[index], Py_TYPE(list)->tp_name);
		return NULL;
	}
	*number = PyList_GET_SIZE(list);
	items = acl_call_alloc(call, *number, size);
	for (size_t i = 0; items && i < *number; i++) {
		PyObject *item;
		bool converted;

		if ((size_t)PyList_GET_SIZE(list) != *number) {
			acl_arg_refuse(call, index, PyExc_ValueError,
				       "of constant length");
			return NULL;
		}
		item = PyList_GET_ITEM(list, i);
		Py_INCREF(item);
		converted = from_dict(call, index, item, fields,
				      items + i * size);
		Py_DECREF(item);
		if (!converted)
			return NULL;
	}
	return items;
}

bool acl_arg_aclrtPhysicalMemProp(struct acl_call *call, Py_ssize_t index,
				  aclrtPhysicalMemProp *prop)
{
	return from_dict(call, index, call->values[index], prop_fields, prop);
}

bool acl_arg_aclrtMallocConfig(struct acl_call *call, Py_ssize_t index,
			       aclrtMallocConfig *config)
{
	PyObject *dict = call->values[index], *list;

	if (!PyDict_Check(dict))
		return acl_arg_refuse(call, index, PyExc_TypeError, "a dict");
	list = PyDict_GetItemString(dict, "attrs");
	if (!list)
		return true;
	config->attrs = from_dicts(call, index, list, malloc_fields,
		sizeof(*config->attrs), &config->numAttrs);
	return config->attrs;
}

bool acl_arg_aclrtBinaryLoadOptions(struct acl_call *call, Py_ssize_t index,
				    aclrtBinaryLoadOptions *options)
{
	options->options = from_dicts(call, index, call->values[index],
		option_fields, sizeof(*options->options), &options->numOpt);
	return options->options;
}

bool acl_arg_aclrtLaunchKernelCfg(struct acl_call *call, Py_ssize_t index,
				  aclrtLaunchKernelCfg *config)
{
	config->attrs = from_dicts(call, index, call->values[index],
		launch_fields, sizeof(*config->attrs), &config->numAttrs);
	return config->attrs;
}

/* "host": True takes memory of the host. */
bool acl_arg_vnpu_pool_config(struct acl_call *call, Py_ssize_t index,
			      struct vnpu_pool_config *config)
{
	PyObject *dict = call->values[index], *host;

	vnpu_pool_config_init(config);
	if (!from_dict(call, index, dict, pool_fields, config))
		return false;
	host = PyDict_GetItemString(dict, "host");
	if (host == Py_True)
		config->provider = &acl_host_provider;
	return true;
}

PyObject *acl_dict_aclrtUtilizationInfo(const aclrtUtilizationInfo *info)
{
	return to_dict(utilization_fields, info);
}

PyObject *acl_dict_aclCANNPackageVersion(const aclCANNPackageVersion *version)
{
	return to_dict(version_fields, version);
}

PyObject *acl_dict_aclrtPtrAttributes(const aclrtPtrAttributes *attributes)
{
	return to_dict(pointer_fields, attributes);
}

PyObject *acl_dict_aclrtUuid(const aclrtUuid *uuid)
{
	return to_dict(uuid_fields, uuid);
}

PyObject *acl_dict_vnpu_pool_stats(const struct vnpu_pool_stats *stats)
{
	return to_dict(stats_fields, stats);
}

/* The member of the union that an attribute of streams has. */
static const struct field *stream_field(int attribute)
{
	static const struct field fields[][2] = {
		{ FIELD("failureMode", aclrtStreamAttrValue, failureMode, UINT) },
		{ FIELD("overflowSwitch", aclrtStreamAttrValue, overflowSwitch,
			UINT) },
		{ FIELD("userCustomTag", aclrtStreamAttrValue, userCustomTag,
			UINT) },
		{ ARRAY("reserved", aclrtStreamAttrValue, reserve, UINT) },
	};

	if (attribute >= ACL_STREAM_ATTR_FAILURE_MODE &&
	    attribute <= ACL_STREAM_ATTR_USER_CUSTOM_TAG)
		return fields[attribute - ACL_STREAM_ATTR_FAILURE_MODE];
	return fields[3];
}

ACL_FUNCTION(rt_set_stream_attribute)
{
	static const char *const names[] = { "stream", "stm_attr_type", "value" };
	struct acl_call call = { "acl.rt.set_stream_attribute", names, values,
				 count };
	aclrtStreamAttrValue value = { 0 };
	aclrtStreamAttr attribute;
	aclrtStream stream;
	aclError ret;

	(void)module;
	if (!acl_arg_count(&call, 3, 3) ||
	    !acl_arg_uint(&call, 0, &stream, sizeof(stream)) ||
	    !acl_arg_enum(&call, 1, &attribute, sizeof(attribute)) ||
	    !from_dict(&call, 2, values[2], stream_field(attribute), &value))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	ret = aclrtSetStreamAttribute(stream, attribute, &value);
	Py_END_ALLOW_THREADS
	return PyLong_FromLong(ret);
}

ACL_FUNCTION(rt_get_stream_attribute)
{
	static const char *const names[] = { "stream", "stm_attr_type" };
	struct acl_call call = { "acl.rt.get_stream_attribute", names, values,
				 count };
	aclrtStreamAttrValue value = { 0 };
	aclrtStreamAttr attribute;
	aclrtStream stream;
	aclError ret;

	(void)module;
	if (!acl_arg_count(&call, 2, 2) ||
	    !acl_arg_uint(&call, 0, &stream, sizeof(stream)) ||
	    !acl_arg_enum(&call, 1, &attribute, sizeof(attribute)))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	ret = aclrtGetStreamAttribute(stream, attribute, &value);
	Py_END_ALLOW_THREADS
	return Py_BuildValue("Ni", to_dict(stream_field(attribute), &value), ret);
}

#define UCE_MAX		65536

ACL_FUNCTION(rt_get_mem_uce_info)
{
	static const char *const names[] = { "device_id", "array_size" };
	struct acl_call call = { "acl.rt.get_mem_uce_info", names, values, count };
	size_t size, found = 0;
	aclrtMemUceInfo *info;
	PyObject *list = NULL;
	int32_t device;
	aclError ret = 0;

	(void)module;
	if (!acl_arg_count(&call, 2, 2) ||
	    !acl_arg_int(&call, 0, &device, sizeof(device)) ||
	    !acl_arg_uint(&call, 1, &size, sizeof(size)))
		return NULL;
	if (size > UCE_MAX)
		size = UCE_MAX;
	info = acl_call_alloc(&call, size, sizeof(*info));
	if (info) {
		Py_BEGIN_ALLOW_THREADS
		ret = aclrtGetMemUceInfo(device, info, size, &found);
		Py_END_ALLOW_THREADS
		list = PyList_New(0);
	}
	for (size_t i = 0; list && i < found && i < size; i++) {
		PyObject *dict = to_dict(uce_fields, &info[i]);

		if (!dict || PyList_Append(list, dict))
			Py_CLEAR(list);
		Py_XDECREF(dict);
	}
	acl_call_end(&call);
	return list ? Py_BuildValue("Ni", list, ret) : NULL;
}

ACL_FUNCTION(rt_mem_uce_repair)
{
	static const char *const names[] = { "device_id", "mem_uce_info_array" };
	struct acl_call call = { "acl.rt.mem_uce_repair", names, values, count };
	PyObject *result = NULL;
	aclrtMemUceInfo *info;
	int32_t device;
	size_t number;
	aclError ret;

	(void)module;
	if (!acl_arg_count(&call, 2, 2) ||
	    !acl_arg_int(&call, 0, &device, sizeof(device)))
		return NULL;
	info = from_dicts(&call, 1, values[1], uce_fields, sizeof(*info), &number);
	if (info) {
		Py_BEGIN_ALLOW_THREADS
		ret = aclrtMemUceRepair(device, info, number);
		Py_END_ALLOW_THREADS
		result = PyLong_FromLong(ret);
	}
	acl_call_end(&call);
	return result;
}
