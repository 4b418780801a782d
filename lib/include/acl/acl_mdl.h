/* SPDX-License-Identifier: MIT */
/*
 * Offline models: .om files, which atc makes of ONNX models, and their runs.
 *
 * A model is loaded in a context, and named by a number that is unique in the
 * process.  It has a description, and each run gets two datasets: lists of data
 * buffers for the inputs and the outputs, in device memory, which the run uses
 * in place.
 *
 * A model that was compiled for several batches, image sizes or other sizes has
 * a gear for each choice, and one more input after the others, named
 * ACL_DYNAMIC_TENSOR_NAME. aclmdlSetDynamicBatchSize(),
 * aclmdlSetDynamicHWSize() or aclmdlSetInputDynamicDims() selects the gear of a
 * dataset; without that, runs use the largest one.  Sizes in bytes are those of
 * the largest gear.
 *
 * A model that was compiled for ranges of sizes has no such input:
 * aclmdlSetDatasetTensorDesc() gives each run the shapes of its inputs.
 *
 * Inputs may be images that a model preprocesses: see acl_mdl_aipp.h.
 *
 * Any thread may call these functions, but only one at a time for the same
 * object.  Runs of a model on several streams wait for each other, since they
 * share its work memory; aclmdlExecuteAsyncV2() can have memory of its own.
 *
 * Load, run and unload a model in the same context: else the error is
 * ACL_ERROR_RT_MODEL_CONTEXT.  A model ends with its context.
 *
 * Only models of this library's compiler can be loaded, not files for cards.
 */
#ifndef ACL_ACL_MDL_H
#define ACL_ACL_MDL_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_base_mdl.h"
#include "acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_MAX_DIM_CNT		128
#define ACL_DIM_ENDPOINTS	2
#define ACL_MAX_TENSOR_NAME_LEN	128
#define ACL_MAX_BATCH_NUM	128
#define ACL_MAX_HW_NUM		128
#define ACL_MAX_SHAPE_COUNT	128
#define ACL_INVALID_NODE_INDEX	0xFFFFFFFF

/* Name of the input that chooses a gear. */
#define ACL_DYNAMIC_TENSOR_NAME	"ascend_mbatch_shape_data"

typedef struct aclmdlDataset aclmdlDataset;
typedef struct aclmdlDesc aclmdlDesc;
typedef struct aclmdlConfigHandle aclmdlConfigHandle;
typedef struct aclmdlExecConfigHandle aclmdlExecConfigHandle;

/* Options of a load, see aclmdlSetConfigOpt().  The name ends in the type. */
typedef enum {
	ACL_MDL_PRIORITY_INT32 = 0,	/* 0 to 7; tasks have that of the stream */
	ACL_MDL_LOAD_TYPE_SIZET,	/* ACL_MDL_LOAD_FROM_* */
	ACL_MDL_PATH_PTR,		/* the file; the text is copied */
	ACL_MDL_MEM_ADDR_PTR,		/* its content in host memory */
	ACL_MDL_MEM_SIZET,
	ACL_MDL_WEIGHT_ADDR_PTR,	/* device memory for the weights */
	ACL_MDL_WEIGHT_SIZET,
	ACL_MDL_WORKSPACE_ADDR_PTR,	/* device memory that runs use */
	ACL_MDL_WORKSPACE_SIZET,
	ACL_MDL_INPUTQ_NUM_SIZET,	/* from here on: not supported */
	ACL_MDL_INPUTQ_ADDR_PTR,
	ACL_MDL_OUTPUTQ_NUM_SIZET,
	ACL_MDL_OUTPUTQ_ADDR_PTR,
	ACL_MDL_WORKSPACE_MEM_OPTIMIZE,
	ACL_MDL_WEIGHT_PATH_PTR
} aclmdlConfigAttr;

/* Values of ACL_MDL_LOAD_TYPE_SIZET; those with queues are not supported. */
#define ACL_MDL_LOAD_FROM_FILE			1
#define ACL_MDL_LOAD_FROM_FILE_WITH_MEM		2
#define ACL_MDL_LOAD_FROM_MEM			3
#define ACL_MDL_LOAD_FROM_MEM_WITH_MEM		4
#define ACL_MDL_LOAD_FROM_FILE_WITH_Q		5
#define ACL_MDL_LOAD_FROM_MEM_WITH_Q		6

