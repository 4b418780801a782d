/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that are made to fail: offline models, datasets and descriptions. */
#ifndef SELFTESTS_LIB_FAIL_NTH_OFFLINE_H
#define SELFTESTS_LIB_FAIL_NTH_OFFLINE_H

#include <sys/mman.h>

#include "acl-offline.h"
#include "fail_nth_calls.h"

/* The model linear of offline_models.c: an input and an output of 1024 bytes. */
#define LINEAR_BYTES	1024

/* Its file, in memory as the image of kernels is: see fail_nth_kernel.h. */
static void *linear_data;
static size_t linear_size;
static char linear_file[32];

static __attribute__((constructor)) void copy_model(void)
{
	int fd = memfd_create("linear", MFD_CLOEXEC);

	linear_data = read_all(model_path("linear", "om"), &linear_size);
	if (!linear_data || fd < 0 ||
	    write(fd, linear_data, linear_size) != (ssize_t)linear_size) {
		perror("models/linear.om");
		exit(1);
	}
	snprintf(linear_file, sizeof(linear_file), "/proc/self/fd/%d", fd);
}

static const char *linear_path(void)
{
	return linear_file;
}

static const void *linear_bytes(size_t *size)
{
	*size = linear_size;
	return linear_data;
}

CALL(load_mem, {
	size_t size;
	const void *bytes = linear_bytes(&size);

	return aclmdlLoadFromMem(bytes, size, &w->offline);
})

CALL(load_file, {
	return aclmdlLoadFromFile(linear_path(), &w->offline);
})

CALL(load_mem_with, {
	size_t size;
	const void *bytes = linear_bytes(&size);

	return aclmdlLoadFromMemWithMem(bytes, size, &w->offline, NULL, 0, NULL,
					0);
})

CALL(load_file_with, {
	return aclmdlLoadFromFileWithMem(linear_path(), &w->offline, NULL, 0,
					 NULL, 0);
})

CALL(unload_offline, {
	aclError err = aclmdlUnload(w->offline);

	if (!err)
		w->offline = 0;
	return err;
})

CALL(query_mem, {
	size_t size, work, weights;
	const void *bytes = linear_bytes(&size);

	return aclmdlQuerySizeFromMem(bytes, size, &work, &weights);
})

static aclError make_dataset(struct world *w)
{
	w->dataset = aclmdlCreateDataset();
	return made(w->dataset);
}

static aclError make_data_for_set(struct world *w)
{
	aclError err = make_dataset(w);

	w->data = err ? NULL : aclCreateDataBuffer(w->work.dev, LINEAR_BYTES);
	return err ? err : made(w->data);
}

static aclError make_filled_set(struct world *w)
{
	aclError err = make_data_for_set(w);

	return err ? err : aclmdlAddDatasetBuffer(w->dataset, w->data);
}

static aclError make_tensor_desc(struct world *w)
{
	const int64_t dims[] = { 4, 64 };

	w->tensor = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
	return made(w->tensor);
}

static aclError make_set_and_tensor(struct world *w)
{
	aclError err = make_filled_set(w);

	return err ? err : make_tensor_desc(w);
}

static aclError make_described_set(struct world *w)
{
	aclError err = make_set_and_tensor(w);

	return err ? err : aclmdlSetDatasetTensorDesc(w->dataset, w->tensor, 0);
}

/* Ready to run: input and output are the same memory, which is as good. */
static aclError make_offline(struct world *w)
{
	aclError err = make_filled_set(w);

	if (!err)
		err = call_load_mem(w);
	/* The core runs from here on. */
	return err ? err : aclmdlExecute(w->offline, w->dataset, w->dataset);
}

static aclError make_run_config(struct world *w)
{
	w->run_config = aclmdlCreateExecConfigHandle();
	return made(w->run_config);
}

static aclError make_load_config(struct world *w)
{
	w->load_config = aclmdlCreateConfigHandle();
	return made(w->load_config);
}

CALL(set_load_config, {
	const char *path = linear_path();

	return aclmdlSetConfigOpt(w->load_config, ACL_MDL_PATH_PTR, &path,
				  sizeof(path));
})

static aclError make_full_config(struct world *w)
{
	size_t type = ACL_MDL_LOAD_FROM_FILE;
	aclError err = make_load_config(w);

	if (!err)
		err = aclmdlSetConfigOpt(w->load_config,
					 ACL_MDL_LOAD_TYPE_SIZET, &type,
					 sizeof(type));
	return err ? err : call_set_load_config(w);
}

