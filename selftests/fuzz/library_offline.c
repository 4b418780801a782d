// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls for offline models, datasets and descriptions.
 *
 * The file is no model, as no compiler is here: the host's tests have damaged
 * ones. Models exist by their numbers only.
 */
#include "library.h"

static const char *model_file(struct worker *w)
{
	return below(w, 4) ? path_of("offline") : NULL;
}

/* Bytes that begin like a model. */
static const void *model_bytes(struct worker *w)
{
	char *bytes = out(w, 4);

	memcpy(bytes, below(w, 2) ? "VNPU-OM" : "IMOD\0\0\0", 8);
	return below(w, 8) ? bytes : NULL;
}

static size_t model_size(struct worker *w)
{
	return below(w, PAGE_BYTES);
}

static aclmdlIODims *dims(struct worker *w)
{
	aclmdlIODims *value = out(w, 3);

	value->dimCount = below(w, 140);
	return below(w, 8) ? value : NULL;
}

static const char *name(struct worker *w)
{
	return below(w, 8) ? "x" : NULL;
}

static aclError fuzz_aclmdlCreateDataset(struct worker *w)
{
	void *new = aclmdlCreateDataset();

	return keep_if(w, made(new), DATASET, new);
}

static aclError fuzz_aclmdlCreateDesc(struct worker *w)
{
	void *new = aclmdlCreateDesc();

	return keep_if(w, made(new), MODEL_DESC, new);
}

static aclError fuzz_aclCreateTensorDesc(struct worker *w)
{
	void *new = aclCreateTensorDesc(below(w, 30), small(w), out(w, 0),
					below(w, 4));

	/* Other values are refused. */
	return new ? keep_if(w, ACL_SUCCESS, TENSOR_DESC, new) :
		     ACL_ERROR_INVALID_PARAM;
}

static aclError fuzz_aclmdlCreateConfigHandle(struct worker *w)
{
	void *new = aclmdlCreateConfigHandle();

	return keep_if(w, made(new), LOAD_CONFIG, new);
}

static aclError fuzz_aclmdlCreateExecConfigHandle(struct worker *w)
{
	void *new = aclmdlCreateExecConfigHandle();

	return keep_if(w, made(new), RUN_CONFIG, new);
}

static aclError fuzz_aclmdlCreateAIPP(struct worker *w)
{
	void *new = aclmdlCreateAIPP(below(w, 8) ? below(w, 4) : below(w, UINT64_MAX));

	return keep_if(w, made(new), AIPP, new);
}

/* One is enough: a struct has room for all gears. */
static aclError fuzz_aclmdlGetFirstAippInfo(struct worker *w)
{
	static __thread aclAippInfo info;

	return aclmdlGetFirstAippInfo(small(w), below(w, 3),
				      below(w, 8) ? &info : NULL);
}

/* Values of all options: the path is one, and sizes are small. */
static aclError fuzz_aclmdlSetConfigOpt(struct worker *w)
{
	const void *value = below(w, 2) ? path_of("offline") : NULL;

	return aclmdlSetConfigOpt(handle(w, LOAD_CONFIG), ACL_MDL_PATH_PTR,
				  &value, below(w, 8) ? sizeof(value) : 1);
}

static aclError fuzz_aclmdlSetExecConfigOpt(struct worker *w)
{
	uint64_t value = below(w, 1000);

	return aclmdlSetExecConfigOpt(handle(w, RUN_CONFIG), below(w, 6),
				      &value, below(w, 2) ? 4 : 8);
}

/* No run has this number, so there are no files. */
static const char *dump_config(struct worker *w)
{
	return config_of(w, "{\"dump\": {\"dump_path\": \"/tmp\", \"dump_list\": [{\"layer\": [\"z\"]}], \"dump_step\": \"9999999999-9999999999\"}}");
}

#define DATASET_OF(w)	handle(w, DATASET)