/* Options of a run, see aclmdlSetExecConfigOpt(). */
typedef enum {
	ACL_MDL_STREAM_SYNC_TIMEOUT = 0,	/* int32_t, ms; -1: none */
	ACL_MDL_EVENT_SYNC_TIMEOUT,		/* likewise; no run waits */
	ACL_MDL_WORK_ADDR_PTR,			/* device memory for this run */
	ACL_MDL_WORK_SIZET
} aclmdlExecConfigAttr;

/**
 * struct aclmdlIODims - the sizes of a tensor
 * @name: its name; a longer one is replaced, see aclmdlGetInputDims()
 * @dimCount: number of dimensions
 * @dims: their sizes, or -1
 */
typedef struct aclmdlIODims {
	char name[ACL_MAX_TENSOR_NAME_LEN];
	size_t dimCount;
	int64_t dims[ACL_MAX_DIM_CNT];
} aclmdlIODims;

/**
 * struct aclmdlBatch - the batches of a model
 * @batchCount: number of gears; 0 without dynamic batch
 * @batch: their batches
 */
typedef struct aclmdlBatch {
	size_t batchCount;
	uint64_t batch[ACL_MAX_BATCH_NUM];
} aclmdlBatch;

/**
 * struct aclmdlHW - the image sizes of a model
 * @hwCount: number of gears; 0 without dynamic image size
 * @hw: their heights and widths
 */
typedef struct aclmdlHW {
	size_t hwCount;
	uint64_t hw[ACL_MAX_HW_NUM][2];
} aclmdlHW;

/**
 * struct aclmdlIODimsRange - the ranges of the sizes of an input
 * @rangeCount: number of dimensions; 0 if gears choose sizes
 * @range: their least and their largest size
 */
typedef struct aclmdlIODimsRange {
	size_t rangeCount;
	int64_t range[ACL_MAX_DIM_CNT][ACL_DIM_ENDPOINTS];
} aclmdlIODimsRange;

/* Attributes of a model that is loaded. */
typedef enum {
	ACL_MDL_ATTR_PRIORITY_INT32 = 0
} aclmdlAttr;

/**
 * union aclmdlAttrValue_t - the value of an attribute
 * @mdlPriority: priority, 0 to 7; 0 is the highest, and the usual one
 * @reserved: room for others
 */
typedef union {
	uint32_t mdlPriority;
	uint32_t reserved[8];
} aclmdlAttrValue_t;

/**
 * aclmdlLoadFromFile() - load a model
 * @modelPath: an .om file
 * @modelId: set to the number of the model, from 1
 *
 * The library allocates device memory for the weights and for the work memory,
 * and reads the file only during the call.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID if the file cannot be read,
 * ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID if it is no model of vnpu, was made
 * for another version or has another size than it says,
 * ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED if it is damaged,
 * ACL_ERROR_GE_MEMORY_ALLOCATION without device memory, ACL_ERROR_BAD_ALLOC
 * without host memory, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlLoadFromFile(const char *modelPath,
	uint32_t *modelId);

/**
 * aclmdlLoadFromMem() - load a model from host memory
 * @model: the content of an .om file, which is needed only during the call
 * @modelSize: its bytes
 * @modelId: set to the number of the model
 *
 * Errors: as aclmdlLoadFromFile(); ACL_ERROR_INVALID_PARAM for 0 bytes.
 */
ACL_FUNC_VISIBILITY aclError aclmdlLoadFromMem(const void *model,
	size_t modelSize, uint32_t *modelId);

/**
 * aclmdlLoadFromFileWithMem() - load a model into memory of the program
 * @modelPath: an .om file
 * @modelId: set to the number of the model
 * @workPtr: device memory that runs use; NULL if the library allocates it
 * @workSize: its bytes, as aclmdlQuerySize() has them or more
 * @weightPtr: device memory for the weights, or NULL
 * @weightSize: its bytes, likewise
 *
 * The memory stays the program's, which frees it after unloading the model.
 * Models that never run at the same time may share their work memory.  Loads of
 * the same file may share the weights.
 *
 * Errors: as aclmdlLoadFromFile(); ACL_ERROR_GE_PARAM_INVALID if memory is too
 * small, or not aligned to 8 bytes.
 */
