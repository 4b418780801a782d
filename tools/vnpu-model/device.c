// SPDX-License-Identifier: GPL-2.0-only
/* Runs of a model on the device, by the calls that programs make. See run.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "run.h"

/**
 * struct device - a model that is loaded
 * @r: the run
 * @id: the model
 * @is_loaded: @id is valid
 * @in: the inputs
 * @out: the outputs
 * @memory: of each input and output, then of the choice of a gear
 * @buffers: their data buffers
 */
struct device {
	struct run *r;
	uint32_t id;
	bool is_loaded;
	aclmdlDataset *in;
	aclmdlDataset *out;
	void **memory;
	aclDataBuffer **buffers;
};

static char *failed(const char *call, aclError err)
{
	const char *reason = aclGetRecentErrMsg();

	return reason ? tensor_message("%s", reason) :
			tensor_message("%s failed with error %d", call, err);
}

/* In a function that returns a message: return the message of a failed call. */
#define CALL(function, ...)						\
	do {								\
		aclError err_ = function(__VA_ARGS__);			\
		if (err_)						\
			return failed(#function, err_);			\
	} while (0)

static uint32_t tensors_of(const struct device *d)
{
	return d->r->p->head->inputs + d->r->p->head->outputs;
}

/* Give a dataset one more buffer of the device. */
static char *add_buffer(struct device *d, aclmdlDataset *set, uint32_t index,
			uint64_t bytes)
{
	/* An empty tensor has memory, too. */
	CALL(aclrtMalloc, &d->memory[index], bytes ? bytes : 1,
	     ACL_MEM_MALLOC_HUGE_FIRST);
	d->buffers[index] = aclCreateDataBuffer(d->memory[index], bytes);
	if (!d->buffers[index])
		return tensor_message("out of memory");
	CALL(aclmdlAddDatasetBuffer, set, d->buffers[index]);
	return NULL;
}

static char *make_datasets(struct device *d)
{
	const struct program *p = d->r->p;
	char *message = NULL;
	uint32_t i;

	d->in = aclmdlCreateDataset();
	d->out = aclmdlCreateDataset();
	d->memory = calloc(tensors_of(d) + 1, sizeof(*d->memory));
	d->buffers = calloc(tensors_of(d) + 1, sizeof(*d->buffers));
	if (!d->in || !d->out || !d->memory || !d->buffers)
		return tensor_message("out of memory");
	for (i = 0; i < tensors_of(d) && !message; i++)
		message = add_buffer(d, i < p->head->inputs ? d->in : d->out,
				     i, p->tensors[i].bytes);
	return message;
}

/* Choose the sizes of all inputs, one behind the other. */
static char *choose_dims(struct device *d, size_t index)
{
	const struct program *p = d->r->p;
	aclmdlIODims dims = { .dimCount = 0 };
	uint32_t i, k;

	for (i = 0; i < p->head->inputs; i++)
		for (k = 0; k < p->tensors[i].rank; k++) {
			if (dims.dimCount == ACL_MAX_DIM_CNT)
				return tensor_message("the inputs have more than %d sizes",
						      ACL_MAX_DIM_CNT);
			dims.dims[dims.dimCount++] = p->tensors[i].dims[k];
		}
	CALL(aclmdlSetInputDynamicDims, d->id, d->in, index, &dims);
	return NULL;
}

/* Describe the inputs; their shapes choose the gear. */
static char *describe_inputs(struct device *d)
{
	const struct program *p = d->r->p;
	aclTensorDesc *desc;
	aclError err;
	uint32_t i;

	for (i = 0; i < p->head->inputs; i++) {
		/* Only the sizes are used. */
		desc = aclCreateTensorDesc(ACL_FLOAT, p->tensors[i].rank,
					   p->tensors[i].dims, ACL_FORMAT_ND);
		if (!desc)
			return tensor_message("out of memory");
		err = aclmdlSetDatasetTensorDesc(d->in, desc, i);
		aclDestroyTensorDesc(desc);
		if (err)
			return failed("aclmdlSetDatasetTensorDesc", err);
	}
	return NULL;
}

static char *choose_gear(struct device *d)
{
	const struct om *om = &d->r->m->om;
	size_t index = d->r->p->head->inputs;
	int64_t values[OM_VALUES];
	char *message;

	if (om->head->kind == OM_RANGE)
		return describe_inputs(d);
	if (d->r->m->gear_count == 1)
		return NULL;
	message = add_buffer(d, d->in, tensors_of(d),
			     OM_VALUES * sizeof(int64_t));
	if (message)
		return message;
	om_values(om, d->r->gear, values);
	if (om->head->kind == OM_BATCH)
		CALL(aclmdlSetDynamicBatchSize, d->id, d->in, index,
		     values[0]);
	else if (om->head->kind == OM_IMAGE)
		CALL(aclmdlSetDynamicHWSize, d->id, d->in, index, values[0],
		     values[1]);
	else
		return choose_dims(d, index);
	return NULL;
}

/* Copy an output to the host, with the sizes that it has now. */
static char *take_output(struct device *d, uint32_t index)
{
	struct run *r = d->r;
	const struct program_tensor *t =
		&r->p->tensors[r->p->head->inputs + index];
	uint32_t at = r->p->head->inputs + index, i;
	uint64_t bytes = vnpu_dtype_bits(t->dtype) / 8;
	aclTensorDesc *desc;

	memcpy(r->dims[index], t->dims, sizeof(t->dims));
	desc = aclmdlGetDatasetTensorDesc(d->out, index);
	for (i = 0; i < t->rank; i++) {
		if (t->count_at != PROGRAM_NONE && desc)
			CALL(aclGetTensorDescDimV2, desc, i,
			     &r->dims[index][i]);
		bytes *= r->dims[index][i];
	}
	if (bytes > t->bytes)
		return tensor_message("output %u has more bytes than its largest shape: %" PRIu64,
				      index, bytes);
	if (bytes)
		CALL(aclrtMemcpy, r->io[at], t->bytes, d->memory[at], bytes,
		     ACL_MEMCPY_DEVICE_TO_HOST);
	return NULL;
}

static char *execute(struct device *d)
{
	struct run *r = d->r;
	char *message = NULL;
	double begin;
	uint32_t i;

	for (i = 0; i < r->p->head->inputs; i++)
		if (r->p->tensors[i].bytes)
			CALL(aclrtMemcpy, d->memory[i], r->p->tensors[i].bytes,
			     r->io[i], r->p->tensors[i].bytes,
			     ACL_MEMCPY_HOST_TO_DEVICE);
	for (i = 0; i < r->loop; i++) {
		begin = run_now();
		CALL(aclmdlExecute, d->id, d->in, d->out);
		r->ms[i] = run_now() - begin;
	}
	for (i = 0; i < r->p->head->outputs && !message; i++)
		message = take_output(d, i);
	return message;
}

static char *load(struct device *d)
{
	double begin = run_now();
	char *message;

	CALL(aclrtSetDevice, 0);
	CALL(aclmdlLoadFromMem, d->r->m->file.data, d->r->m->file.size,
	     &d->id);
	d->is_loaded = true;
	message = make_datasets(d);
	if (!message)
		message = choose_gear(d);
	d->r->load_ms = run_now() - begin;
	return message;
}

static void unload(struct device *d)
{
	uint32_t i;

	if (d->in)
		aclmdlDestroyDataset(d->in);
	if (d->out)
		aclmdlDestroyDataset(d->out);
	for (i = 0; d->buffers && i <= tensors_of(d); i++)
		if (d->buffers[i])
			aclDestroyDataBuffer(d->buffers[i]);
	for (i = 0; d->memory && i <= tensors_of(d); i++)
		if (d->memory[i])
			aclrtFree(d->memory[i]);
	free(d->buffers);
	free(d->memory);
	if (d->is_loaded)
		aclmdlUnload(d->id);
}

char *run_on_device(struct run *r)
{
	struct device d = { .r = r };
	char *message;

	CALL(aclInit, NULL);
	message = load(&d);
	if (!message)
		message = execute(&d);
	unload(&d);
	aclrtResetDevice(0);
	aclFinalize();
	return message;
}