#define OFFLINE_ROWS(ROW)						\
	ROW(aclmdlLoadFromFile, (model_file(w), out(w, 0)))		\
	ROW(aclmdlLoadFromMem, (model_bytes(w), model_size(w), out(w, 0))) \
	ROW(aclmdlLoadFromFileWithMem,					\
	    (model_file(w), out(w, 0), any(w), size_of(w), any(w),	\
	     size_of(w)))						\
	ROW(aclmdlLoadFromMemWithMem,					\
	    (model_bytes(w), model_size(w), out(w, 0), any(w),		\
	     size_of(w), any(w), size_of(w)))				\
	ROW(aclmdlLoadWithConfig, (handle(w, LOAD_CONFIG), out(w, 0)))	\
	ROW(aclmdlInitDump, ())						\
	ROW(aclmdlSetDump, (dump_config(w)))				\
	ROW(aclmdlFinalizeDump, ())					\
	ROW(aclmdlUnload, (small(w)))					\
	ROW(aclmdlQuerySize, (model_file(w), out(w, 0), out(w, 1)))	\
	ROW(aclmdlQuerySizeFromMem,					\
	    (model_bytes(w), model_size(w), out(w, 0), out(w, 1)))	\
	ROW(aclmdlExecute, (small(w), DATASET_OF(w), DATASET_OF(w)))	\
	ROW(aclmdlExecuteAsync,						\
	    (small(w), DATASET_OF(w), DATASET_OF(w), handle(w, STREAM))) \
	ROW(aclmdlExecuteV2,						\
	    (small(w), DATASET_OF(w), DATASET_OF(w), handle(w, STREAM),	\
	     handle(w, RUN_CONFIG)))					\
	ROW(aclmdlExecuteAsyncV2,					\
	    (small(w), DATASET_OF(w), DATASET_OF(w), handle(w, STREAM),	\
	     handle(w, RUN_CONFIG)))					\
	ROW(aclmdlSetDynamicBatchSize,					\
	    (small(w), DATASET_OF(w), below(w, 3), below(w, 3)))	\
	ROW(aclmdlSetDynamicHWSize,					\
	    (small(w), DATASET_OF(w), below(w, 3), below(w, 3), 8))	\
	ROW(aclmdlSetInputDynamicDims,					\
	    (small(w), DATASET_OF(w), below(w, 3), dims(w)))		\
	ROW(aclmdlDestroyDataset, (DATASET_OF(w)))			\
	ROW(aclmdlAddDatasetBuffer,					\
	    (DATASET_OF(w), handle(w, DATA_BUFFER)))			\
	ROW(aclmdlSetDatasetTensorDesc,					\
	    (DATASET_OF(w), handle(w, TENSOR_DESC), below(w, 3)))	\
	ROW(aclmdlDestroyDesc, (handle(w, MODEL_DESC)))			\
	ROW(aclmdlGetDesc, (handle(w, MODEL_DESC), small(w)))		\
	ROW(aclmdlGetDescFromFile, (handle(w, MODEL_DESC), model_file(w))) \
	ROW(aclmdlGetDescFromMem,					\
	    (handle(w, MODEL_DESC), model_bytes(w), model_size(w)))	\
	ROW(aclmdlGetInputDims,						\
	    (handle(w, MODEL_DESC), below(w, 3), dims(w)))		\
	ROW(aclmdlGetInputDimsV2,					\
	    (handle(w, MODEL_DESC), below(w, 3), dims(w)))		\
	ROW(aclmdlGetOutputDims,					\
	    (handle(w, MODEL_DESC), below(w, 3), dims(w)))		\
	ROW(aclmdlGetCurOutputDims,					\
	    (handle(w, MODEL_DESC), below(w, 3), dims(w)))		\
	ROW(aclmdlGetInputIndexByName,					\
	    (handle(w, MODEL_DESC), name(w), out(w, 0)))		\
	ROW(aclmdlGetOutputIndexByName,					\
	    (handle(w, MODEL_DESC), name(w), out(w, 0)))		\
	ROW(aclmdlGetInputDimsRange,					\
	    (handle(w, MODEL_DESC), below(w, 3), out(w, 3)))		\
	ROW(aclmdlSetAttribute, (small(w), below(w, 2), out(w, 0)))	\
	ROW(aclmdlGetAttribute, (small(w), below(w, 2), out(w, 0)))	\
	ROW(aclmdlGetDynamicBatch, (handle(w, MODEL_DESC), out(w, 3)))	\
	ROW(aclmdlGetDynamicHW,						\
	    (handle(w, MODEL_DESC), below(w, 3), out(w, 3)))		\
	ROW(aclmdlGetInputDynamicGearCount,				\
	    (handle(w, MODEL_DESC), below(w, 2) - 1, out(w, 0)))	\
	ROW(aclmdlGetInputDynamicDims,					\
	    (handle(w, MODEL_DESC), below(w, 2) - 1, dims(w), 1))	\
	ROW(aclmdlDestroyAIPP, (handle(w, AIPP)))			\
	ROW(aclmdlGetAippDataSize, (below(w, 4) ? below(w, 4) : below(w, UINT64_MAX),	\
	     out(w, 0)))						\
	ROW(aclmdlSetAIPPInputFormat, (handle(w, AIPP), below(w, 6)))	\
	ROW(aclmdlSetAIPPCscParams,					\
	    (handle(w, AIPP), below(w, 3), 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, \
	     3, 4, 5, 6))						\
	ROW(aclmdlSetAIPPRbuvSwapSwitch, (handle(w, AIPP), below(w, 3)))	\
	ROW(aclmdlSetAIPPAxSwapSwitch, (handle(w, AIPP), below(w, 3)))	\
	ROW(aclmdlSetAIPPSrcImageSize,					\
	    (handle(w, AIPP), below(w, 5000), below(w, 5000)))		\
	ROW(aclmdlSetAIPPScfParams,					\
	    (handle(w, AIPP), below(w, 3), below(w, 5000), below(w, 5000), \
	     below(w, 5000), below(w, 5000), below(w, 3)))		\
	ROW(aclmdlSetAIPPCropParams,					\
	    (handle(w, AIPP), below(w, 3), below(w, 5000), below(w, 5000), \
	     below(w, 5000), below(w, 5000), below(w, 3)))		\
	ROW(aclmdlSetAIPPPaddingParams,					\
	    (handle(w, AIPP), below(w, 3), below(w, 40), below(w, 40),	\
	     below(w, 40), below(w, 40), below(w, 3)))			\
	ROW(aclmdlSetAIPPDtcPixelMean,					\
	    (handle(w, AIPP), below(w, 300), 1, 2, 3, below(w, 3)))	\
	ROW(aclmdlSetAIPPDtcPixelMin,					\
	    (handle(w, AIPP), below(w, 300), 1, 2, 3, below(w, 3)))	\
	ROW(aclmdlSetAIPPPixelVarReci,					\
	    (handle(w, AIPP), below(w, 300), 1, 2, 3, below(w, 3)))	\
	ROW(aclmdlSetInputAIPP,						\
	    (small(w), DATASET_OF(w), below(w, 3), handle(w, AIPP)))	\
	ROW(aclmdlSetAIPPByInputIndex,					\
	    (small(w), DATASET_OF(w), below(w, 3), handle(w, AIPP)))	\
	ROW(aclmdlGetAippType,						\
	    (small(w), below(w, 3), out(w, 0), out(w, 1)))		\
	ROW(aclmdlDestroyConfigHandle, (handle(w, LOAD_CONFIG)))	\
	ROW(aclmdlDestroyExecConfigHandle, (handle(w, RUN_CONFIG)))	\
	ROW(aclGetTensorDescDimV2,					\
	    (handle(w, TENSOR_DESC), below(w, 4), out(w, 0)))

