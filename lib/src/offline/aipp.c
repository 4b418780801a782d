// SPDX-License-Identifier: MIT
/* Parameters of images: their life and their values, see aipp.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/handle.h"
#include "base/lock.h"
#include "aipp.h"

/* In place of the number of an image. */
#define ALL_IMAGES	UINT64_MAX

struct aipp {
	struct vnpu_lock lock;	/* protects the images */
	uint64_t count;		/* constant */
	struct vnpu_image *images;
};

/**
 * struct change - new values of a step
 * @flag: VNPU_IMAGE_F_* of the step; 0 if it is always done
 * @name: name of its switch
 * @is_on: value of its switch
 * @at: where the values are in struct vnpu_image
 * @size: their bytes; 0 if there are none
 * @values: the values
 */
struct change {
	uint32_t flag;
	const char *name;
	int is_on;
	size_t at;
	size_t size;
	const void *values;
};

#define VALUES(member, from)						\
	.at = offsetof(struct vnpu_image, member),			\
	.size = sizeof(from), .values = from

/* A number and the range that it must be in. */
struct range {
	const char *name;
	double value, least, most;
};

#define RANGE(number, least, most)	{ #number, number, least, most }

static aclError check_ranges(const struct range *r, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (!(r[i].value >= r[i].least && r[i].value <= r[i].most))
			return vnpu_error(ACL_ERROR_INVALID_PARAM,
				"%s = %g: expected %g to %g", r[i].name,
				r[i].value, r[i].least, r[i].most);
	return ACL_SUCCESS;
}

#define CHECK(ranges)	check_ranges(ranges, sizeof(ranges) / sizeof(*(ranges)))

static struct aipp *aipp_get(const aclmdlAIPP *handle)
{
	return vnpu_handle_get(VNPU_HANDLE_AIPP, handle);
}

static void aipp_put(const aclmdlAIPP *handle, struct aipp *aipp)
{
	if (!vnpu_handle_put(vnpu_ptr_to_u64(handle)))
		return;
	free(aipp->images);
	free(aipp);
}

static aclError not_an_aipp(const aclmdlAIPP *handle)
{
	if (!handle)
		return vnpu_error_null("aippParmsSet");
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"aippParmsSet = %p is not one of aclmdlCreateAIPP, or was destroyed",
		(const void *)handle);
}

static aclError check_batch(uint64_t count)
{
	if (count && count <= VNPU_IMAGE_BATCH)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"batchSize = %llu: pass the batch of the model, 1 to %d",
		(unsigned long long)count, VNPU_IMAGE_BATCH);
}

/* Make parameters without any step. */
static struct aipp *make(uint64_t count)
{
	struct aipp *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->count = count;
	new->images = calloc(count, sizeof(*new->images));
	if (!new->images) {
		free(new);
		return NULL;
	}
	for (uint64_t i = 0; i < count; i++) {
		new->images[i].magic = VNPU_IMAGE_MAGIC;
		new->images[i].version = VNPU_IMAGE_VERSION;
		for (unsigned int c = 0; c < VNPU_IMAGE_CHANNELS; c++)
			new->images[i].factor[c] = 1;
	}
	return new;
}

aclmdlAIPP *aclmdlCreateAIPP(uint64_t batchSize)
{
	VNPU_CALL();
	struct aipp *new;
	uint64_t handle = 0;

	if (check_batch(batchSize))
		return NULL;
	new = make(batchSize);
	if (new)
		handle = vnpu_handle_add(VNPU_HANDLE_AIPP, new);
	if (!handle) {
		if (new)
			free(new->images);
		free(new);
		vnpu_error(ACL_ERROR_BAD_ALLOC,
			"no host memory for the parameters of %llu images",
			(unsigned long long)batchSize);
	}
	return vnpu_u64_to_ptr(handle);
}

aclError aclmdlDestroyAIPP(const aclmdlAIPP *aippParmsSet)
{
	VNPU_CALL();
	struct aipp *taken = vnpu_handle_remove(VNPU_HANDLE_AIPP, aippParmsSet);

	if (!taken)
		return not_an_aipp(aippParmsSet);
	aipp_put(aippParmsSet, taken);
	return ACL_SUCCESS;
}

