// SPDX-License-Identifier: MIT
/* Runs of offline models: from datasets to a gear and addresses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/malloc.h"
#include "base/databuffer.h"
#include "base/error.h"
#include "stream/capture.h"
#include "stream/copy.h"
#include "execute.h"

/* Bytes of an input that are compared at a time. */
#define COMPARE	4096

#define SHAPE_TEXT	200

static const char *shape(char *text, size_t rank, const int64_t *dims)
{
	size_t used = 0;

	text[used++] = '[';
	for (size_t i = 0; i < rank && used + 24 < SHAPE_TEXT; i++)
		used += snprintf(text + used, SHAPE_TEXT - used, "%s%lld",
				 i ? ", " : "", (long long)dims[i]);
	snprintf(text + used, SHAPE_TEXT - used, "]");
	return text;
}

static const char *tensor_name(const struct vnpu_execute *e, uint32_t index)
{
	const struct om *om = &e->model->om->om;

	return om->text + om->tensors[index].name;
}

/* Copy the data buffers of a dataset. */
static aclError copy_buffers(const struct vnpu_execute *e,
			     struct vnpu_dataset *dataset, const char *which,
			     size_t expected, size_t kept,
			     aclDataBuffer **buffers)
{
	size_t count;

	vnpu_lock(&dataset->lock);
	count = dataset->count;
	for (size_t i = 0; i < kept && count == expected; i++)
		buffers[i] = dataset->entries[i].buffer;
	vnpu_unlock(&dataset->lock);
	if (count == expected)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_GE_PARAM_INVALID,
		"%s has %zu data buffers; model %u (%s) has %zu %ss", which,
		count, e->model->number, vnpu_offline_name(e->model), expected,
		which);
}

/* Check whether a tensor of a gear has the described sizes. */
static bool fits(const struct program_tensor *t,
		 const struct vnpu_tensor_desc *desc)
{
	return t->rank == desc->rank &&
	       !memcmp(t->dims, desc->dims, t->rank * sizeof(*t->dims));
}

/* Check that all described inputs fit; else set @wrong to the first that does not. */
static bool all_fit(const struct vnpu_execute *e, unsigned int gear,
		    uint32_t *wrong, struct vnpu_tensor_desc *desc)
{
	const struct om *om = &e->model->om->om;
	struct program p;

	om_program(om, gear, &p);
	for (uint32_t i = 0; i < om->head->inputs; i++) {
		aclTensorDesc *handle =
			aclmdlGetDatasetTensorDesc(e->input, i);

		if (vnpu_tensor_desc_get(handle, desc) &&
		    !fits(&p.tensors[i], desc)) {
			*wrong = i;
			return false;
		}
	}
	return true;
}

/* Find the gear for the descriptions of inputs, @first if all fit. */
static aclError match(const struct vnpu_execute *e, unsigned int first,
		      uint32_t *gear)
{
	const struct om *om = &e->model->om->om;
	char given[SHAPE_TEXT], expected[SHAPE_TEXT];
	struct vnpu_tensor_desc desc, unused;
	uint32_t wrong, other;

	*gear = first;
	if (all_fit(e, first, &wrong, &desc))
		return ACL_SUCCESS;
	for (*gear = 0; *gear < om->head->gears; ++*gear)
		if (all_fit(e, *gear, &other, &unused))
			return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"input %u (%s) of model %u (%s) has the shape %s, given %s",
		wrong, tensor_name(e, wrong), e->model->number,
		vnpu_offline_name(e->model),
		shape(expected, om->tensors[wrong].rank,
		      om->tensors[wrong].dims),
		shape(given, desc.rank, desc.dims));
}

/* Check that each input with ranges of sizes is described. */
static bool has_shapes(const struct vnpu_execute *e)
{
	const struct om *om = &e->model->om->om;
	struct vnpu_tensor_desc desc;
	char sizes[SHAPE_TEXT];

	for (uint32_t i = 0; i < om->head->inputs; i++) {
		const struct om_tensor *t = &om->tensors[i];
		unsigned int k = 0;

		while (k < t->rank && t->dims[k] != -1)
			k++;
		if (k == t->rank || vnpu_tensor_desc_get(
			    aclmdlGetDatasetTensorDesc(e->input, i), &desc))
			continue;
		vnpu_error(ACL_ERROR_INVALID_PARAM,
			"input %u (%s) of model %u (%s) has the shape %s, and a run must know it; call aclmdlSetDatasetTensorDesc",
			i, tensor_name(e, i), e->model->number,
			vnpu_offline_name(e->model),
			shape(sizes, t->rank, t->dims));
		return false;
	}
	return true;
}

/* Find the gear: that which the program has chosen, or the largest. */
static aclError find_gear(struct vnpu_execute *e, struct vnpu_dataset *dataset)
{
	const struct om *om = &e->model->om->om;
	int gear = om_largest(om);

	if (om->head->kind == OM_RANGE && !has_shapes(e))
		return ACL_ERROR_INVALID_PARAM;
	if (!om_has_choice(om))
		return match(e, gear, &e->where.gear);
	vnpu_lock(&dataset->lock);
	if (dataset->values)
		gear = om_find(om, dataset->values, dataset->value_count);
	vnpu_unlock(&dataset->lock);
	if (gear < 0)
		return vnpu_error(ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID,
			"the sizes of the dataset were chosen for another model than %u (%s); choose them again",
			e->model->number, vnpu_offline_name(e->model));
	return match(e, gear, &e->where.gear);
}