OFFLINE_ROWS(ROW_CALL)

#define OFFLINE_VALUES(ROW)						\
	ROW(aclmdlGetDatasetNumBuffers, (DATASET_OF(w)))		\
	ROW(aclmdlGetDatasetBuffer, (DATASET_OF(w), below(w, 3)))	\
	ROW(aclmdlGetDatasetTensorDesc, (DATASET_OF(w), below(w, 3)))	\
	ROW(acldumpGetPath, (below(w, 7)))				\
	ROW(aclmdlGetNumInputs, (handle(w, MODEL_DESC)))		\
	ROW(aclmdlGetNumOutputs, (handle(w, MODEL_DESC)))		\
	ROW(aclmdlGetInputSizeByIndex, (handle(w, MODEL_DESC), below(w, 3))) \
	ROW(aclmdlGetOutputSizeByIndex,					\
	    (handle(w, MODEL_DESC), below(w, 3)))			\
	ROW(aclmdlGetInputNameByIndex, (handle(w, MODEL_DESC), below(w, 3))) \
	ROW(aclmdlGetOutputNameByIndex,					\
	    (handle(w, MODEL_DESC), below(w, 3)))			\
	ROW(aclmdlGetInputFormat, (handle(w, MODEL_DESC), below(w, 3)))	\
	ROW(aclmdlGetOutputFormat, (handle(w, MODEL_DESC), below(w, 3))) \
	ROW(aclmdlGetInputDataType, (handle(w, MODEL_DESC), below(w, 3))) \
	ROW(aclmdlGetOutputDataType, (handle(w, MODEL_DESC), below(w, 3))) \
	ROW(aclmdlGetTensorRealName, (handle(w, MODEL_DESC), name(w)))	\
	ROW(aclmdlGetOpAttr, (handle(w, MODEL_DESC), name(w), name(w)))	\
	ROW(aclDestroyTensorDesc, (handle(w, TENSOR_DESC)))		\
	ROW(aclGetTensorDescType, (handle(w, TENSOR_DESC)))		\
	ROW(aclGetTensorDescFormat, (handle(w, TENSOR_DESC)))		\
	ROW(aclGetTensorDescSize, (handle(w, TENSOR_DESC)))		\
	ROW(aclGetTensorDescElementCount, (handle(w, TENSOR_DESC)))	\
	ROW(aclGetTensorDescNumDims, (handle(w, TENSOR_DESC)))		\
	ROW(aclGetTensorDescDim, (handle(w, TENSOR_DESC), below(w, 4)))	\
	ROW(aclSetTensorDescName, (handle(w, TENSOR_DESC), name(w)))	\
	ROW(aclGetTensorDescName, (handle(w, TENSOR_DESC)))

OFFLINE_VALUES(VALUE_CALL)

const struct call offline_calls[] = {
	OFFLINE_ROWS(ROW_ENTRY)
	OFFLINE_VALUES(ROW_ENTRY)
	CALL(aclmdlCreateDataset),
	CALL(aclmdlCreateDesc),
	CALL(aclCreateTensorDesc),
	CALL(aclmdlCreateConfigHandle),
	CALL(aclmdlCreateExecConfigHandle),
	CALL(aclmdlCreateAIPP),
	CALL(aclmdlGetFirstAippInfo),
	CALL(aclmdlSetConfigOpt),
	CALL(aclmdlSetExecConfigOpt),
	{ 0 }
};