CALL(set_run_config, {
	int32_t ms = 1000;

	return aclmdlSetExecConfigOpt(w->run_config,
				      ACL_MDL_STREAM_SYNC_TIMEOUT, &ms,
				      sizeof(ms));
})

static aclError make_desc(struct world *w)
{
	w->desc = aclmdlCreateDesc();
	return made(w->desc);
}

static aclError make_desc_and_model(struct world *w)
{
	aclError err = make_desc(w);

	return err ? err : call_load_mem(w);
}

static aclError make_full_desc(struct world *w)
{
	aclError err = make_desc_and_model(w);

	return err ? err : aclmdlGetDesc(w->desc, w->offline);
}

/* One of three batches. */
static aclError make_batches(struct world *w)
{
	aclError err = make_filled_set(w);

	if (!err)
		err = aclmdlAddDatasetBuffer(w->dataset, w->data);
	return err ? err : aclmdlLoadFromFile(model_path("batch", "om"),
					      &w->offline);
}

static aclError make_images(struct world *w)
{
	aclError err = make_filled_set(w);

	if (!err)
		err = aclmdlAddDatasetBuffer(w->dataset, w->data);
	return err ? err : aclmdlLoadFromFile(model_path("image", "om"),
					      &w->offline);
}

static aclError make_any_dims(struct world *w)
{
	aclError err = make_filled_set(w);

	for (int i = 0; !err && i < 2; i++)
		err = aclmdlAddDatasetBuffer(w->dataset, w->data);
	return err ? err : aclmdlLoadFromFile(model_path("dims", "om"),
					      &w->offline);
}

CALL(set_dims, {
	const aclmdlIODims dims = { .dimCount = 3, .dims = { 2, 8, 8 } };

	return aclmdlSetInputDynamicDims(w->offline, w->dataset, 2, &dims);
})

CALL(desc_from_mem, {
	size_t size;
	const void *bytes = linear_bytes(&size);

	return aclmdlGetDescFromMem(w->desc, bytes, size);
})

CALL(input_dims, {
	aclmdlIODims dims;

	return aclmdlGetInputDims(w->desc, 0, &dims);
})

CALL(input_dims_2, {
	aclmdlIODims dims;

	return aclmdlGetInputDimsV2(w->desc, 0, &dims);
})

CALL(output_dims, {
	aclmdlIODims dims;

	return aclmdlGetOutputDims(w->desc, 0, &dims);
})

CALL(current_dims, {
	aclmdlIODims dims;

	return aclmdlGetCurOutputDims(w->desc, 0, &dims);
})

CALL(dims_range, {
	aclmdlIODimsRange range;

	return aclmdlGetInputDimsRange(w->desc, 0, &range);
})

CALL(get_attribute, {
	aclmdlAttrValue_t value;

	return aclmdlGetAttribute(w->offline, ACL_MDL_ATTR_PRIORITY_INT32,
				  &value);
})

CALL(set_attribute, {
	aclmdlAttrValue_t value = { .mdlPriority = 3 };

	return aclmdlSetAttribute(w->offline, ACL_MDL_ATTR_PRIORITY_INT32,
				  &value);
})

CALL(dynamic_batch, {
	aclmdlBatch batch;

	return aclmdlGetDynamicBatch(w->desc, &batch);
})

CALL(dynamic_size, {
	aclmdlHW hw;

	return aclmdlGetDynamicHW(w->desc, -1, &hw);
})

CALL(dynamic_dims, {
	aclmdlIODims dims;

	return aclmdlGetInputDynamicDims(w->desc, -1, &dims, 1);
})

CALL(destroy_set, {
	return END(w, dataset, aclmdlDestroyDataset(w->dataset));
})

CALL(destroy_desc, {
	return END(w, desc, aclmdlDestroyDesc(w->desc));
})

CALL(destroy_tensor, {
	aclDestroyTensorDesc(w->tensor);
	w->tensor = NULL;
	return ACL_SUCCESS;
})

CALL(destroy_run_config, {
	return END(w, run_config, aclmdlDestroyExecConfigHandle(w->run_config));
})

CALL(destroy_load_config, {
	return END(w, load_config, aclmdlDestroyConfigHandle(w->load_config));
})

CALL(name_tensor, {
	aclSetTensorDescName(w->tensor, "name");
	return *aclGetTensorDescName(w->tensor) ? ACL_SUCCESS :
						  ACL_ERROR_BAD_ALLOC;
})