ACL_FUNC_VISIBILITY aclError aclmdlLoadFromFileWithMem(const char *modelPath,
	uint32_t *modelId, void *workPtr, size_t workSize, void *weightPtr,
	size_t weightSize);

/**
 * aclmdlLoadFromMemWithMem() - load a model from host memory into memory of the
 * program
 * @model: the content of an .om file
 * @modelSize: its bytes
 * @modelId: set to the number of the model
 * @workPtr: see aclmdlLoadFromFileWithMem()
 * @workSize: likewise
 * @weightPtr: likewise
 * @weightSize: likewise
 *
 * Errors: as aclmdlLoadFromMem() and aclmdlLoadFromFileWithMem().
 */
ACL_FUNC_VISIBILITY aclError aclmdlLoadFromMemWithMem(const void *model,
	size_t modelSize, uint32_t *modelId, void *workPtr, size_t workSize,
	void *weightPtr, size_t weightSize);

/**
 * aclmdlUnload() - unload a model
 * @modelId: the model
 *
 * Waits up to 10 s for runs that were submitted.  Frees the memory that the
 * library has allocated.
 *
 * Errors: ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, ACL_ERROR_RT_MODEL_RUNNING,
 * ACL_ERROR_RT_MODEL_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlUnload(uint32_t modelId);

/**
 * aclmdlQuerySize() - get the memory that a model needs, without loading it
 * @fileName: an .om file
 * @workSize: set to the bytes of work memory, of the gear that needs most
 * @weightSize: set to the bytes of the weights
 *
 * Needs no device.
 *
 * Errors: those of aclmdlLoadFromFile() for files.
 */
ACL_FUNC_VISIBILITY aclError aclmdlQuerySize(const char *fileName,
	size_t *workSize, size_t *weightSize);

/**
 * aclmdlQuerySizeFromMem() - get the memory that a model in host memory needs
 * @model: the content of an .om file
 * @modelSize: its bytes
 * @workSize: see aclmdlQuerySize()
 * @weightSize: likewise
 *
 * Errors: those of aclmdlLoadFromMem() for files.
 */
ACL_FUNC_VISIBILITY aclError aclmdlQuerySizeFromMem(const void *model,
	size_t modelSize, size_t *workSize, size_t *weightSize);

/**
 * aclmdlExecute() - run a model and wait for it
 * @modelId: the model
 * @input: a data buffer in device memory for each input
 * @output: one for each output
 *
 * Runs on the default stream of the current context, after its other tasks.
 *
 * For an output buffer without memory (NULL, 0) the library allocates memory,
 * which the program frees by aclrtFree().  Where elements decide the size of an
 * output, aclmdlGetDatasetTensorDesc() has it then.
 *
 * Some models are compiled for inputs with known elements: those must be there
 * when the call is made.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, for a buffer that is too small for
 * its tensor or not aligned to its elements, and for other elements than known
 * ones; ACL_ERROR_GE_PARAM_INVALID for another number of buffers;
 * ACL_ERROR_GE_EXEC_MODEL_ID_INVALID; ACL_ERROR_RT_MODEL_CONTEXT;
 * ACL_ERROR_RT_CONTEXT_NULL; those of a task that fails, with a message that
 * names the model and the node.
 */
ACL_FUNC_VISIBILITY aclError aclmdlExecute(uint32_t modelId,
	const aclmdlDataset *input, aclmdlDataset *output);

/**
 * aclmdlExecuteAsync() - run a model in stream order
 * @modelId: the model
 * @input: see aclmdlExecute()
 * @output: likewise, with memory; the sizes of outputs are not returned
 * @stream: a stream of the current context, or NULL
 *
 * The datasets and data buffers are needed only during the call, their memory
 * until the run is complete.  A stream may be captured meanwhile
 * (aclmdlRICaptureBegin()), unless the model has inputs with known elements.
 *
 * Errors: as aclmdlExecute(), and those of finding a stream.
 */
ACL_FUNC_VISIBILITY aclError aclmdlExecuteAsync(uint32_t modelId,
	const aclmdlDataset *input, aclmdlDataset *output, aclrtStream stream);