aclError aclmdlGetAippDataSize(uint64_t batchSize, size_t *size)
{
	VNPU_CALL();
	aclError ret;

	if (!size)
		return vnpu_error_null("size");
	ret = check_batch(batchSize);
	if (!ret)
		*size = batchSize * sizeof(struct vnpu_image);
	return ret;
}

aclError vnpu_aipp_copy(const aclmdlAIPP *handle, struct vnpu_image **images,
			uint64_t *count)
{
	struct aipp *aipp = aipp_get(handle);
	aclError ret = ACL_SUCCESS;

	if (!aipp)
		return not_an_aipp(handle);
	*count = aipp->count;
	*images = calloc(aipp->count, sizeof(**images));
	if (*images) {
		vnpu_lock(&aipp->lock);
		memcpy(*images, aipp->images, aipp->count * sizeof(**images));
		vnpu_unlock(&aipp->lock);
	} else {
		ret = vnpu_error(ACL_ERROR_BAD_ALLOC,
				 "no host memory to copy parameters of images");
	}
	aipp_put(handle, aipp);
	return ret;
}

static void change_image(struct vnpu_image *image, const struct change *c)
{
	if (c->flag && !c->is_on) {
		image->flags &= ~c->flag;
		return;
	}
	image->flags |= c->flag;
	if (c->size)
		memcpy((char *)image + c->at, c->values, c->size);
}

/* Change a step of an image, or of all. */
static aclError change(const aclmdlAIPP *handle, uint64_t index,
		       const struct change *c)
{
	struct aipp *aipp;
	aclError ret = ACL_SUCCESS;

	if (c->is_on < 0 || c->is_on > 1)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
				  "%s = %d: pass 1 or 0", c->name, c->is_on);
	aipp = aipp_get(handle);
	if (!aipp)
		return not_an_aipp(handle);
	vnpu_lock(&aipp->lock);
	for (uint64_t i = 0; i < aipp->count; i++)
		if (index == ALL_IMAGES || index == i)
			change_image(&aipp->images[i], c);
	vnpu_unlock(&aipp->lock);
	if (index != ALL_IMAGES && index >= aipp->count)
		ret = vnpu_error(ACL_ERROR_INVALID_PARAM,
			"batchIndex = %llu: the parameters are those of %llu images",
			(unsigned long long)index,
			(unsigned long long)aipp->count);
	aipp_put(handle, aipp);
	return ret;
}

aclError aclmdlSetAIPPInputFormat(aclmdlAIPP *aippParmsSet,
				  aclAippInputFormat inputFormat)
{
	VNPU_CALL();
	const uint32_t format[] = { inputFormat };
	const struct change c = { VALUES(format, format) };

	if (format[0] < ACL_YUV420SP_U8 || format[0] > ACL_YUV400_U8)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"inputFormat = %u is not supported; ACL_YUV420SP_U8, ACL_XRGB8888_U8, ACL_RGB888_U8 and ACL_YUV400_U8 are",
			format[0]);
	return change(aippParmsSet, ALL_IMAGES, &c);
}

aclError aclmdlSetAIPPCscParams(aclmdlAIPP *aippParmsSet, int8_t cscSwitch,
	int16_t cscMatrixR0C0, int16_t cscMatrixR0C1, int16_t cscMatrixR0C2,
	int16_t cscMatrixR1C0, int16_t cscMatrixR1C1, int16_t cscMatrixR1C2,
	int16_t cscMatrixR2C0, int16_t cscMatrixR2C1, int16_t cscMatrixR2C2,
	uint8_t cscOutputBiasR0, uint8_t cscOutputBiasR1,
	uint8_t cscOutputBiasR2, uint8_t cscInputBiasR0, uint8_t cscInputBiasR1,
	uint8_t cscInputBiasR2)
{
	VNPU_CALL();
	const struct vnpu_image new = {
		.matrix = {
			{ cscMatrixR0C0, cscMatrixR0C1, cscMatrixR0C2 },
			{ cscMatrixR1C0, cscMatrixR1C1, cscMatrixR1C2 },
			{ cscMatrixR2C0, cscMatrixR2C1, cscMatrixR2C2 },
		},
		.bias_in = { cscInputBiasR0, cscInputBiasR1, cscInputBiasR2 },
		.bias_out = { cscOutputBiasR0, cscOutputBiasR1,
			      cscOutputBiasR2 },
	};
	const struct change c = {
		.flag = VNPU_IMAGE_F_CONVERT, .name = "cscSwitch",
		.is_on = cscSwitch,
		.at = offsetof(struct vnpu_image, matrix),
		.size = offsetof(struct vnpu_image, mean) -
			offsetof(struct vnpu_image, matrix),
		.values = new.matrix,
	};

	return change(aippParmsSet, ALL_IMAGES, &c);
}

