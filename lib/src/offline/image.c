// SPDX-License-Identifier: MIT
/* Inputs that are images: their parameters, and descriptions. */
#include <stdlib.h>
#include <string.h>

#include "graph/om/image.h"

#include "base/error.h"
#include "base/gate.h"
#include "aipp.h"
#include "dataset.h"
#include "offline.h"

_Static_assert(OM_GEARS <= ACL_MAX_SHAPE_COUNT, "room for all gears");

/* Find the image that an input with parameters, or the image itself, belongs to. */
static aclError find_image(const struct vnpu_offline *model, size_t index,
			   bool is_image, struct om_image *image)
{
	if (!om_image_find(&model->om->om, index, image))
		return vnpu_error(ACL_ERROR_GE_AIPP_NOT_EXIST,
			"index = %zu: model %u (%s) preprocesses no such input",
			index, model->number, vnpu_offline_name(model));
	if (image->parameters == -1)
		return vnpu_error(ACL_ERROR_GE_AIPP_MODE_INVALID,
			"index = %zu: the parameters of this input are constants of model %u (%s); compile it with aipp_mode: dynamic to set them",
			index, model->number, vnpu_offline_name(model));
	if (index != (is_image ? image->input : image->parameters))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"index = %zu is not that of %s, expected %d", index,
			is_image ? "the image" : "its parameters",
			(int)(is_image ? image->input : image->parameters));
	return ACL_SUCCESS;
}

/* Check that images fit the buffer and what the model needs. */
static aclError check_images(const struct vnpu_offline *model,
			     const struct om_image *image,
			     const struct vnpu_image *images, uint64_t count)
{
	const struct om *om = &model->om->om;
	const struct om_tensor *t = &om->tensors[(uint32_t)image->parameters];
	uint64_t expected = t->bytes / sizeof(*images);
	struct vnpu_image_use use = {
		.bytes = om->tensors[(uint32_t)image->input].bytes,
	};
	bool is_last = image->layout == OM_FORMAT_NHWC;
	char wrong[VNPU_IMAGE_TEXT];
	int64_t shape[4];

	if (count != expected)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"the parameters are those of %llu images; model %u (%s) needs those of %llu",
			(unsigned long long)count, model->number,
			vnpu_offline_name(model), (unsigned long long)expected);
	/* Without a shape in the file, the run checks alone. */
	if (!om_image_shape(om, image->input, 0, shape))
		return ACL_SUCCESS;
	use.height = shape[is_last ? 1 : 2];
	use.width = shape[is_last ? 2 : 3];
	use.channels = shape[is_last ? 3 : 1];
	for (; use.number < (int64_t)count; use.number++)
		if (!vnpu_image_check(&images[use.number], &use, wrong))
			break;
	if (use.number == (int64_t)count)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"image %lld: %s; model %u (%s) needs %lld x %lld pixels of %lld channels, and images of up to %lld bytes together",
		(long long)use.number, wrong, model->number,
		vnpu_offline_name(model), (long long)use.width,
		(long long)use.height, (long long)use.channels,
		(long long)use.bytes);
}

static aclError set_images(const struct vnpu_offline *model,
			   const aclmdlDataset *dataset, size_t index,
			   bool is_image, const struct vnpu_image *images,
			   uint64_t count)
{
	struct om_image image;
	aclError ret = find_image(model, index, is_image, &image);

	if (!ret)
		ret = check_images(model, &image, images, count);
	return ret ? ret : vnpu_dataset_write(dataset, image.parameters, images,
					      count * sizeof(*images));
}

static aclError set(uint32_t number, const aclmdlDataset *dataset, size_t index,
		    bool is_image, const aclmdlAIPP *aipp)
{
	struct vnpu_offline *model;
	struct vnpu_image *images;
	uint64_t count;
	aclError ret;

	vnpu_gate_pass();
	if (!dataset)
		return vnpu_error_null("dataset");
	ret = vnpu_aipp_copy(aipp, &images, &count);
	if (ret)
		return ret;
	ret = vnpu_offline_get(number, &model);
	if (!ret) {
		ret = set_images(model, dataset, index, is_image, images,
				 count);
		vnpu_offline_put(model);
	}
	free(images);
	return ret;
}

aclError aclmdlSetInputAIPP(uint32_t modelId, aclmdlDataset *dataset,
			    size_t index, const aclmdlAIPP *aippParmsSet)
{
	VNPU_CALL();

	return set(modelId, dataset, index, false, aippParmsSet);
}

aclError aclmdlSetAIPPByInputIndex(uint32_t modelId, aclmdlDataset *dataset,
				   size_t index, const aclmdlAIPP *aippParmsSet)
{
	VNPU_CALL();

	return set(modelId, dataset, index, true, aippParmsSet);
}