/**
 * aclmdlExecuteV2() - run a model on a stream and wait for it, with options
 * @modelId: the model
 * @input: see aclmdlExecute()
 * @output: likewise
 * @stream: a stream of the current context, or NULL
 * @handle: options, or NULL
 *
 * Errors: as aclmdlExecute(), those of finding a stream,
 * ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, ACL_ERROR_RT_FEATURE_NOT_SUPPORT for a stream
 * that the host never waits for, such as one with ACL_STREAM_PERSISTENT,
 * ACL_ERROR_INVALID_PARAM for options that were destroyed,
 * ACL_ERROR_GE_PARAM_INVALID if the memory for the run is too small.
 */
ACL_FUNC_VISIBILITY aclError aclmdlExecuteV2(uint32_t modelId,
	const aclmdlDataset *input, aclmdlDataset *output, aclrtStream stream,
	const aclmdlExecConfigHandle *handle);

/**
 * aclmdlExecuteAsyncV2() - run a model in stream order, with options
 * @modelId: the model
 * @input: see aclmdlExecuteAsync()
 * @output: likewise
 * @stream: a stream of the current context, or NULL
 * @handle: options, or NULL
 *
 * With ACL_MDL_WORK_ADDR_PTR, the run does not wait for runs on other streams.
 *
 * Errors: as aclmdlExecuteAsync(), and those of options of aclmdlExecuteV2().
 */
ACL_FUNC_VISIBILITY aclError aclmdlExecuteAsyncV2(uint32_t modelId,
	const aclmdlDataset *input, aclmdlDataset *output, aclrtStream stream,
	const aclmdlExecConfigHandle *handle);

/**
 * aclmdlCreateExecConfigHandle() - make options of runs
 *
 * Returns NULL without host memory.
 */
ACL_FUNC_VISIBILITY aclmdlExecConfigHandle *
aclmdlCreateExecConfigHandle(void);

/**
 * aclmdlDestroyExecConfigHandle() - destroy options of runs
 * @handle: the options
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, or if it was destroyed before.
 */
ACL_FUNC_VISIBILITY aclError
aclmdlDestroyExecConfigHandle(const aclmdlExecConfigHandle *handle);

/**
 * aclmdlSetExecConfigOpt() - set an option of runs
 * @handle: the options
 * @attr: which one
 * @attrValue: address of the value
 * @valueSize: its bytes
 *
 * Errors: as aclmdlDestroyExecConfigHandle(); ACL_ERROR_INVALID_PARAM for
 * another size or a negative time; ACL_ERROR_API_NOT_SUPPORT for other options.
 */
ACL_FUNC_VISIBILITY aclError
aclmdlSetExecConfigOpt(aclmdlExecConfigHandle *handle, aclmdlExecConfigAttr
	attr, const void *attrValue, size_t valueSize);

/**
 * aclmdlCreateConfigHandle() - make options of loads
 *
 * Returns NULL without host memory.
 */
ACL_FUNC_VISIBILITY aclmdlConfigHandle *aclmdlCreateConfigHandle(void);

/**
 * aclmdlDestroyConfigHandle() - destroy options of loads
 * @handle: the options
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, or if it was destroyed before.
 */
ACL_FUNC_VISIBILITY aclError
aclmdlDestroyConfigHandle(aclmdlConfigHandle *handle);

/**
 * aclmdlSetConfigOpt() - set an option of loads
 * @handle: the options
 * @attr: which one
 * @attrValue: address of the value, also of one that is an address
 * @valueSize: its bytes
 *
 * Errors: as aclmdlDestroyConfigHandle(); ACL_ERROR_INVALID_PARAM for another
 * size, a NULL path or a priority that is not 0 to 7; ACL_ERROR_BAD_ALLOC;
 * ACL_ERROR_API_NOT_SUPPORT for other options.
 */
ACL_FUNC_VISIBILITY aclError aclmdlSetConfigOpt(aclmdlConfigHandle *handle,
	aclmdlConfigAttr attr, const void *attrValue, size_t valueSize);

/**
 * aclmdlLoadWithConfig() - load a model as options say
 * @handle: the options
 * @modelId: set to the number of the model
 *
 * Errors: as aclmdlDestroyConfigHandle(); ACL_ERROR_INVALID_PARAM if an option
 * that the load needs is not set; ACL_ERROR_API_NOT_SUPPORT for queues; those
 * of the load.
 */