/* Calls that read a file. */
#define READ_ROWS(ROW)							\
	ROW(aclmdlQuerySize, NULL, (linear_path(), result(0), result(1))) \
	ROW(aclmdlLoadWithConfig, make_full_config,			\
	    (w->load_config, &w->offline))				\
	ROW(aclmdlGetDescFromFile, make_desc, (w->desc, linear_path()))

READ_ROWS(ROW_CALL)

#define READ_ENTRY(_name, _before, ...)					\
	{ #_name, _before, row_##_name, false, FILES_OPEN },

#define OFFLINE_ROWS(ROW)						\
	ROW(aclmdlAddDatasetBuffer, make_data_for_set,			\
	    (w->dataset, w->data))					\
	ROW(aclmdlGetDatasetNumBuffers, make_filled_set,		\
	    (w->dataset) == 1 ? 0 : -1)					\
	ROW(aclmdlGetDatasetBuffer, make_filled_set,			\
	    (w->dataset, 0) == w->data ? 0 : -1)			\
	ROW(aclmdlSetDatasetTensorDesc, make_set_and_tensor,		\
	    (w->dataset, w->tensor, 0))					\
	ROW(aclmdlGetDatasetTensorDesc, make_described_set,		\
	    (w->dataset, 0) ? 0 : -1)					\
	ROW(aclmdlGetDesc, make_desc_and_model, (w->desc, w->offline))	\
	ROW(aclmdlGetNumInputs, make_full_desc, (w->desc) == 1 ? 0 : -1) \
	ROW(aclmdlGetNumOutputs, make_full_desc, (w->desc) == 1 ? 0 : -1) \
	ROW(aclmdlGetInputSizeByIndex, make_full_desc,			\
	    (w->desc, 0) == LINEAR_BYTES ? 0 : -1)			\
	ROW(aclmdlGetOutputSizeByIndex, make_full_desc,			\
	    (w->desc, 0) == LINEAR_BYTES ? 0 : -1)			\
	ROW(aclmdlGetInputNameByIndex, make_full_desc,			\
	    (w->desc, 0)[0] == 'x' ? 0 : -1)				\
	ROW(aclmdlGetOutputNameByIndex, make_full_desc,			\
	    (w->desc, 0)[0] == 'z' ? 0 : -1)				\
	ROW(aclmdlGetInputFormat, make_full_desc,			\
	    (w->desc, 0) == ACL_FORMAT_ND ? 0 : -1)			\
	ROW(aclmdlGetOutputFormat, make_full_desc,			\
	    (w->desc, 0) == ACL_FORMAT_ND ? 0 : -1)			\
	ROW(aclmdlGetInputDataType, make_full_desc,			\
	    (w->desc, 0) == ACL_FLOAT ? 0 : -1)				\
	ROW(aclmdlGetOutputDataType, make_full_desc,			\
	    (w->desc, 0) == ACL_FLOAT ? 0 : -1)				\
	ROW(aclmdlGetInputIndexByName, make_full_desc,			\
	    (w->desc, "x", result(0)))					\
	ROW(aclmdlGetOutputIndexByName, make_full_desc,			\
	    (w->desc, "z", result(0)))					\
	ROW(aclmdlGetTensorRealName, make_full_desc,			\
	    (w->desc, "x") ? 0 : -1)					\
	ROW(aclmdlGetOpAttr, make_full_desc,				\
	    (w->desc, "z", "_datadump_original_op_names") ? 0 : -1)	\
	ROW(aclmdlGetInputDynamicGearCount, make_full_desc,		\
	    (w->desc, -1, result(0)))					\
	ROW(aclGetTensorDescType, make_tensor_desc,				\
	    (w->tensor) == ACL_FLOAT ? 0 : -1)				\
	ROW(aclGetTensorDescFormat, make_tensor_desc,			\
	    (w->tensor) == ACL_FORMAT_ND ? 0 : -1)			\
	ROW(aclGetTensorDescSize, make_tensor_desc,				\
	    (w->tensor) == LINEAR_BYTES ? 0 : -1)			\
	ROW(aclGetTensorDescElementCount, make_tensor_desc,			\
	    (w->tensor) == 256 ? 0 : -1)				\
	ROW(aclGetTensorDescNumDims, make_tensor_desc, (w->tensor) == 2 ? 0 : -1) \
	ROW(aclGetTensorDescDim, make_tensor_desc, (w->tensor, 1) == 64 ? 0 : -1) \
	ROW(aclGetTensorDescDimV2, make_tensor_desc, (w->tensor, 1, result(0))) \
	ROW(aclGetTensorDescName, make_tensor_desc, (w->tensor) ? 0 : -1)	\
	ROW(aclmdlSetDynamicBatchSize, make_batches,			\
	    (w->offline, w->dataset, 1, 2))				\
	ROW(aclmdlSetDynamicHWSize, make_images,			\
	    (w->offline, w->dataset, 1, 8, 8))

OFFLINE_ROWS(ROW_CALL)

/* Some launches of a run that fails may run, and runs are remembered. */
#define RUN_ROWS(ROW)							\
	ROW(aclmdlExecute, make_offline,				\
	    (w->offline, w->dataset, w->dataset))			\
	ROW(aclmdlExecuteAsync, make_offline,				\
	    (w->offline, w->dataset, w->dataset, w->work.a))		\
	ROW(aclmdlExecuteV2, make_offline,				\
	    (w->offline, w->dataset, w->dataset, w->work.a, NULL))	\
	ROW(aclmdlExecuteAsyncV2, make_offline,				\
	    (w->offline, w->dataset, w->dataset, w->work.a, NULL))

RUN_ROWS(ROW_CALL)

#define RUN_ENTRY(_name, _before, ...)					\
	{ #_name, _before, row_##_name, true, KEEPS_ROOM },

static const struct sweep offline_calls[] = {
	READ_ROWS(READ_ENTRY)
	OFFLINE_ROWS(ROW_ENTRY)
	RUN_ROWS(RUN_ENTRY)
	{ "aclmdlLoadFromFile", NULL, call_load_file, false, FILES_OPEN },
	{ "aclmdlLoadFromMem", NULL, call_load_mem, false, 0 },
	{ "aclmdlLoadFromFileWithMem", NULL, call_load_file_with, false,
	  FILES_OPEN },
	{ "aclmdlLoadFromMemWithMem", NULL, call_load_mem_with, false, 0 },
	{ "aclmdlUnload", call_load_mem, call_unload_offline, true, 0 },
	{ "aclmdlQuerySizeFromMem", NULL, call_query_mem, false, 0 },
	{ "aclmdlCreateDataset", NULL, make_dataset, false, 0 },
	{ "aclmdlDestroyDataset", make_dataset, call_destroy_set, false, 0 },
	{ "aclmdlCreateDesc", NULL, make_desc, false, 0 },
	{ "aclmdlDestroyDesc", make_full_desc, call_destroy_desc, false, 0 },
	{ "aclmdlGetDescFromMem", make_desc, call_desc_from_mem, false, 0 },
	{ "aclmdlGetInputDims", make_full_desc, call_input_dims, false, 0 },
	{ "aclmdlGetInputDimsV2", make_full_desc, call_input_dims_2, false, 0 },
	{ "aclmdlGetOutputDims", make_full_desc, call_output_dims, false, 0 },
	{ "aclmdlGetCurOutputDims", make_full_desc, call_current_dims, false,
	  0 },
	{ "aclmdlGetInputDimsRange", make_full_desc, call_dims_range, false,
	  0 },
	{ "aclmdlGetAttribute", make_offline, call_get_attribute, false, 0 },
	{ "aclmdlSetAttribute", make_offline, call_set_attribute, false, 0 },
	{ "aclmdlGetDynamicBatch", make_full_desc, call_dynamic_batch, false,
	  0 },
	{ "aclmdlGetDynamicHW", make_full_desc, call_dynamic_size, false, 0 },
	{ "aclmdlGetInputDynamicDims", make_full_desc, call_dynamic_dims, false,
	  0 },
	{ "aclmdlSetInputDynamicDims", make_any_dims, call_set_dims, false, 0 },
	{ "aclmdlCreateConfigHandle", NULL, make_load_config, false, 0 },
	{ "aclmdlDestroyConfigHandle", make_load_config,
	  call_destroy_load_config, false, 0 },
	{ "aclmdlSetConfigOpt", make_load_config, call_set_load_config, false,
	  KEEPS_ROOM },
	{ "aclmdlCreateExecConfigHandle", NULL, make_run_config, false, 0 },
	{ "aclmdlDestroyExecConfigHandle", make_run_config,
	  call_destroy_run_config, false, 0 },
	{ "aclmdlSetExecConfigOpt", make_run_config, call_set_run_config, false,
	  0 },
	{ "aclCreateTensorDesc", NULL, make_tensor_desc, false, 0 },
	{ "aclDestroyTensorDesc", make_tensor_desc, call_destroy_tensor, false, 0 },
	{ "aclSetTensorDescName", make_tensor_desc, call_name_tensor, false, 0 },
	{ 0 }
};

#endif
