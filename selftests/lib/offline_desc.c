// SPDX-License-Identifier: GPL-2.0-only
/* Offline models: descriptions, gears, ranges, attributes and datasets. */
#include "acl-offline.h"

#define ID_INVALID	ACL_ERROR_GE_EXEC_MODEL_ID_INVALID
#define PATH_INVALID	ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID
#define ORIGINAL_NAMES	"_datadump_original_op_names"

FIXTURE(loaded) {
	uint32_t id;
};

FIXTURE_SETUP(loaded)
{
	OK(aclrtSetDevice(0));
}

FIXTURE_TEARDOWN(loaded)
{
	OK(aclrtResetDeviceForce(0));
}

TEST_F(loaded, description)
{
	aclmdlDesc *desc = aclmdlCreateDesc();
	aclmdlIODims dims, same;
	size_t index;

	ASSERT_NE(NULL, desc);
	EXPECT_EQ(0, aclmdlGetNumInputs(desc));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetInputDims(desc, 0, &dims));
	EXPECT_ACL(ID_INVALID, aclmdlGetDesc(desc, 1));
	OK(aclmdlLoadFromFile(model_path("linear", "om"), &self->id));
	OK(aclmdlGetDesc(desc, self->id));
	EXPECT_EQ(1, aclmdlGetNumInputs(desc));
	EXPECT_EQ(1, aclmdlGetNumOutputs(desc));
	EXPECT_EQ(1024, aclmdlGetInputSizeByIndex(desc, 0));
	EXPECT_EQ(1024, aclmdlGetOutputSizeByIndex(desc, 0));
	EXPECT_EQ(0, aclmdlGetInputSizeByIndex(desc, 1));
	EXPECT_EQ(0, aclmdlGetOutputSizeByIndex(desc, 1));
	EXPECT_STREQ("x", aclmdlGetInputNameByIndex(desc, 0));
	EXPECT_STREQ("z", aclmdlGetOutputNameByIndex(desc, 0));
	EXPECT_STREQ("", aclmdlGetOutputNameByIndex(desc, 1));
	EXPECT_EQ(ACL_FLOAT, aclmdlGetInputDataType(desc, 0));
	EXPECT_EQ(ACL_FLOAT, aclmdlGetOutputDataType(desc, 0));
	EXPECT_EQ(ACL_DT_UNDEFINED, aclmdlGetInputDataType(desc, 1));
	EXPECT_EQ(ACL_FORMAT_ND, aclmdlGetInputFormat(desc, 0));
	EXPECT_EQ(ACL_FORMAT_ND, aclmdlGetOutputFormat(desc, 0));
	EXPECT_EQ(ACL_FORMAT_UNDEFINED, aclmdlGetOutputFormat(desc, 1));
	OK(aclmdlGetInputIndexByName(desc, "x", &index));
	EXPECT_EQ(0, index);
	OK(aclmdlGetOutputIndexByName(desc, "z", &index));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetInputIndexByName(desc, "z", &index));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetInputIndexByName(desc, NULL, &index));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetOutputIndexByName(desc, "z", NULL));
	OK(aclmdlGetInputDims(desc, 0, &dims));
	EXPECT_EQ(2, dims.dimCount);
	EXPECT_EQ(4, dims.dims[0]);
	EXPECT_EQ(64, dims.dims[1]);
	EXPECT_STREQ("x", dims.name);
	OK(aclmdlGetInputDimsV2(desc, 0, &same));
	EXPECT_EQ(0, memcmp(&dims, &same, sizeof(dims)));
	OK(aclmdlGetCurOutputDims(desc, 0, &dims));
	EXPECT_STREQ("x", aclmdlGetTensorRealName(desc, "x"));
	EXPECT_EQ(NULL, aclmdlGetTensorRealName(desc, "w"));
	EXPECT_STREQ("", aclmdlGetOpAttr(desc, "z", ORIGINAL_NAMES));
	EXPECT_EQ(NULL, aclmdlGetOpAttr(desc, "none", ORIGINAL_NAMES));
	EXPECT_EQ(NULL, aclmdlGetOpAttr(desc, "z", "other"));
	EXPECT_EQ(NULL, aclmdlGetOpAttr(desc, "z", NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetOutputDims(desc, 1, &dims));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetOutputDims(desc, 0, NULL));
	OK(aclmdlUnload(self->id));
	EXPECT_ACL(ID_INVALID, aclmdlGetCurOutputDims(desc, 0, &dims));
	OK(aclmdlGetOutputDims(desc, 0, &dims));
	OK(aclmdlDestroyDesc(desc));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlDestroyDesc(desc));
	EXPECT_EQ(0, aclmdlGetNumOutputs(desc));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetOutputDims(desc, 0, &dims));
}