ACL_FUNC_VISIBILITY aclError
aclmdlLoadWithConfig(const aclmdlConfigHandle *handle, uint32_t *modelId);

/**
 * aclmdlSetDynamicBatchSize() - choose the batch of a dataset
 * @modelId: the model
 * @dataset: the inputs
 * @index: number of the input ACL_DYNAMIC_TENSOR_NAME
 * @batchSize: the batch of a gear
 *
 * Writes it to the memory of that input as well.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, 0, another @index or a model
 * without dynamic batch; ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID if there is no
 * such gear; ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID and
 * ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID for a data buffer without memory or
 * with too little; ACL_ERROR_GE_EXEC_MODEL_ID_INVALID.
 */
ACL_FUNC_VISIBILITY aclError aclmdlSetDynamicBatchSize(uint32_t modelId,
	aclmdlDataset *dataset, size_t index, uint64_t batchSize);

/**
 * aclmdlSetDynamicHWSize() - choose the image size of a dataset
 * @modelId: the model
 * @dataset: the inputs
 * @index: number of the input ACL_DYNAMIC_TENSOR_NAME
 * @height: height of a gear
 * @width: its width
 *
 * Errors: as aclmdlSetDynamicBatchSize().
 */
ACL_FUNC_VISIBILITY aclError aclmdlSetDynamicHWSize(uint32_t modelId,
	aclmdlDataset *dataset, size_t index, uint64_t height, uint64_t width);

/**
 * aclmdlSetInputDynamicDims() - choose all sizes of a dataset
 * @modelId: the model
 * @dataset: the inputs
 * @index: number of the input ACL_DYNAMIC_TENSOR_NAME
 * @dims: the sizes of all inputs, one behind the other; the name is ignored
 *
 * Errors: as aclmdlSetDynamicBatchSize().
 */
ACL_FUNC_VISIBILITY aclError aclmdlSetInputDynamicDims(uint32_t modelId,
	aclmdlDataset *dataset, size_t index, const aclmdlIODims *dims);

/**
 * aclmdlCreateDataset() - create an empty list of data buffers
 *
 * Returns NULL without host memory.
 */
ACL_FUNC_VISIBILITY aclmdlDataset *aclmdlCreateDataset(void);

/**
 * aclmdlDestroyDataset() - destroy a list, but not its data buffers
 * @dataset: a dataset
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, or if it was destroyed before.
 */
ACL_FUNC_VISIBILITY aclError
aclmdlDestroyDataset(const aclmdlDataset *dataset);

/**
 * aclmdlAddDatasetBuffer() - append a data buffer
 * @dataset: a dataset
 * @dataBuffer: a data buffer, which exists until the dataset is destroyed
 *
 * Errors: as aclmdlDestroyDataset(); ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError aclmdlAddDatasetBuffer(aclmdlDataset *dataset,
	aclDataBuffer *dataBuffer);

/**
 * aclmdlGetDatasetNumBuffers() - count the data buffers of a dataset
 * @dataset: a dataset
 *
 * Returns 0 for NULL or a destroyed dataset.
 */
ACL_FUNC_VISIBILITY size_t
aclmdlGetDatasetNumBuffers(const aclmdlDataset *dataset);

/**
 * aclmdlGetDatasetBuffer() - get a data buffer of a dataset
 * @dataset: a dataset
 * @index: its number, from 0
 *
 * Returns NULL if there is none.
 */
ACL_FUNC_VISIBILITY aclDataBuffer *
aclmdlGetDatasetBuffer(const aclmdlDataset *dataset, size_t index);

/**
 * aclmdlSetDatasetTensorDesc() - describe the tensor of a data buffer
 * @dataset: a dataset
 * @tensorDesc: a description, which is copied
 * @index: number of the data buffer
 *
 * If the inputs of a dataset have descriptions, a run uses the gear with these
 * sizes.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, an @index without data buffer, or a
 * description with more than 8 dimensions; ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError
aclmdlSetDatasetTensorDesc(aclmdlDataset *dataset, aclTensorDesc *tensorDesc,
	size_t index);

/**
 * aclmdlGetDatasetTensorDesc() - get the description of the tensor of a buffer
 * @dataset: a dataset
 * @index: number of the data buffer
 *
 * aclmdlExecute() describes the outputs.  The dataset owns the description.
 *
 * Returns NULL if there is none.
 */
