// SPDX-License-Identifier: GPL-2.0-only
/*
 * Offline models: images with parameters of each run (dynamic AIPP), which equal
 * those with values in the file, and parameters that are not valid.
 */
#include "acl-offline.h"

/* Bytes of the buffer, and of the parameters of an image. */
#define IMAGES	384
#define RECORD	136

/* Inputs of the model with dynamic AIPP. */
enum { IMAGE, PARAMETERS, GEAR };

FIXTURE(images) {
	struct model fixed, m;
	aclmdlAIPP *aipp;
};

FIXTURE_SETUP(images)
{
	OK(aclrtSetDevice(0));
	OK(model_load(&self->fixed, "picture"));
	OK(model_load(&self->m, "pictures"));
	/* The data of the second gear, which is the largest. */
	model_gear(&self->m, IMAGES + RECORD + 192, (size_t)IMAGES,
		   (size_t)2 * RECORD, (size_t)384);
	self->aipp = aclmdlCreateAIPP(2);
	ASSERT_NE(NULL, self->aipp);
}

FIXTURE_TEARDOWN(images)
{
	OK(aclmdlDestroyAIPP(self->aipp));
	OK(aclrtResetDeviceForce(0));
}

/* Check the message of the last call, which is read once. */
static bool says(const char *text)
{
	const char *message = recent();

	return strstr(message, text) || (printf("# %s\n", message), false);
}

/* Set what picture.om has in its file. */
static aclError describe(aclmdlAIPP *aipp)
{
	aclError err = aclmdlSetAIPPInputFormat(aipp, ACL_RGB888_U8);

	if (!err)
		err = aclmdlSetAIPPSrcImageSize(aipp, 8, 8);
	if (!err)
		err = aclmdlSetAIPPRbuvSwapSwitch(aipp, 1);
	for (uint64_t i = 0; !err && i < 2; i++) {
		err = aclmdlSetAIPPCropParams(aipp, 1, 2, 1, 4, 4, i);
		if (!err)
			err = aclmdlSetAIPPDtcPixelMean(aipp, 10, 20, 30, 0, i);
		if (!err)
			err = aclmdlSetAIPPPixelVarReci(aipp, 0.5, 0.5, 0.5,
							0.5, i);
	}
	return err;
}

/* Run with other bytes in the memory of the parameters before they are set. */
static aclError run_described(struct model *m, const aclmdlAIPP *aipp,
			      bool by_image)
{
	aclError err = model_put(m);

	if (!err)
		err = aclrtMemset(memory_of(m->in, PARAMETERS), 2 * RECORD,
				  0x5a, 2 * RECORD);
	if (!err)
		err = by_image ?
			aclmdlSetAIPPByInputIndex(m->id, m->in, IMAGE, aipp) :
			aclmdlSetInputAIPP(m->id, m->in, PARAMETERS, aipp);
	return err ? err : aclmdlExecute(m->id, m->in, m->out);
}

TEST_F(images, description)
{
	struct model *m = &self->m;
	aclmdlInputAippType type;
	size_t index, size;

	EXPECT_EQ(3, aclmdlGetNumInputs(m->desc));
	OK(aclmdlGetInputIndexByName(m->desc, ACL_DYNAMIC_AIPP_NAME, &index));
	EXPECT_EQ(PARAMETERS, index);
	OK(aclmdlGetInputIndexByName(m->desc, ACL_DYNAMIC_TENSOR_NAME, &index));
	EXPECT_EQ(GEAR, index);
	EXPECT_EQ(IMAGES, aclmdlGetInputSizeByIndex(m->desc, IMAGE));
	OK(aclmdlGetAippDataSize(2, &size));
	EXPECT_EQ(size, aclmdlGetInputSizeByIndex(m->desc, PARAMETERS));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetAippDataSize(0, &size));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetAippDataSize(65537, &size));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetAippDataSize(2, NULL));

	OK(aclmdlGetAippType(m->id, IMAGE, &type, &index));
	EXPECT_EQ(ACL_DATA_WITH_DYNAMIC_AIPP, type);
	EXPECT_EQ(PARAMETERS, index);
	OK(aclmdlGetAippType(m->id, PARAMETERS, &type, &index));
	EXPECT_EQ(ACL_DYNAMIC_AIPP_NODE, type);
	EXPECT_EQ(0xffffffff, index);
	OK(aclmdlGetAippType(m->id, GEAR, &type, &index));
	EXPECT_EQ(ACL_DATA_WITHOUT_AIPP, type);
	EXPECT_EQ(0xffffffff, index);
	OK(aclmdlGetAippType(self->fixed.id, IMAGE, &type, &index));
	EXPECT_EQ(ACL_DATA_WITH_STATIC_AIPP, type);
	EXPECT_EQ(0xffffffff, index);
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetAippType(m->id, 3, &type, &index));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetAippType(m->id, 0, NULL, &index));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetAippType(m->id, 0, &type, NULL));
	EXPECT_ACL(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID,
		   aclmdlGetAippType(m->id + 1, 0, &type, &index));
}