/* Get a model for a call about one of its inputs. */
static aclError get(uint32_t number, size_t index, struct vnpu_offline **model)
{
	aclError ret = vnpu_offline_find(number, model);

	if (ret || index < vnpu_om_inputs((*model)->om))
		return ret;
	ret = vnpu_error(ACL_ERROR_INVALID_PARAM,
		"index = %zu: model %u (%s) has %zu inputs", index, number,
		vnpu_offline_name(*model), vnpu_om_inputs((*model)->om));
	vnpu_offline_put(*model);
	return ret;
}

aclError aclmdlGetAippType(uint32_t modelId, size_t index,
			   aclmdlInputAippType *type,
			   size_t *dynamicAttachedDataIndex)
{
	VNPU_CALL();
	struct vnpu_offline *model;
	struct om_image image;
	aclError ret;

	if (!type || !dynamicAttachedDataIndex)
		return vnpu_error_null(type ? "dynamicAttachedDataIndex" :
					      "type");
	ret = get(modelId, index, &model);
	if (ret)
		return ret;
	*dynamicAttachedDataIndex = ACL_INVALID_NODE_INDEX;
	if (!om_image_find(&model->om->om, index, &image)) {
		*type = ACL_DATA_WITHOUT_AIPP;
	} else if (image.parameters == -1) {
		*type = ACL_DATA_WITH_STATIC_AIPP;
	} else if (image.parameters == index) {
		*type = ACL_DYNAMIC_AIPP_NODE;
	} else {
		*type = ACL_DATA_WITH_DYNAMIC_AIPP;
		*dynamicAttachedDataIndex = image.parameters;
	}
	vnpu_offline_put(model);
	return ACL_SUCCESS;
}

/* Copy numbers to members that follow each other. */
static void put_numbers(int32_t *to, const float *from, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		to[i] = from[i];
}

/* Fill in the values of static preprocessing. */
static void fill_values(aclAippInfo *info, const struct om_image *image)
{
	info->inputFormat = (aclAippInputFormat)(int32_t)image->format;
	put_numbers(&info->srcImageSizeW, image->size, 2);
	info->cropSwitch = image->crops != 0;
	put_numbers(&info->loadStartPosW, image->crop, 4);
	info->paddingSwitch = image->pads != 0;
	put_numbers(&info->leftPaddingSize, image->pad, 4);
	info->cscSwitch = image->converts != 0;
	info->rbuvSwapSwitch = image->swaps_rb != 0;
	info->axSwapSwitch = image->swaps_x != 0;
	put_numbers(&info->matrixR0C0, image->matrix[0], 9);
	put_numbers(&info->outputBias0, image->bias_out, 3);
	put_numbers(&info->inputBias0, image->bias_in, 3);
	put_numbers(&info->meanChn0, image->mean, 4);
	memcpy(&info->minChn0, image->min, sizeof(image->min));
	memcpy(&info->varReciChn0, image->factor, sizeof(image->factor));
}

/* Fill in the shape of a gear. */
static void fill_shape(aclAippDims *dims, const struct om *om,
		       const struct om_image *image, unsigned int gear)
{
	const struct om_tensor *t = &om->tensors[(uint32_t)image->input];
	size_t bytes = vnpu_dtype_bits((unsigned int)image->dtype) / 8;
	int64_t shape[4];

	if (!om_image_shape(om, image->input, gear, shape))
		return;
	strncpy(dims->srcDims.name, om->text + t->name,
		sizeof(dims->srcDims.name) - 1);
	dims->srcDims.dimCount = 4;
	for (unsigned int i = 0; i < 4; i++) {
		dims->srcDims.dims[i] = shape[i];
		bytes *= shape[i];
	}
	dims->srcSize = bytes;
	dims->aippOutdims = dims->srcDims;
	dims->aippOutSize = bytes;
}

static aclError fill_info(aclAippInfo *info, const struct vnpu_offline *model,
			  size_t index)
{
	const struct om *om = &model->om->om;
	struct om_image image;

	if (!om_image_find(om, index, &image) || image.input != index)
		return vnpu_error(ACL_ERROR_GE_AIPP_NOT_EXIST,
			"index = %zu: model %u (%s) preprocesses no such input",
			index, model->number, vnpu_offline_name(model));
	memset(info, 0, sizeof(*info));
	if (image.parameters == -1)
		fill_values(info, &image);
	info->srcFormat = (aclFormat)image.layout;
	info->srcDatatype = vnpu_om_type(image.dtype);
	info->srcDimNum = 4;
	info->shapeCount = om->head->gears;
	for (unsigned int i = 0; i < om->head->gears; i++)
		fill_shape(&info->outDims[i], om, &image, i);
	return ACL_SUCCESS;
}

aclError aclmdlGetFirstAippInfo(uint32_t modelId, size_t index,
				aclAippInfo *aippInfo)
{
	VNPU_CALL();
	struct vnpu_offline *model;
	aclError ret;

	if (!aippInfo)
		return vnpu_error_null("aippInfo");
	ret = get(modelId, index, &model);
	if (ret)
		return ret;
	ret = fill_info(aippInfo, model, index);
	vnpu_offline_put(model);
	return ret;
}