ACL_FUNC_VISIBILITY aclTensorDesc *
aclmdlGetDatasetTensorDesc(const aclmdlDataset *dataset, size_t index);

/**
 * aclmdlCreateDesc() - create the description of no model
 *
 * Returns NULL without host memory.
 */
ACL_FUNC_VISIBILITY aclmdlDesc *aclmdlCreateDesc(void);

/**
 * aclmdlDestroyDesc() - destroy a description, with the names that it returned
 * @modelDesc: a description
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, or if it was destroyed before.
 */
ACL_FUNC_VISIBILITY aclError aclmdlDestroyDesc(aclmdlDesc *modelDesc);

/**
 * aclmdlGetDesc() - describe a model
 * @modelDesc: a description, which may be one of another model
 * @modelId: the model
 *
 * The description stays valid if the model is unloaded.
 *
 * Errors: as aclmdlDestroyDesc(); ACL_ERROR_GE_EXEC_MODEL_ID_INVALID.
 */
ACL_FUNC_VISIBILITY aclError aclmdlGetDesc(aclmdlDesc *modelDesc,
	uint32_t modelId);

/**
 * aclmdlGetDescFromFile() - describe a model that is not loaded
 * @modelDesc: a description
 * @modelPath: an .om file
 *
 * Needs no device.
 *
 * Errors: as aclmdlDestroyDesc(); those of aclmdlLoadFromFile() for files.
 */
ACL_FUNC_VISIBILITY aclError aclmdlGetDescFromFile(aclmdlDesc *modelDesc,
	const char *modelPath);

/**
 * aclmdlGetDescFromMem() - describe a model in host memory
 * @modelDesc: a description
 * @model: the content of an .om file
 * @modelSize: its bytes
 *
 * Errors: as aclmdlGetDescFromFile().
 */
ACL_FUNC_VISIBILITY aclError aclmdlGetDescFromMem(aclmdlDesc *modelDesc,
	const void *model, size_t modelSize);

/**
 * aclmdlGetNumInputs() - count the inputs of a model
 * @modelDesc: a description
 *
 * ACL_DYNAMIC_TENSOR_NAME and ACL_DYNAMIC_AIPP_NAME are among them.
 *
 * Returns 0 for NULL, or a description of no model.
 */
ACL_FUNC_VISIBILITY size_t aclmdlGetNumInputs(aclmdlDesc *modelDesc);

/**
 * aclmdlGetNumOutputs() - count the outputs of a model
 * @modelDesc: a description
 *
 * Returns 0 for NULL, or a description of no model.
 */
ACL_FUNC_VISIBILITY size_t aclmdlGetNumOutputs(aclmdlDesc *modelDesc);

/**
 * aclmdlGetInputSizeByIndex() - get the bytes of an input
 * @modelDesc: a description
 * @index: number of the input, from 0
 *
 * Returns 0 if there is none.
 */
ACL_FUNC_VISIBILITY size_t aclmdlGetInputSizeByIndex(aclmdlDesc *modelDesc,
	size_t index);

/**
 * aclmdlGetOutputSizeByIndex() - get the bytes of an output
 * @modelDesc: a description
 * @index: number of the output, from 0
 *
 * Returns 0 if there is none, or if its sizes have ranges: then aclmdlExecute()
 * allocates memory for a data buffer without any.
 */
ACL_FUNC_VISIBILITY size_t aclmdlGetOutputSizeByIndex(aclmdlDesc *modelDesc,
	size_t index);

/**
 * aclmdlGetInputDims() - get the sizes of an input
 * @modelDesc: a description
 * @index: number of the input
 * @dims: set to its name and sizes; -1 for those that gears choose.  A name
 *	that is too long is replaced by acl_modelId_MODEL_input_INDEX.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, or if there is none.
 */
ACL_FUNC_VISIBILITY aclError aclmdlGetInputDims(const aclmdlDesc *modelDesc,
	size_t index, aclmdlIODims *dims);

/**
 * aclmdlGetInputDimsV2() - get the sizes of an input as aclmdlGetInputDims()
 * @modelDesc: a description
 * @index: number of the input
 * @dims: set to its name and sizes
 *
 * Errors: as aclmdlGetInputDims().
 */
