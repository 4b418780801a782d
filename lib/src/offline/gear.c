// SPDX-License-Identifier: MIT
/*
 * Choosing the gear of a dataset.
 *
 * The dataset has the sizes, which runs look up.  They are written to the memory
 * of the input as well, where programs may read them.
 */
#include <string.h>

#include "base/error.h"
#include "base/gate.h"
#include "dataset.h"
#include "offline.h"

/**
 * struct choice - the sizes that a program has chosen
 * @kind: of the model that has them
 * @what: names them, for messages
 * @values: the sizes
 * @count: their number
 */
struct choice {
	enum om_kind kind;
	const char *what;
	int64_t values[OM_VALUES];
	unsigned int count;
};

static aclError choose_for(struct vnpu_offline *model, aclmdlDataset *handle,
			   size_t index, const struct choice *choice)
{
	const struct om *om = &model->om->om;
	struct vnpu_dataset *dataset;
	aclError ret;
	int gear;

	if (om->head->kind != choice->kind)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"model %u (%s) has no dynamic %s", model->number,
			vnpu_offline_name(model), choice->what);
	if (index != om->head->inputs)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"index = %zu is not that of " VNPU_GEAR_INPUT ", expected %u",
			index, om->head->inputs);
	gear = om_find(om, choice->values, choice->count);
	if (gear < 0)
		return vnpu_error(ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID,
			"model %u (%s) was not compiled for this %s (%lld%s); aclmdlGetDynamicBatch, aclmdlGetDynamicHW and aclmdlGetInputDynamicDims have its gears",
			model->number, vnpu_offline_name(model), choice->what,
			(long long)choice->values[0],
			choice->count > 1 ? ", ..." : "");
	ret = vnpu_dataset_get("dataset", handle, &dataset);
	if (ret)
		return ret;
	ret = vnpu_dataset_write(handle, index, choice->values,
				 choice->count * VNPU_GEAR_BYTES);
	if (!ret)
		ret = vnpu_dataset_choose(dataset, choice->values,
					  choice->count);
	if (!ret)
		atomic_store(&model->gear, gear);
	vnpu_dataset_put(handle, dataset);
	return ret;
}

static aclError choose(uint32_t number, aclmdlDataset *dataset, size_t index,
		       const struct choice *choice)
{
	struct vnpu_offline *model;
	aclError ret;

	vnpu_gate_pass();
	if (!dataset)
		return vnpu_error_null("dataset");
	ret = vnpu_offline_get(number, &model);
	if (ret)
		return ret;
	ret = choose_for(model, dataset, index, choice);
	vnpu_offline_put(model);
	return ret;
}

aclError aclmdlSetDynamicBatchSize(uint32_t modelId, aclmdlDataset *dataset,
				   size_t index, uint64_t batchSize)
{
	VNPU_CALL();
	struct choice choice = { OM_BATCH, "batch", { batchSize }, 1 };

	if (!batchSize)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"batchSize is 0; pass the batch of a gear");
	return choose(modelId, dataset, index, &choice);
}

aclError aclmdlSetDynamicHWSize(uint32_t modelId, aclmdlDataset *dataset,
				size_t index, uint64_t height, uint64_t width)
{
	VNPU_CALL();
	struct choice choice = { OM_IMAGE, "image size", { height, width }, 2 };

	if (!height || !width)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"height = %llu, width = %llu: pass the image size of a gear",
			(unsigned long long)height, (unsigned long long)width);
	return choose(modelId, dataset, index, &choice);
}

/* Take the sizes that gears choose out of those of all inputs. */
static aclError pick(uint32_t number, const aclmdlIODims *dims,
		     struct choice *choice)
{
	struct vnpu_offline *model;
	const struct om *om;
	aclError ret = vnpu_offline_get(number, &model);
	size_t at = 0;

	if (ret)
		return ret;
	om = &model->om->om;
	for (uint32_t i = 0; i < om->head->inputs; i++) {
		const struct om_tensor *t = &om->tensors[i];

		for (unsigned int k = 0; k < t->rank; k++, at++) {
			if (at >= dims->dimCount)
				continue;
			if (t->dims[k] == -1 && choice->count < OM_VALUES)
				choice->values[choice->count++] =
					dims->dims[at];
			else if (t->dims[k] != dims->dims[at])
				ret = vnpu_error(
					ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID,
					"dims->dims[%zu] = %lld: dimension %u of input %s is %lld",
					at, (long long)dims->dims[at], k,
					om->text + t->name,
					(long long)t->dims[k]);
		}
	}
	if (at != dims->dimCount)
		ret = vnpu_error(ACL_ERROR_INVALID_PARAM,
			"dims->dimCount = %zu: the inputs have %zu dimensions together",
			dims->dimCount, at);
	vnpu_offline_put(model);
	return ret;
}

aclError aclmdlSetInputDynamicDims(uint32_t modelId, aclmdlDataset *dataset,
				   size_t index, const aclmdlIODims *dims)
{
	VNPU_CALL();
	struct choice choice = { .kind = OM_DIMS, .what = "sizes" };
	aclError ret;

	if (!dims)
		return vnpu_error_null("dims");
	if (!dims->dimCount || dims->dimCount > ACL_MAX_DIM_CNT)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"dims->dimCount = %zu is not possible; pass the sizes of all inputs",
			dims->dimCount);
	ret = pick(modelId, dims, &choice);
	return ret ? ret : choose(modelId, dataset, index, &choice);
}