aclError aclmdlSetAIPPRbuvSwapSwitch(aclmdlAIPP *aippParmsSet,
				     int8_t rbuvSwapSwitch)
{
	VNPU_CALL();
	const struct change c = {
		.flag = VNPU_IMAGE_F_SWAP_RB, .name = "rbuvSwapSwitch",
		.is_on = rbuvSwapSwitch,
	};

	return change(aippParmsSet, ALL_IMAGES, &c);
}

aclError aclmdlSetAIPPAxSwapSwitch(aclmdlAIPP *aippParmsSet,
				   int8_t axSwapSwitch)
{
	VNPU_CALL();
	const struct change c = {
		.flag = VNPU_IMAGE_F_SWAP_X, .name = "axSwapSwitch",
		.is_on = axSwapSwitch,
	};

	return change(aippParmsSet, ALL_IMAGES, &c);
}

aclError aclmdlSetAIPPSrcImageSize(aclmdlAIPP *aippParmsSet,
				   int32_t srcImageSizeW, int32_t srcImageSizeH)
{
	VNPU_CALL();
	const struct range ranges[] = {
		RANGE(srcImageSizeW, 2, 4096), RANGE(srcImageSizeH, 1, 4096),
	};
	const int32_t size[] = { srcImageSizeW, srcImageSizeH };
	const struct change c = { VALUES(width, size) };
	aclError ret = CHECK(ranges);

	return ret ? ret : change(aippParmsSet, ALL_IMAGES, &c);
}

static bool is_too_different(int32_t from, int32_t to)
{
	return to > 16 * from || from > 16 * to;
}

aclError aclmdlSetAIPPScfParams(aclmdlAIPP *aippParmsSet, int8_t scfSwitch,
				int32_t scfInputSizeW, int32_t scfInputSizeH,
				int32_t scfOutputSizeW, int32_t scfOutputSizeH,
				uint64_t batchIndex)
{
	VNPU_CALL();
	const struct range ranges[] = {
		RANGE(scfInputSizeW, 16, 4096), RANGE(scfInputSizeH, 16, 4096),
		RANGE(scfOutputSizeW, 16, 1920),
		RANGE(scfOutputSizeH, 16, 4096),
	};
	const int32_t sizes[] = { scfInputSizeW, scfInputSizeH, scfOutputSizeW,
				  scfOutputSizeH };
	const struct change c = {
		.flag = VNPU_IMAGE_F_RESIZE, .name = "scfSwitch",
		.is_on = scfSwitch, VALUES(resize_from, sizes),
	};
	aclError ret = scfSwitch ? CHECK(ranges) : ACL_SUCCESS;

	if (!ret && scfSwitch &&
	    (is_too_different(scfInputSizeW, scfOutputSizeW) ||
	     is_too_different(scfInputSizeH, scfOutputSizeH)))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"%d x %d cannot become %d x %d: expected factors of 1/16 to 16",
			scfInputSizeW, scfInputSizeH, scfOutputSizeW,
			scfOutputSizeH);
	return ret ? ret : change(aippParmsSet, batchIndex, &c);
}

aclError aclmdlSetAIPPCropParams(aclmdlAIPP *aippParmsSet, int8_t cropSwitch,
				 int32_t cropStartPosW, int32_t cropStartPosH,
				 int32_t cropSizeW, int32_t cropSizeH,
				 uint64_t batchIndex)
{
	VNPU_CALL();
	const struct range ranges[] = {
		RANGE(cropStartPosW, 0, 4095), RANGE(cropStartPosH, 0, 4095),
		RANGE(cropSizeW, 1, 4096), RANGE(cropSizeH, 1, 4096),
	};
	const int32_t part[] = { cropStartPosW, cropStartPosH, cropSizeW,
				 cropSizeH };
	const struct change c = {
		.flag = VNPU_IMAGE_F_CROP, .name = "cropSwitch",
		.is_on = cropSwitch, VALUES(crop, part),
	};
	aclError ret = cropSwitch ? CHECK(ranges) : ACL_SUCCESS;

	return ret ? ret : change(aippParmsSet, batchIndex, &c);
}