ACL_FUNC_VISIBILITY aclError aclmdlGetInputDimsV2(const aclmdlDesc *modelDesc,
	size_t index, aclmdlIODims *dims);

/**
 * aclmdlGetOutputDims() - get the sizes of an output, in the largest gear
 * @modelDesc: a description
 * @index: number of the output
 * @dims: set to its name and sizes; -1 for those that ranges leave open
 *
 * Errors: as aclmdlGetInputDims().
 */
ACL_FUNC_VISIBILITY aclError aclmdlGetOutputDims(const aclmdlDesc *modelDesc,
	size_t index, aclmdlIODims *dims);

/**
 * aclmdlGetCurOutputDims() - get the sizes of an output in the chosen gear
 * @modelDesc: a description of aclmdlGetDesc()
 * @index: number of the output
 * @dims: set to its name and sizes in the gear that was chosen last for the
 *	model
 *
 * Errors: as aclmdlGetInputDims(); ACL_ERROR_GE_EXEC_MODEL_ID_INVALID if the
 * model was unloaded; ACL_ERROR_API_NOT_SUPPORT if its sizes have ranges.
 */
ACL_FUNC_VISIBILITY aclError
aclmdlGetCurOutputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims
	*dims);

/**
 * aclmdlGetInputDimsRange() - get the ranges of the sizes of an input
 * @modelDesc: a description
 * @index: number of the input
 * @dimsRange: set to the ranges; both ends are the same for a size that does
 *	not differ.  rangeCount is 0 if the model has gears.
 *
 * Errors: as aclmdlGetInputDims().
 */
ACL_FUNC_VISIBILITY aclError
aclmdlGetInputDimsRange(const aclmdlDesc *modelDesc, size_t index,
	aclmdlIODimsRange *dimsRange);

/**
 * aclmdlGetOpAttr() - get an attribute of an operator
 * @modelDesc: a description
 * @opName: name of the operator, as messages show it
 * @attr: "_datadump_original_op_names"
 *
 * Returns "", since models do not keep the names of operators that became a part
 * of this one; NULL for NULL, without such an operator, or for another @attr.
 */
ACL_FUNC_VISIBILITY const char *aclmdlGetOpAttr(aclmdlDesc *modelDesc,
	const char *opName, const char *attr);

/**
 * aclmdlSetAttribute() - change an attribute of a model
 * @modelId: the model
 * @attr: ACL_MDL_ATTR_PRIORITY_INT32
 * @attrValue: the value
 *
 * A run has the priority of its stream; that of the model can be read back.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, another attribute or a priority
 * above 7; ACL_ERROR_GE_EXEC_MODEL_ID_INVALID.
 */
ACL_FUNC_VISIBILITY aclError aclmdlSetAttribute(uint32_t modelId,
	aclmdlAttr attr, aclmdlAttrValue_t *attrValue);

/**
 * aclmdlGetAttribute() - get an attribute of a model
 * @modelId: the model
 * @attr: ACL_MDL_ATTR_PRIORITY_INT32
 * @attrValue: set to the value: that of aclmdlSetAttribute() or, before, of
 *	ACL_MDL_PRIORITY_INT32
 *
 * Errors: as aclmdlSetAttribute().
 */
ACL_FUNC_VISIBILITY aclError aclmdlGetAttribute(uint32_t modelId,
	aclmdlAttr attr, aclmdlAttrValue_t *attrValue);

/**
 * aclmdlGetInputNameByIndex() - get the name of an input
 * @modelDesc: a description, which owns the name until it describes another
 *	model
 * @index: number of the input
 *
 * Returns "" if there is none.
 */
ACL_FUNC_VISIBILITY const char *
aclmdlGetInputNameByIndex(const aclmdlDesc *modelDesc, size_t index);

/**
 * aclmdlGetOutputNameByIndex() - get the name of an output
 * @modelDesc: see aclmdlGetInputNameByIndex()
 * @index: number of the output
 *
 * Returns "" if there is none.
 */
ACL_FUNC_VISIBILITY const char *
aclmdlGetOutputNameByIndex(const aclmdlDesc *modelDesc, size_t index);

/**
 * aclmdlGetInputFormat() - get the format of an input
 * @modelDesc: a description
 * @index: number of the input
 *
 * Returns ACL_FORMAT_UNDEFINED if there is none.
 */
