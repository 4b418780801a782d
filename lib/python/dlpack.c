// SPDX-License-Identifier: MIT
/*
 * DLPack: share arrays with other packages of Python without a copy.  The structs
 * are those of its ABI before version 1.0, which its capsules "dltensor" have.
 */
#include "acl_module.h"

#define NAME		"dltensor"
#define NAME_USED	"used_dltensor"
#define DIMS_MAX	32

struct dl_tensor {
	void *data;
	int32_t device_type;
	int32_t device_id;
	int32_t dims;
	uint8_t code;			/* of the type of items */
	uint8_t bits;
	uint16_t lanes;
	int64_t *shape;
	int64_t *strides;		/* in items; NULL for none */
	uint64_t offset;		/* of the first item, in bytes */
};

struct dl_managed {
	struct dl_tensor tensor;
	void *context;
	void (*deleter)(struct dl_managed *managed);
};

/* A tensor of ours, which keeps its owner. */
struct shared {
	struct dl_managed managed;
	PyObject *owner;
	int64_t shape[DIMS_MAX];
};

/* The consumer may call it in any thread, without the lock. */
static void shared_delete(struct dl_managed *managed)
{
	PyGILState_STATE state = PyGILState_Ensure();
	struct shared *shared = (struct shared *)managed;

	Py_DECREF(shared->owner);
	PyMem_Free(shared);
	PyGILState_Release(state);
}

/* Delete a tensor that nothing has taken out of its capsule. */
static void capsule_delete(PyObject *capsule)
{
	struct dl_managed *managed;

	if (!PyCapsule_IsValid(capsule, NAME))
		return;
	managed = PyCapsule_GetPointer(capsule, NAME);
	if (managed->deleter)
		managed->deleter(managed);
}

static bool set_shape(struct acl_call *call, struct shared *shared,
		      PyObject *shape)
{
	if (!PyTuple_Check(shape) || PyTuple_GET_SIZE(shape) > DIMS_MAX)
		return acl_arg_refuse(call, 2, PyExc_TypeError,
				      "a tuple of up to 32 numbers");
	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); i++)
		if (!acl_number(call, 2, PyTuple_GET_ITEM(shape, i), true,
				&shared->shape[i], sizeof(shared->shape[i])))
			return false;
	shared->managed.tensor.dims = (int32_t)PyTuple_GET_SIZE(shape);
	shared->managed.tensor.shape = shared->shape;
	return true;
}

ACL_FUNCTION(_vnpu_dlpack_export)
{
	static const char *const names[] = {
		"owner", "ptr", "shape", "code", "bits", "device_type", "device_id",
	};
	struct acl_call call = { "acl._vnpu.dlpack_export", names, values, count };
	struct shared *shared;
	struct dl_tensor *tensor;
	PyObject *capsule = NULL;

	(void)module;
	if (!acl_arg_count(&call, 7, 7))
		return NULL;
	shared = PyMem_Calloc(1, sizeof(*shared));
	if (!shared)
		return PyErr_NoMemory();
	tensor = &shared->managed.tensor;
	if (acl_arg_uint(&call, 1, &tensor->data, sizeof(tensor->data)) &&
	    set_shape(&call, shared, values[2]) &&
	    acl_arg_uint(&call, 3, &tensor->code, sizeof(tensor->code)) &&
	    acl_arg_uint(&call, 4, &tensor->bits, sizeof(tensor->bits)) &&
	    acl_arg_int(&call, 5, &tensor->device_type,
			sizeof(tensor->device_type)) &&
	    acl_arg_int(&call, 6, &tensor->device_id, sizeof(tensor->device_id)))
		capsule = PyCapsule_New(&shared->managed, NAME, capsule_delete);
	if (!capsule) {
		PyMem_Free(shared);
		return NULL;
	}
	tensor->lanes = 1;
	shared->managed.deleter = shared_delete;
	Py_INCREF(values[0]);
	shared->owner = values[0];
	return capsule;
}

/* The holder of a tensor that was taken over. */
static void holder_delete(PyObject *holder)
{
	struct dl_managed *managed = PyCapsule_GetPointer(holder, NAME_USED);

	if (managed->deleter)
		managed->deleter(managed);
}

static bool is_compact(const struct dl_tensor *tensor)
{
	int64_t stride = 1;

	if (!tensor->strides)
		return true;
	for (int32_t i = tensor->dims - 1; i >= 0; i--) {
		if (tensor->shape[i] != 1 && tensor->strides[i] != stride)
			return false;
		stride *= tensor->shape[i];
	}
	return true;
}

/* Return (ptr, shape, code, bits, device_type, device_id, holder). */
ACL_FUNCTION(_vnpu_dlpack_import)
{
	static const char *const names[] = { "capsule" };
	struct acl_call call = { "acl._vnpu.dlpack_import", names, values, count };
	const struct dl_tensor *tensor;
	struct dl_managed *managed;
	PyObject *shape, *holder;

	(void)module;
	if (!acl_arg_count(&call, 1, 1))
		return NULL;
	managed = PyCapsule_GetPointer(values[0], NAME);
	if (!managed)
		return NULL;
	tensor = &managed->tensor;
	if (tensor->lanes != 1 || tensor->dims > DIMS_MAX ||
	    !is_compact(tensor)) {
		PyErr_SetString(PyExc_BufferError,
			"from_dlpack() needs an array without gaps or vectors");
		return NULL;
	}
	shape = PyTuple_New(tensor->dims);
	for (int32_t i = 0; shape && i < tensor->dims; i++) {
		PyObject *item = PyLong_FromLongLong(tensor->shape[i]);

		if (item)
			PyTuple_SET_ITEM(shape, i, item);
		else
			Py_CLEAR(shape);
	}
	if (!shape)
		return NULL;
	holder = PyCapsule_New(managed, NAME_USED, holder_delete);
	if (!holder) {
		Py_DECREF(shape);
		return NULL;
	}
	/* From here on, the holder owns the tensor. */
	PyCapsule_SetName(values[0], NAME_USED);
	PyCapsule_SetDestructor(values[0], NULL);
	return Py_BuildValue("KNBBiiN",
		acl_address(tensor->data) + tensor->offset, shape, tensor->code,
		tensor->bits, tensor->device_type, tensor->device_id, holder);
}