/* Files are described without a device. */
TEST(gears)
{
	aclmdlDesc *desc = aclmdlCreateDesc();
	aclmdlIODims dims, all[2];
	aclmdlIODimsRange range;
	aclmdlBatch batch;
	size_t gears, size = 0;
	aclmdlHW hw;
	char *bytes;

	OK(aclmdlGetDescFromFile(desc, model_path("batch", "om")));
	OK(aclmdlGetInputDimsRange(desc, 0, &range));
	EXPECT_EQ(0, range.rangeCount);
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetInputDimsRange(desc, 2, &range));
	OK(aclmdlGetDynamicBatch(desc, &batch));
	EXPECT_EQ(3, batch.batchCount);
	EXPECT_EQ(1, batch.batch[0]);
	EXPECT_EQ(4, batch.batch[1]);
	OK(aclmdlGetDynamicHW(desc, -1, &hw));
	EXPECT_EQ(0, hw.hwCount);
	EXPECT_EQ(2, aclmdlGetNumInputs(desc));
	EXPECT_STREQ(ACL_DYNAMIC_TENSOR_NAME,
		     aclmdlGetInputNameByIndex(desc, 1));
	EXPECT_EQ(8, aclmdlGetInputSizeByIndex(desc, 1));
	EXPECT_EQ(4 * 64 * 4, aclmdlGetInputSizeByIndex(desc, 0));
	OK(aclmdlGetInputDims(desc, 0, &dims));
	EXPECT_EQ(-1, dims.dims[0]);
	OK(aclmdlGetInputDims(desc, 1, &dims));
	EXPECT_EQ(1, dims.dims[0]);
	OK(aclmdlGetOutputDims(desc, 0, &dims));
	EXPECT_EQ(4, dims.dims[0]);

	bytes = read_all(model_path("image", "om"), &size);
	OK(aclmdlGetDescFromMem(desc, bytes, size));
	free(bytes);
	OK(aclmdlGetDynamicHW(desc, -1, &hw));
	EXPECT_EQ(2, hw.hwCount);
	EXPECT_EQ(16, hw.hw[1][0]);
	EXPECT_EQ(12, hw.hw[1][1]);
	EXPECT_EQ(16, aclmdlGetInputSizeByIndex(desc, 1));

	OK(aclmdlGetDescFromFile(desc, model_path("dims", "om")));
	OK(aclmdlGetInputDynamicGearCount(desc, -1, &gears));
	EXPECT_EQ(2, gears);
	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlGetInputDynamicGearCount(desc, 0, &gears));
	OK(aclmdlGetInputDynamicDims(desc, -1, all, 2));
	EXPECT_EQ(3, all[1].dimCount);
	EXPECT_EQ(5, all[1].dims[0]);
	EXPECT_EQ(6, all[1].dims[2]);
	EXPECT_ACL(NULL_OR_ZERO, aclmdlGetInputDynamicDims(desc, -1, all, 1));
	EXPECT_ACL(PATH_INVALID, aclmdlGetDescFromFile(desc, "/none"));
	EXPECT_EQ(3, aclmdlGetNumInputs(desc));
	OK(aclmdlDestroyDesc(desc));
}