static aclError bad_buffer(const struct vnpu_execute *e, uint32_t index,
			   const char *text)
{
	uint32_t inputs = e->program.head->inputs;
	bool is_output = index >= inputs;

	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"%s %u (%s) of model %u (%s): %s",
		is_output ? "output" : "input",
		is_output ? index - inputs : index, tensor_name(e, index),
		e->model->number, vnpu_offline_name(e->model), text);
}

/* Check the memory of a tensor; sets its address, or 0 if there is none yet. */
static aclError bind_buffer(struct vnpu_execute *e, uint32_t index)
{
	const struct program_tensor *t = &e->program.tensors[index];
	unsigned int element = vnpu_dtype_bits(t->dtype) / 8;
	char text[120];
	size_t size;
	void *data;

	if (!vnpu_data_buffer_get(e->buffers[index], &data, &size))
		return bad_buffer(e, index, "the data buffer was destroyed");
	e->io[index] = vnpu_ptr_to_u64(data);
	if (!data && !size && e->waits && index >= e->program.head->inputs)
		return ACL_SUCCESS;
	if (size < t->bytes) {
		snprintf(text, sizeof(text),
			 "the data buffer has %zu bytes, expected %llu", size,
			 (unsigned long long)t->bytes);
		return bad_buffer(e, index, text);
	}
	if (!data && t->bytes)
		return bad_buffer(e, index, "the data buffer has no memory");
	if (e->io[index] % element) {
		snprintf(text, sizeof(text),
			 "address 0x%llx is not a multiple of %u, the size of its elements",
			 (unsigned long long)e->io[index], element);
		return bad_buffer(e, index, text);
	}
	return ACL_SUCCESS;
}

/* Compare an input with the elements that the model was compiled for. */
static aclError check_frozen(const struct vnpu_execute *e, uint32_t index)
{
	const struct program_tensor *t = &e->program.tensors[index];
	const char *known = (const char *)e->program.weights + t->frozen_at;
	char part[COMPARE];
	aclError ret;

	ret = vnpu_capture_refuse(e->stream);
	if (!ret)
		ret = vnpu_capture_check_now();
	for (uint64_t at = 0; !ret && at < t->bytes; at += COMPARE) {
		uint64_t size = t->bytes - at < COMPARE ? t->bytes - at :
							  COMPARE;

		ret = vnpu_copy(part, vnpu_u64_to_ptr(e->io[index] + at), size);
		if (!ret && memcmp(part, known + at, size))
			return bad_buffer(e, index,
				"it has other elements than the model was compiled for");
	}
	return ret;
}

/* Allocate memory for an output if its data buffer has none. */
static aclError allocate(struct vnpu_execute *e, uint32_t index)
{
	uint64_t bytes = e->program.tensors[index].bytes;
	void *new;
	aclError ret;

	if (e->io[index] || !bytes)
		return ACL_SUCCESS;
	ret = vnpu_mem_alloc(&new, bytes);
	if (ret)
		return vnpu_error(ACL_ERROR_GE_MEMORY_ALLOCATION,
			"no device memory for output %u of model %u (%s): it needs %llu bytes (error %d)",
			index - e->program.head->inputs, e->model->number,
			vnpu_offline_name(e->model), (unsigned long long)bytes,
			ret);
	ret = aclUpdateDataBuffer(e->buffers[index], new, bytes);
	if (ret)
		vnpu_mem_free(new);
	else
		e->io[index] = vnpu_ptr_to_u64(new);
	return ret;
}

static aclError bind_all(struct vnpu_execute *e)
{
	const struct program_head *h = e->program.head;
	aclError ret = ACL_SUCCESS;
	uint32_t i;

	for (i = 0; !ret && i < h->inputs + h->outputs; i++)
		ret = bind_buffer(e, i);
	for (i = 0; !ret && i < h->inputs; i++)
		if (e->program.tensors[i].frozen_at != PROGRAM_NONE)
			ret = check_frozen(e, i);
	for (i = h->inputs; !ret && i < h->inputs + h->outputs; i++)
		ret = allocate(e, i);
	return ret;
}

static aclError bind_input(struct vnpu_execute *e)
{
	const struct vnpu_om *om = e->model->om;
	struct vnpu_dataset *dataset;
	aclError ret = vnpu_dataset_get("input", e->input, &dataset);

	if (ret)
		return ret;
	ret = copy_buffers(e, dataset, "input", vnpu_om_inputs(om),
			   om->om.head->inputs, e->buffers);
	if (!ret)
		ret = find_gear(e, dataset);
	vnpu_dataset_put(e->input, dataset);
	return ret;
}

aclError vnpu_execute_bind(struct vnpu_execute *e)
{
	const struct om_head *h = e->model->om->om.head;
	aclError ret = bind_input(e);

	if (!ret)
		ret = copy_buffers(e, e->output_set, "output", h->outputs,
				   h->outputs, e->buffers + h->inputs);
	if (ret)
		return ret;
	om_program(&e->model->om->om, e->where.gear, &e->program);
	return bind_all(e);
}
