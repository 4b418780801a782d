// SPDX-License-Identifier: MIT
/* Scalars, arrays and lists. */
#include <stdlib.h>
#include <string.h>

#include "aclnn.h"

static uint32_t read_half(const void *value)
{
	uint16_t bits;

	memcpy(&bits, value, sizeof(bits));
	return bits;
}

static double read_f16(const void *value)
{
	uint32_t bits = read_half(value);
	double number = bits & 0x3ff;
	int exponent = bits >> 10 & 31;

	if (exponent == 31)
		number = number ? __builtin_nan("") : __builtin_inf();
	else
		number = __builtin_ldexp(exponent ? number + 1024 : number,
					 (exponent ? exponent : 1) - 25);
	return bits >> 15 ? -number : number;
}

static double read_bf16(const void *value)
{
	uint32_t bits = read_half(value) << 16;
	float number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* Read an integer; @size is that of its type. */
static int64_t read_integer(const void *value, size_t size, bool is_signed)
{
	uint64_t bits = 0;
	unsigned int unused = 64 - 8 * size;

	memcpy(&bits, value, size);
	return is_signed ? (int64_t)(bits << unused) >> unused :
			   (int64_t)bits;
}

/* Read a value of a type; false for a type that no scalar has. */
static bool read_scalar(struct aclnn_scalar *scalar, const void *value)
{
	float number;

	scalar->is_float = true;
	switch (scalar->dtype) {
	case ACL_FLOAT:
		memcpy(&number, value, sizeof(number));
		scalar->f = number;
		break;
	case ACL_DOUBLE:
		memcpy(&scalar->f, value, sizeof(scalar->f));
		break;
	case ACL_FLOAT16:
		scalar->f = read_f16(value);
		break;
	case ACL_BF16:
		scalar->f = read_bf16(value);
		break;
	case ACL_INT8:
	case ACL_INT16:
	case ACL_INT32:
	case ACL_INT64:
	case ACL_UINT8:
	case ACL_UINT16:
	case ACL_UINT32:
	case ACL_UINT64:
	case ACL_BOOL:
		scalar->is_float = false;
		scalar->i = read_integer(value, aclDataTypeSize(scalar->dtype),
					 scalar->dtype == ACL_INT8 ||
					 scalar->dtype == ACL_INT16 ||
					 scalar->dtype == ACL_INT32);
		scalar->f = scalar->i;
		if (scalar->dtype != ACL_UINT64 || scalar->i >= 0)
			return true;
		/* No integer of the engine is as large. */
		scalar->is_float = true;
		scalar->f = (double)(uint64_t)scalar->i;
		break;
	default:
		return false;
	}
	/* The nearest integer that exists. */
	if (scalar->f >= 0x1p63)
		scalar->i = INT64_MAX;
	else if (scalar->f >= -0x1p63)
		scalar->i = (int64_t)scalar->f;
	else if (scalar->f < -0x1p63)
		scalar->i = INT64_MIN;
	return true;
}

aclScalar *aclCreateScalar(void *value, aclDataType dataType)
{
	struct aclnn_scalar *scalar;
	aclScalar *handle;

	if (!value) {
		aclnn_error(__func__, ACLNN_ERR_PARAM_NULLPTR,
			    "value is NULL");
		return NULL;
	}
	scalar = calloc(1, sizeof(*scalar));
	if (!scalar) {
		aclnn_error_memory(__func__);
		return NULL;
	}
	scalar->dtype = dataType;
	if (!read_scalar(scalar, value)) {
		aclnn_error(__func__, ACLNN_ERR_PARAM_INVALID,
			    "dataType: type %d is not supported", dataType);
		free(scalar);
		return NULL;
	}
	handle = aclnn_handle_add(ACLNN_OBJECT_SCALAR, scalar);
	if (!handle) {
		aclnn_error_memory(__func__);
		free(scalar);
	}
	return handle;
}

/* Make an array of @size values of @width bytes; NULL after a report. */
static void *array_create(const char *name, enum aclnn_object kind,
			  const void *value, uint64_t size, size_t width)
{
	struct aclnn_array *array;
	void *handle;

	if (size && !value) {
		aclnn_error(name, ACLNN_ERR_PARAM_NULLPTR,
			    "value is NULL, but there are %llu elements",
			    (unsigned long long)size);
		return NULL;
	}
	array = size > SIZE_MAX / 16 ? NULL :
				       malloc(sizeof(*array) + size * width);
	if (!array) {
		aclnn_error_memory(name);
		return NULL;
	}
	array->size = size;
	if (size)
		memcpy(array->i, value, size * width);
	handle = aclnn_handle_add(kind, array);
	if (!handle) {
		aclnn_error_memory(name);
		free(array);
	}
	return handle;
}

static aclnnStatus destroy(const char *name, enum aclnn_object kind,
			   const char *what, const void *handle)
{
	void *object = aclnn_handle_remove(kind, handle);

	if (!object)
		return aclnn_error_handle(name, "the argument", handle, what);
	free(object);
	return ACLNN_SUCCESS;
}

static aclnnStatus get_size(const char *name, enum aclnn_object kind,
			    const char *what, const void *handle,
			    uint64_t *size)
{
	const struct aclnn_array *array = aclnn_handle_get(kind, handle);

	if (!array)
		return aclnn_error_handle(name, "the argument", handle, what);
	if (!size)
		return aclnn_error(name, ACLNN_ERR_PARAM_NULLPTR,
				   "size is NULL");
	*size = array->size;
	return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyScalar(const aclScalar *scalar)
{
	return destroy(__func__, ACLNN_OBJECT_SCALAR, "a scalar", scalar);
}

aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size)
{
	return array_create(__func__, ACLNN_OBJECT_INTS, value, size,
			    sizeof(*value));
}

aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size)
{
	return array_create(__func__, ACLNN_OBJECT_FLOATS, value, size,
			    sizeof(*value));
}

aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size)
{
	return array_create(__func__, ACLNN_OBJECT_BOOLS, value, size,
			    sizeof(*value));
}

aclnnStatus aclDestroyIntArray(const aclIntArray *array)
{
	return destroy(__func__, ACLNN_OBJECT_INTS, "an array", array);
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray *array)
{
	return destroy(__func__, ACLNN_OBJECT_FLOATS, "an array", array);
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray *array)
{
	return destroy(__func__, ACLNN_OBJECT_BOOLS, "an array", array);
}

aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size)
{
	return get_size(__func__, ACLNN_OBJECT_INTS, "an array", array, size);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size)
{
	return get_size(__func__, ACLNN_OBJECT_FLOATS, "an array", array,
			size);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size)
{
	return get_size(__func__, ACLNN_OBJECT_BOOLS, "an array", array, size);
}

/* Make a list; its members have to be live. */
static void *list_create(const char *name, enum aclnn_object kind,
			 enum aclnn_object member, const void *value,
			 uint64_t size)
{
	const void *const *handles = value;

	for (uint64_t i = 0; handles && i < size; i++)
		if (!aclnn_handle_get(member, handles[i])) {
			aclnn_error_handle(name, "value", handles[i],
					   "live members of the list");
			return NULL;
		}
	return array_create(name, kind, value, size, sizeof(*handles));
}

aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size)
{
	return list_create(__func__, ACLNN_OBJECT_TENSORS, ACLNN_OBJECT_TENSOR,
			   value, size);
}

aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size)
{
	return list_create(__func__, ACLNN_OBJECT_SCALARS, ACLNN_OBJECT_SCALAR,
			   value, size);
}

/* Members that were destroyed before are left out. */
static aclnnStatus list_destroy(const char *name, enum aclnn_object kind,
				enum aclnn_object member, const void *handle)
{
	struct aclnn_array *list = aclnn_handle_remove(kind, handle);

	if (!list)
		return aclnn_error_handle(name, "the argument", handle,
					  "a list");
	for (uint64_t i = 0; i < list->size; i++)
		free(aclnn_handle_remove(member, list->handle[i]));
	free(list);
	return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyTensorList(const aclTensorList *array)
{
	return list_destroy(__func__, ACLNN_OBJECT_TENSORS,
			    ACLNN_OBJECT_TENSOR, array);
}

aclnnStatus aclDestroyScalarList(const aclScalarList *array)
{
	return list_destroy(__func__, ACLNN_OBJECT_SCALARS,
			    ACLNN_OBJECT_SCALAR, array);
}

aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList,
				 uint64_t *size)
{
	return get_size(__func__, ACLNN_OBJECT_TENSORS, "a list", tensorList,
			size);
}

aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList,
				 uint64_t *size)
{
	return get_size(__func__, ACLNN_OBJECT_SCALARS, "a list", scalarList,
			size);
}