ACL_FUNC_VISIBILITY aclFormat
aclmdlGetInputFormat(const aclmdlDesc *modelDesc, size_t index);

/**
 * aclmdlGetOutputFormat() - get the format of an output
 * @modelDesc: a description
 * @index: number of the output
 *
 * Returns ACL_FORMAT_UNDEFINED if there is none.
 */
ACL_FUNC_VISIBILITY aclFormat
aclmdlGetOutputFormat(const aclmdlDesc *modelDesc, size_t index);

/**
 * aclmdlGetInputDataType() - get the type of the elements of an input
 * @modelDesc: a description
 * @index: number of the input
 *
 * Returns ACL_DT_UNDEFINED if there is none.
 */
ACL_FUNC_VISIBILITY aclDataType
aclmdlGetInputDataType(const aclmdlDesc *modelDesc, size_t index);

/**
 * aclmdlGetOutputDataType() - get the type of the elements of an output
 * @modelDesc: a description
 * @index: number of the output
 *
 * Returns ACL_DT_UNDEFINED if there is none.
 */
ACL_FUNC_VISIBILITY aclDataType
aclmdlGetOutputDataType(const aclmdlDesc *modelDesc, size_t index);

/**
 * aclmdlGetInputIndexByName() - find an input
 * @modelDesc: a description
 * @name: its whole name
 * @index: set to its number
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, or if there is none.
 */
ACL_FUNC_VISIBILITY aclError
aclmdlGetInputIndexByName(const aclmdlDesc *modelDesc, const char *name, size_t
	*index);

/**
 * aclmdlGetOutputIndexByName() - find an output
 * @modelDesc: a description
 * @name: its whole name
 * @index: set to its number
 *
 * Errors: as aclmdlGetInputIndexByName().
 */
ACL_FUNC_VISIBILITY aclError
aclmdlGetOutputIndexByName(const aclmdlDesc *modelDesc, const char *name, size_t
	*index);

/**
 * aclmdlGetTensorRealName() - get the name that aclmdlIODims has no room for
 * @modelDesc: a description
 * @name: aclmdlIODims.name, or the name of an input or output
 *
 * Returns the name, which the description owns, or NULL if there is no such
 * tensor.
 */
ACL_FUNC_VISIBILITY const char *
aclmdlGetTensorRealName(const aclmdlDesc *modelDesc, const char *name);

/**
 * aclmdlGetDynamicBatch() - get the batches of a model
 * @modelDesc: a description
 * @batch: set to the batch of each gear
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, or a description of no model.
 */
ACL_FUNC_VISIBILITY aclError aclmdlGetDynamicBatch(const aclmdlDesc *modelDesc,
	aclmdlBatch *batch);

/**
 * aclmdlGetDynamicHW() - get the image sizes of a model
 * @modelDesc: a description
 * @index: ignored; pass -1
 * @hw: set to the height and width of each gear
 *
 * Errors: as aclmdlGetDynamicBatch().
 */
ACL_FUNC_VISIBILITY aclError aclmdlGetDynamicHW(const aclmdlDesc *modelDesc,
	size_t index, aclmdlHW *hw);

/**
 * aclmdlGetInputDynamicGearCount() - count the gears with other sizes of inputs
 * @modelDesc: a description
 * @index: -1
 * @gearCount: set to the number of gears; 0 without dynamic sizes
 *
 * Errors: as aclmdlGetDynamicBatch(); also for another @index.
 */
ACL_FUNC_VISIBILITY aclError
aclmdlGetInputDynamicGearCount(const aclmdlDesc *modelDesc, size_t index, size_t
	*gearCount);

/**
 * aclmdlGetInputDynamicDims() - get the sizes of the inputs of each gear
 * @modelDesc: a description
 * @index: -1
 * @dims: for each gear, set to the sizes of all inputs one behind the other
 * @gearCount: number of elements in @dims, at least the number of gears
 *
 * Errors: as aclmdlGetInputDynamicGearCount(); also if @gearCount is too small.
 */
ACL_FUNC_VISIBILITY aclError
aclmdlGetInputDynamicDims(const aclmdlDesc *modelDesc, size_t index,
	aclmdlIODims *dims, size_t gearCount);

#ifdef __cplusplus
}
#endif

#include "acl_mdl_aipp.h"

#endif /* ACL_ACL_MDL_H */