TEST_F(images, information)
{
	static aclAippInfo info;
	struct model *m = &self->m;

	OK(aclmdlGetFirstAippInfo(self->fixed.id, IMAGE, &info));
	EXPECT_EQ(ACL_RGB888_U8, info.inputFormat);
	EXPECT_EQ(8, info.srcImageSizeW);
	EXPECT_EQ(8, info.srcImageSizeH);
	EXPECT_EQ(1, info.cropSwitch);
	EXPECT_EQ(2, info.loadStartPosW);
	EXPECT_EQ(1, info.loadStartPosH);
	EXPECT_EQ(4, info.cropSizeW);
	EXPECT_EQ(4, info.cropSizeH);
	EXPECT_EQ(1, info.rbuvSwapSwitch);
	EXPECT_EQ(0, info.cscSwitch);
	EXPECT_EQ(0, info.paddingSwitch);
	EXPECT_EQ(10, info.meanChn0);
	EXPECT_EQ(30, info.meanChn2);
	EXPECT_TRUE(info.varReciChn3 == 0.5);
	EXPECT_EQ(ACL_FORMAT_NCHW, info.srcFormat);
	EXPECT_EQ(ACL_FLOAT, info.srcDatatype);
	EXPECT_EQ(4, info.srcDimNum);
	EXPECT_EQ(1, info.shapeCount);
	EXPECT_EQ(2, info.outDims[0].srcDims.dims[0]);
	EXPECT_EQ(384, info.outDims[0].srcSize);

	OK(aclmdlGetFirstAippInfo(m->id, IMAGE, &info));
	EXPECT_EQ(0, info.inputFormat);
	EXPECT_EQ(2, info.shapeCount);
	EXPECT_STREQ("x", info.outDims[1].srcDims.name);
	EXPECT_EQ(4, info.outDims[1].aippOutdims.dimCount);
	EXPECT_EQ(2, info.outDims[1].aippOutdims.dims[0]);
	EXPECT_EQ(192, info.outDims[0].aippOutSize);
	EXPECT_EQ(384, info.outDims[1].aippOutSize);
	EXPECT_ACL(ACL_ERROR_GE_AIPP_NOT_EXIST,
		   aclmdlGetFirstAippInfo(m->id, GEAR, &info));
	EXPECT_ACL(ACL_ERROR_GE_AIPP_NOT_EXIST,
		   aclmdlGetFirstAippInfo(m->id, PARAMETERS, &info));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetFirstAippInfo(m->id, 3, &info));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetFirstAippInfo(m->id, 0, NULL));
}

TEST_F(images, equal_those_of_the_file)
{
	struct model *m = &self->m;

	OK(describe(self->aipp));
	OK(run_described(m, self->aipp, false));
	EXPECT_TRUE(model_is_right(m));
	OK(run_described(m, self->aipp, true));
	EXPECT_TRUE(model_is_right(m));
	/* Both files were compiled for the same bytes. */
	ASSERT_EQ(0, memcmp(m->data[IMAGE], self->fixed.data[IMAGE], IMAGES));
	EXPECT_EQ(0, memcmp(m->data[2], self->fixed.data[1], 384));
	OK(model_put(&self->fixed));
	OK(aclmdlExecute(self->fixed.id, self->fixed.in, self->fixed.out));
	EXPECT_TRUE(model_is_right(&self->fixed));
}