/* The program chooses the shape of the input within the limits of the model. */
TEST_F(loaded, ranges)
{
	const int64_t dims[][2] = { { 2, 8 }, { 4, 8 } };
	aclmdlIODimsRange range;
	aclTensorDesc *desc, *made;
	struct model m = { 0 };
	aclmdlIODims some;

	OK(aclmdlLoadFromFile(model_path("range", "om"), &m.id));
	OK(model_open(&m, "range"));
	EXPECT_EQ(1, aclmdlGetNumInputs(m.desc));
	EXPECT_EQ(3 * 32, aclmdlGetInputSizeByIndex(m.desc, 0));
	EXPECT_EQ(0, aclmdlGetOutputSizeByIndex(m.desc, 0));
	OK(aclmdlGetInputDimsRange(m.desc, 0, &range));
	EXPECT_EQ(2, range.rangeCount);
	EXPECT_EQ(1, range.range[0][0]);
	EXPECT_EQ(3, range.range[0][1]);
	EXPECT_EQ(8, range.range[1][0]);
	EXPECT_EQ(8, range.range[1][1]);
	OK(aclmdlGetOutputDims(m.desc, 0, &some));
	EXPECT_EQ(-1, some.dims[0]);
	EXPECT_ACL(ACL_ERROR_API_NOT_SUPPORT,
		   aclmdlGetCurOutputDims(m.desc, 0, &some));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlExecute(m.id, m.in, m.out));
	EXPECT_NE(NULL, strstr(recent(), "aclmdlSetDatasetTensorDesc"));
	desc = aclCreateTensorDesc(ACL_FLOAT, 2, dims[1], ACL_FORMAT_ND);
	OK(aclmdlSetDatasetTensorDesc(m.in, desc, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlExecute(m.id, m.in, m.out));
	aclDestroyTensorDesc(desc);
	/* The file has the data of one row, then that of two. */
	desc = aclCreateTensorDesc(ACL_FLOAT, 2, dims[0], ACL_FORMAT_ND);
	OK(aclmdlSetDatasetTensorDesc(m.in, desc, 0));
	aclDestroyTensorDesc(desc);
	model_gear(&m, 2 * 32, (size_t)64, (size_t)64);
	OK(aclrtMemcpy(memory_of(m.in, 0), 64, m.data[0], 64,
		       ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclmdlExecute(m.id, m.in, m.out));
	made = aclmdlGetDatasetTensorDesc(m.out, 0);
	EXPECT_EQ(64, aclGetTensorDescSize(made));
	EXPECT_TRUE(model_is_right(&m));
	OK(model_close(&m));
}

TEST_F(loaded, attributes)
{
	aclmdlConfigHandle *config = aclmdlCreateConfigHandle();
	size_t type = ACL_MDL_LOAD_FROM_FILE;
	const char *path = model_path("linear", "om");
	aclmdlAttrValue_t value = { .mdlPriority = 9 };
	int32_t priority = 5;

	OK(aclmdlSetConfigOpt(config, ACL_MDL_LOAD_TYPE_SIZET, &type,
			      sizeof(type)));
	OK(aclmdlSetConfigOpt(config, ACL_MDL_PATH_PTR, &path, sizeof(path)));
	OK(aclmdlSetConfigOpt(config, ACL_MDL_PRIORITY_INT32, &priority,
			      sizeof(priority)));
	OK(aclmdlLoadWithConfig(config, &self->id));
	OK(aclmdlDestroyConfigHandle(config));
	OK(aclmdlGetAttribute(self->id, ACL_MDL_ATTR_PRIORITY_INT32, &value));
	EXPECT_EQ(5, value.mdlPriority);
	value.mdlPriority = 8;
	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlSetAttribute(self->id, ACL_MDL_ATTR_PRIORITY_INT32,
				      &value));
	value.mdlPriority = 7;
	OK(aclmdlSetAttribute(self->id, ACL_MDL_ATTR_PRIORITY_INT32, &value));
	OK(aclmdlGetAttribute(self->id, ACL_MDL_ATTR_PRIORITY_INT32, &value));
	EXPECT_EQ(7, value.mdlPriority);
	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlGetAttribute(self->id, (aclmdlAttr)1, &value));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlGetAttribute(self->id, ACL_MDL_ATTR_PRIORITY_INT32,
				      NULL));
	OK(aclmdlUnload(self->id));
	EXPECT_ACL(ID_INVALID,
		   aclmdlGetAttribute(self->id, ACL_MDL_ATTR_PRIORITY_INT32,
				      &value));
}

TEST(datasets)
{
	void *const bad[] = { NULL, GARBAGE_HANDLES };
	aclmdlDataset *set = aclmdlCreateDataset();
	aclDataBuffer *buffer = aclCreateDataBuffer(NULL, 0);
	aclTensorDesc *desc = aclCreateTensorDesc(ACL_INT8, 0, NULL,
						  ACL_FORMAT_ND);
	aclTensorDesc *copy;
	aclmdlIODims dims;

	ASSERT_NE(NULL, set);
	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlGetInputDims((aclmdlDesc *)set, 0, &dims));
	EXPECT_NE(NULL, strstr(recent(), "is not a description of a model"));
	EXPECT_EQ(0, aclmdlGetDatasetNumBuffers(set));
	EXPECT_EQ(NULL, aclmdlGetDatasetBuffer(set, 0));
	OK(aclmdlAddDatasetBuffer(set, buffer));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlAddDatasetBuffer(set, NULL));
	EXPECT_EQ(1, aclmdlGetDatasetNumBuffers(set));
	EXPECT_EQ(buffer, aclmdlGetDatasetBuffer(set, 0));
	EXPECT_EQ(NULL, aclmdlGetDatasetTensorDesc(set, 0));
	OK(aclmdlSetDatasetTensorDesc(set, desc, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlSetDatasetTensorDesc(set, desc, 1));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlSetDatasetTensorDesc(set, NULL, 0));
	aclDestroyTensorDesc(desc);
	EXPECT_ACL(NULL_OR_ZERO, aclmdlSetDatasetTensorDesc(set, desc, 0));
	copy = aclmdlGetDatasetTensorDesc(set, 0);
	EXPECT_EQ(ACL_INT8, aclGetTensorDescType(copy));
	OK(aclmdlDestroyDataset(set));
	EXPECT_EQ(ACL_DT_UNDEFINED, aclGetTensorDescType(copy));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlDestroyDataset(set));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlAddDatasetBuffer(set, buffer));
	OK(aclDestroyDataBuffer(buffer));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(0, aclmdlGetDatasetNumBuffers(bad[i]));
		EXPECT_ACL(NULL_OR_ZERO, aclmdlDestroyDataset(bad[i]));
	}
}

TEST_HARNESS_MAIN