aclError aclmdlSetAIPPPaddingParams(aclmdlAIPP *aippParmsSet,
	int8_t paddingSwitch, int32_t paddingSizeTop, int32_t paddingSizeBottom,
	int32_t paddingSizeLeft, int32_t paddingSizeRight, uint64_t batchIndex)
{
	VNPU_CALL();
	const struct range ranges[] = {
		RANGE(paddingSizeTop, 0, 32), RANGE(paddingSizeBottom, 0, 32),
		RANGE(paddingSizeLeft, 0, 32), RANGE(paddingSizeRight, 0, 32),
	};
	const int32_t sizes[] = { paddingSizeLeft, paddingSizeRight,
				  paddingSizeTop, paddingSizeBottom };
	const struct change c = {
		.flag = VNPU_IMAGE_F_PAD, .name = "paddingSwitch",
		.is_on = paddingSwitch, VALUES(pad, sizes),
	};
	aclError ret = paddingSwitch ? CHECK(ranges) : ACL_SUCCESS;

	return ret ? ret : change(aippParmsSet, batchIndex, &c);
}

aclError aclmdlSetAIPPDtcPixelMean(aclmdlAIPP *aippParmsSet,
	int16_t dtcPixelMeanChn0, int16_t dtcPixelMeanChn1,
	int16_t dtcPixelMeanChn2, int16_t dtcPixelMeanChn3, uint64_t batchIndex)
{
	VNPU_CALL();
	const struct range ranges[] = {
		RANGE(dtcPixelMeanChn0, 0, 255), RANGE(dtcPixelMeanChn1, 0, 255),
		RANGE(dtcPixelMeanChn2, 0, 255), RANGE(dtcPixelMeanChn3, 0, 255),
	};
	const int16_t mean[] = { dtcPixelMeanChn0, dtcPixelMeanChn1,
				 dtcPixelMeanChn2, dtcPixelMeanChn3 };
	const struct change c = { VALUES(mean, mean) };
	aclError ret = CHECK(ranges);

	return ret ? ret : change(aippParmsSet, batchIndex, &c);
}

aclError aclmdlSetAIPPDtcPixelMin(aclmdlAIPP *aippParmsSet,
				  float dtcPixelMinChn0, float dtcPixelMinChn1,
				  float dtcPixelMinChn2, float dtcPixelMinChn3,
				  uint64_t batchIndex)
{
	VNPU_CALL();
	const struct range ranges[] = {
		RANGE(dtcPixelMinChn0, 0, 255), RANGE(dtcPixelMinChn1, 0, 255),
		RANGE(dtcPixelMinChn2, 0, 255), RANGE(dtcPixelMinChn3, 0, 255),
	};
	const float min[] = { dtcPixelMinChn0, dtcPixelMinChn1, dtcPixelMinChn2,
			      dtcPixelMinChn3 };
	const struct change c = { VALUES(min, min) };
	aclError ret = CHECK(ranges);

	return ret ? ret : change(aippParmsSet, batchIndex, &c);
}

aclError aclmdlSetAIPPPixelVarReci(aclmdlAIPP *aippParmsSet,
	float dtcPixelVarReciChn0, float dtcPixelVarReciChn1,
	float dtcPixelVarReciChn2, float dtcPixelVarReciChn3,
	uint64_t batchIndex)
{
	VNPU_CALL();
	const struct range ranges[] = {
		RANGE(dtcPixelVarReciChn0, -65504, 65504),
		RANGE(dtcPixelVarReciChn1, -65504, 65504),
		RANGE(dtcPixelVarReciChn2, -65504, 65504),
		RANGE(dtcPixelVarReciChn3, -65504, 65504),
	};
	const float factor[] = { dtcPixelVarReciChn0, dtcPixelVarReciChn1,
				 dtcPixelVarReciChn2, dtcPixelVarReciChn3 };
	const struct change c = { VALUES(factor, factor) };
	aclError ret = CHECK(ranges);

	return ret ? ret : change(aippParmsSet, batchIndex, &c);
}