TEST_F(images, batch_of_one)
{
	struct model *m = &self->m;

	model_gear(m, 0, (size_t)IMAGES, (size_t)RECORD, (size_t)192);
	OK(describe(self->aipp));
	OK(aclmdlSetDynamicBatchSize(m->id, m->in, GEAR, 1));
	OK(run_described(m, self->aipp, false));
	EXPECT_TRUE(model_is_right(m));
}

/* The second image has another part, means and borders. */
TEST_F(images, differ_in_a_batch)
{
	struct model *m = &self->m;
	const uint8_t *bytes = (const uint8_t *)m->data[IMAGE];
	float z[96];

	OK(describe(self->aipp));
	OK(aclmdlSetAIPPCropParams(self->aipp, 1, 3, 0, 3, 3, 1));
	OK(aclmdlSetAIPPPaddingParams(self->aipp, 1, 1, 0, 0, 1, 1));
	OK(aclmdlSetAIPPDtcPixelMean(self->aipp, 1, 2, 3, 0, 1));
	OK(aclmdlSetAIPPDtcPixelMin(self->aipp, 0.5, 0.5, 0.5, 0.5, 1));
	OK(aclmdlSetAIPPPixelVarReci(self->aipp, 2, 3, 4, 1, 1));
	OK(run_described(m, self->aipp, false));
	OK(aclrtMemcpy(z, sizeof(z), memory_of(m->out, 0), sizeof(z),
		       ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(0, memcmp(z, m->data[2], 192));
	for (int c = 0; c < 3; c++)
		for (int y = 0; y < 4; y++)
			for (int x = 0; x < 4; x++) {
				int at = 192 + ((y - 1) * 8 + x + 3) * 3 + 2 - c;
				float mean = c + 1.5, want = 0;

				if (y && x < 3)
					want = (bytes[at] - mean) * (c + 2);
				EXPECT_TRUE(z[48 + c * 16 + y * 4 + x] == -want)
					TH_LOG("%d %d %d", c, y, x);
			}
}

TEST_F(images, resized_and_converted)
{
	struct model *m = &self->m;
	uint8_t bytes[IMAGES];
	float z[96];

	OK(aclmdlSetAIPPInputFormat(self->aipp, ACL_YUV400_U8));
	OK(aclmdlSetAIPPSrcImageSize(self->aipp, 16, 16));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlSetInputAIPP(m->id, m->in, PARAMETERS,
						    self->aipp));
	EXPECT_TRUE(says("more channels than the image"));
	OK(aclmdlSetAIPPInputFormat(self->aipp, ACL_YUV420SP_U8));
	OK(aclmdlSetAIPPSrcImageSize(self->aipp, 4, 4));
	OK(aclmdlSetAIPPCscParams(self->aipp, 1, 256, 0, 256, 256, 0, 0, 256,
				  256, 0, 0, 0, 0, 0, 128, 128));
	memset(bytes, 100, sizeof(bytes));
	bytes[16] = 130;
	bytes[17] = 148;
	OK(model_put(m));
	OK(aclrtMemcpy(memory_of(m->in, IMAGE), IMAGES, bytes, IMAGES,
		       ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclmdlSetInputAIPP(m->id, m->in, PARAMETERS, self->aipp));
	OK(aclmdlExecute(m->id, m->in, m->out));
	OK(aclrtMemcpy(z, sizeof(z), memory_of(m->out, 0), sizeof(z),
		       ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_TRUE(z[0] == -120);
	EXPECT_TRUE(z[5] == -120);
	EXPECT_TRUE(z[10] == -72);
	EXPECT_TRUE(z[16] == -100);
	EXPECT_TRUE(z[32] == -102);
}

TEST_F(images, must_fit_the_model)
{
	struct model *m = &self->m;

	OK(describe(self->aipp));
	OK(aclmdlSetAIPPCropParams(self->aipp, 1, 2, 1, 4, 3, 1));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlSetInputAIPP(m->id, m->in, PARAMETERS,
						    self->aipp));
	EXPECT_TRUE(says("image 1: the preprocessed image has another size"));
	OK(aclmdlSetAIPPCropParams(self->aipp, 1, 5, 1, 4, 4, 1));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlSetInputAIPP(m->id, m->in, PARAMETERS,
						    self->aipp));
	EXPECT_TRUE(says("part to crop"));
	OK(describe(self->aipp));
	OK(aclmdlSetAIPPScfParams(self->aipp, 1, 16, 16, 32, 32, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlSetInputAIPP(m->id, m->in, PARAMETERS,
						    self->aipp));
	EXPECT_TRUE(says("before and after resizing"));
	OK(aclmdlSetAIPPScfParams(self->aipp, 0, 0, 0, 0, 0, 0));
	OK(aclmdlSetInputAIPP(m->id, m->in, PARAMETERS, self->aipp));
	OK(aclmdlSetAIPPSrcImageSize(self->aipp, 10, 10));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlSetInputAIPP(m->id, m->in, PARAMETERS,
						    self->aipp));
	EXPECT_TRUE(says("more bytes"));
}

TEST_F(images, wrong_datasets)
{
	aclmdlAIPP *three = aclmdlCreateAIPP(3);
	aclmdlDataset *empty = aclmdlCreateDataset();
	struct model *m = &self->m;
	aclDataBuffer *buffer = aclmdlGetDatasetBuffer(m->in, PARAMETERS);
	void *memory = aclGetDataBufferAddr(buffer);

	OK(describe(self->aipp));
#define SET(code, ...)	EXPECT_ACL(code, aclmdlSetInputAIPP(__VA_ARGS__))
	SET(NULL_OR_ZERO, m->id, NULL, PARAMETERS, self->aipp);
	SET(NULL_OR_ZERO, m->id, m->in, PARAMETERS, NULL);
	SET(NULL_OR_ZERO, m->id, m->in, PARAMETERS, three);
	EXPECT_TRUE(says("of 3 images"));
	SET(NULL_OR_ZERO, m->id, m->in, IMAGE, self->aipp);
	SET(NULL_OR_ZERO, m->id, empty, PARAMETERS, self->aipp);
	SET(ACL_ERROR_GE_AIPP_NOT_EXIST, m->id, m->in, GEAR, self->aipp);
	SET(ACL_ERROR_GE_AIPP_MODE_INVALID, self->fixed.id, m->in, IMAGE,
	    self->aipp);
	SET(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, m->id + 1, m->in, PARAMETERS,
	    self->aipp);
	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlSetAIPPByInputIndex(m->id, m->in, PARAMETERS,
					     self->aipp));
	OK(aclUpdateDataBuffer(buffer, memory, 2 * RECORD - 1));
	SET(ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID, m->id, m->in, PARAMETERS,
	    self->aipp);
	OK(aclUpdateDataBuffer(buffer, NULL, 2 * RECORD));
	SET(ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID, m->id, m->in, PARAMETERS,
	    self->aipp);
	OK(aclUpdateDataBuffer(buffer, memory, 2 * RECORD));
	OK(aclmdlDestroyAIPP(three));
	SET(NULL_OR_ZERO, m->id, m->in, PARAMETERS, three);
#undef SET
	OK(aclmdlDestroyDataset(empty));
}

TEST_F(images, wrong_values)
{
	aclmdlAIPP *a = self->aipp;

#define BAD(call)	EXPECT_ACL(NULL_OR_ZERO, call)
	EXPECT_EQ(NULL, aclmdlCreateAIPP(0));
	EXPECT_EQ(NULL, aclmdlCreateAIPP(65537));
	EXPECT_EQ(NULL, aclmdlCreateAIPP(UINT64_MAX));
	BAD(aclmdlDestroyAIPP(NULL));
	BAD(aclmdlSetAIPPInputFormat(NULL, ACL_RGB888_U8));
	BAD(aclmdlSetAIPPInputFormat(a, 0));
	BAD(aclmdlSetAIPPInputFormat(a, ACL_RAW10));
	BAD(aclmdlSetAIPPCscParams(a, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
				   0, 0));
	BAD(aclmdlSetAIPPRbuvSwapSwitch(a, -1));
	BAD(aclmdlSetAIPPRbuvSwapSwitch(NULL, 1));
	BAD(aclmdlSetAIPPAxSwapSwitch(a, 2));
	BAD(aclmdlSetAIPPSrcImageSize(a, 1, 2));
	BAD(aclmdlSetAIPPSrcImageSize(a, 2, 0));
	BAD(aclmdlSetAIPPSrcImageSize(a, 4097, 2));
	BAD(aclmdlSetAIPPScfParams(a, 1, 15, 16, 16, 16, 0));
	BAD(aclmdlSetAIPPScfParams(a, 1, 16, 16, 1921, 16, 0));
	BAD(aclmdlSetAIPPScfParams(a, 1, 16, 16, 16, 272, 0));
	BAD(aclmdlSetAIPPScfParams(a, 1, 16, 16, 16, 16, 2));
	BAD(aclmdlSetAIPPCropParams(a, 1, -1, 0, 1, 1, 0));
	BAD(aclmdlSetAIPPCropParams(a, 1, 0, 4096, 1, 1, 0));
	BAD(aclmdlSetAIPPCropParams(a, 1, 0, 0, 0, 1, 0));
	BAD(aclmdlSetAIPPCropParams(a, 1, 0, 0, 1, 1, UINT64_MAX - 1));
	BAD(aclmdlSetAIPPPaddingParams(a, 1, 33, 0, 0, 0, 0));
	BAD(aclmdlSetAIPPPaddingParams(a, 1, 0, 0, -1, 0, 0));
	BAD(aclmdlSetAIPPDtcPixelMean(a, 0, -1, 0, 0, 0));
	BAD(aclmdlSetAIPPDtcPixelMin(a, 0, 0, 256, 0, 0));
	BAD(aclmdlSetAIPPDtcPixelMin(a, 0, 0, __builtin_nanf(""), 0, 0));
	BAD(aclmdlSetAIPPPixelVarReci(a, 0, 0, 0, 65505, 0));
	BAD(aclmdlSetAIPPPixelVarReci(a, 0, 0, 0, 0, 2));
#undef BAD
	/* A step that is not done has no values. */
	OK(aclmdlSetAIPPCropParams(a, 0, -1, -1, -1, -1, 0));
	OK(aclmdlSetAIPPScfParams(a, 0, -1, -1, -1, -1, 1));
	OK(aclmdlSetAIPPPaddingParams(a, 0, -1, -1, -1, -1, 1));
	OK(aclmdlSetAIPPAxSwapSwitch(a, 0));
}

/* A run finds parameters that another program has written, and names the node. */
TEST_F(images, hostile_parameters)
{
	struct model *m = &self->m;
	uint8_t bytes[2 * RECORD];
	const char *text;
	aclError err;

	srand(1);
	OK(model_put(m));
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = rand();
	OK(aclrtMemcpy(memory_of(m->in, PARAMETERS), sizeof(bytes), bytes,
		       sizeof(bytes), ACL_MEMCPY_HOST_TO_DEVICE));
	err = aclmdlExecute(m->id, m->in, m->out);
	EXPECT_NE(ACL_SUCCESS, err);
	text = recent();
	EXPECT_NE(NULL, strstr(text, "pictures: x (Image)"))
		TH_LOG("%s", text);
	EXPECT_NE(NULL, strstr(text, "the parameters are not valid"))
		TH_LOG("%s", text);
}

/* Parameters that are right but for the place of the last image. */
TEST_F(images, hostile_size)
{
	struct model *m = &self->m;
	int32_t size = 4096;

	OK(model_put(m));
	OK(aclrtMemcpy((char *)memory_of(m->in, PARAMETERS) + RECORD + 16, 4,
		       &size, 4, ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_NE(ACL_SUCCESS, aclmdlExecute(m->id, m->in, m->out));
	EXPECT_TRUE(says("the parameters are not valid"));
}

TEST_HARNESS_MAIN
