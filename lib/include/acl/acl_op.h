/* SPDX-License-Identifier: MIT */
/*
 * Single operators: an operator is named by its type, such as "Add", and gets
 * tensors and attributes.  Documentation/aclnn.md lists the types.
 *
 * The operators are in libvnpu-op, which the first of these calls loads:
 * programs link only -lascendcl.  There is nothing to compile, and no model of
 * an operator to load.  Elements of tensors are contiguous, whatever the
 * format.
 *
 * All threads may use attributes and operators at the same time.  A call copies the
 * attributes, descriptions and buffers, so they may be destroyed when it returns.
 *
 * Errors of calls that check or run operators, with a message that names the
 * operator, the argument, and the values expected and given:
 *
 *	ACL_ERROR_OP_NOT_FOUND		there is no such type
 *	ACL_ERROR_OP_INPUT_NOT_MATCH	inputs are missing
 *	ACL_ERROR_OP_OUTPUT_NOT_MATCH	outputs are missing
 *	ACL_ERROR_OP_ATTR_NOT_MATCH	an attribute is missing, or has another type
 *	ACL_ERROR_OP_UNSUPPORTED_DYNAMIC	a size of a tensor is not known
 *	ACL_ERROR_OP_LOAD_FAILED	libvnpu-op is not installed
 *	ACL_ERROR_INVALID_PARAM		any other argument
 */
#ifndef ACL_ACL_OP_H
#define ACL_ACL_OP_H

#include "acl_base.h"
#include "acl_base_mdl.h"
#include "acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Attributes of an operator. */
typedef struct aclopAttr aclopAttr;

/* An operator that was checked. */
typedef struct aclopHandle aclopHandle;

/* Where an operator runs, which has no effect. */
typedef enum aclEngineType {
	ACL_ENGINE_SYS,
	ACL_ENGINE_AICORE,
	ACL_ENGINE_VECTOR,
} aclopEngineType;

/**
 * aclopSetModelDir() - name a directory of models of operators
 * @modelDir: the directory, which is not read
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclopSetModelDir(const char *modelDir);

/**
 * aclopLoad() - load a model of an operator
 * @model: the contents of an .om file
 * @modelSize: their bytes
 *
 * All operators exist without models, so only the first bytes are checked.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, and for data that do not begin like a
 * model.
 */
ACL_FUNC_VISIBILITY aclError aclopLoad(const void *model, size_t modelSize);

/**
 * aclopSetMaxOpQueueNum() - limit the number of operators that are kept
 * @maxOpNum: the limit, which has no effect as none are kept
 *
 * Errors: ACL_ERROR_INVALID_PARAM for 0.
 */
ACL_FUNC_VISIBILITY aclError aclopSetMaxOpQueueNum(uint64_t maxOpNum);

/**
 * aclopCreateAttr() - make attributes, of which there are none yet
 *
 * Returns NULL without host memory.
 */
ACL_FUNC_VISIBILITY aclopAttr *aclopCreateAttr(void);

/**
 * aclopDestroyAttr() - destroy attributes
 * @attr: attributes, or NULL, for which nothing happens
 */
ACL_FUNC_VISIBILITY void aclopDestroyAttr(const aclopAttr *attr);

/**
 * aclopSetAttrBool() - set an attribute to a truth value
 * @attr: the attributes
 * @attrName: the name; an attribute of that name is replaced
 * @attrValue: the value
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or destroyed attributes, and for other
 * pointers that are NULL, or a list of less than 0 or more than 2^20 values;
 * ACL_ERROR_BAD_ALLOC without host memory.  The next calls have the same errors.
 */
ACL_FUNC_VISIBILITY aclError aclopSetAttrBool(aclopAttr *attr,
	const char *attrName, uint8_t attrValue);

/* Set an attribute to an integer, as aclopSetAttrBool(). */
ACL_FUNC_VISIBILITY aclError aclopSetAttrInt(aclopAttr *attr,
	const char *attrName, int64_t attrValue);

/* Set an attribute to a number, as aclopSetAttrBool(). */
ACL_FUNC_VISIBILITY aclError aclopSetAttrFloat(aclopAttr *attr,
	const char *attrName, float attrValue);

/* Set an attribute to a text, as aclopSetAttrBool(). */
ACL_FUNC_VISIBILITY aclError aclopSetAttrString(aclopAttr *attr,
	const char *attrName, const char *attrValue);

/* Set an attribute to a type of elements, as aclopSetAttrBool(). */
ACL_FUNC_VISIBILITY aclError aclopSetAttrDataType(aclopAttr *attr,
	const char *attrName, aclDataType attrValue);

/* Set an attribute to a list of truth values, as aclopSetAttrBool(). */
ACL_FUNC_VISIBILITY aclError aclopSetAttrListBool(aclopAttr *attr,
	const char *attrName, int numValues, const uint8_t *values);

/* Set an attribute to a list of integers, as aclopSetAttrBool(). */
ACL_FUNC_VISIBILITY aclError aclopSetAttrListInt(aclopAttr *attr,
	const char *attrName, int numValues, const int64_t *values);

/* Set an attribute to a list of numbers, as aclopSetAttrBool(). */
ACL_FUNC_VISIBILITY aclError aclopSetAttrListFloat(aclopAttr *attr,
	const char *attrName, int numValues, const float *values);

/* Set an attribute to a list of texts, as aclopSetAttrBool(). */
ACL_FUNC_VISIBILITY aclError aclopSetAttrListString(aclopAttr *attr,
	const char *attrName, int numValues, const char **values);

/* Set an attribute to a list of types of elements, as aclopSetAttrBool(). */
ACL_FUNC_VISIBILITY aclError aclopSetAttrListDataType(aclopAttr *attr,
	const char *attrName, int numValues, const aclDataType values[]);

/**
 * aclopSetAttrListListInt() - set an attribute to a list of lists of integers
 * @attr: the attributes
 * @attrName: the name; an attribute of that name is replaced
 * @numLists: number of lists
 * @numValues: number of values of each list
 * @values: the values of each list
 *
 * No operator has such an attribute yet.  Errors: as aclopSetAttrBool().
 */
ACL_FUNC_VISIBILITY aclError aclopSetAttrListListInt(aclopAttr *attr,
	const char *attrName, int numLists, const int *numValues,
	const int64_t *const values[]);

/**
 * aclopInferShape() - set the sizes of outputs
 * @opType: type of the operator
 * @numInputs: number of inputs
 * @inputDesc: their descriptions, with all sizes
 * @inputs: their memory on the host.  It is not read: no operator has sizes that
 *	depend on elements.
 * @numOutputs: number of outputs
 * @outputDesc: their descriptions, with their types; sizes are set, and any before
 *	are ignored
 * @attr: the attributes, or NULL
 *
 * Names of descriptions (aclSetTensorDescName()) have no effect.
 *
 * Errors: those above.
 */
ACL_FUNC_VISIBILITY aclError aclopInferShape(const char *opType, int numInputs,
	aclTensorDesc *inputDesc[], aclDataBuffer *inputs[], int numOutputs,
	aclTensorDesc *outputDesc[], aclopAttr *attr);

/**
 * aclopUpdateParams() - check an operator before it runs with new sizes
 * @opType: type of the operator
 * @numInputs: number of inputs
 * @inputDesc: their descriptions
 * @numOutputs: number of outputs
 * @outputDesc: their descriptions
 * @attr: the attributes, or NULL
 *
 * There is nothing to select by the sizes, so this only finds errors.
 *
 * Errors: those above.
 */
ACL_FUNC_VISIBILITY aclError aclopUpdateParams(const char *opType,
	int numInputs, const aclTensorDesc *const inputDesc[], int numOutputs,
	const aclTensorDesc *const outputDesc[], const aclopAttr *attr);

/**
 * aclopExecuteV2() - run an operator in stream order
 * @opType: type of the operator
 * @numInputs: number of inputs, up to 64
 * @inputDesc: their descriptions; one of type ACL_DT_UNDEFINED is absent
 * @inputs: their memory
 * @numOutputs: number of outputs, up to 64
 * @outputDesc: their descriptions, with all sizes
 * @outputs: their memory
 * @attr: the attributes, or NULL
 * @stream: the stream
 *
 * Operators of several steps need memory of the device, and wait for the stream to
 * free it.  So they cannot be captured, nor run on a stream that the host never waits
 * for, such as one with ACL_STREAM_PERSISTENT.
 *
 * Errors: those above, and those of a launch; ACL_ERROR_RT_STREAM_CAPTURED,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
ACL_FUNC_VISIBILITY aclError aclopExecuteV2(const char *opType, int numInputs,
	aclTensorDesc *inputDesc[], aclDataBuffer *inputs[], int numOutputs,
	aclTensorDesc *outputDesc[], aclDataBuffer *outputs[], aclopAttr *attr,
	aclrtStream stream);

/* Run an operator, as aclopExecuteV2(). */
ACL_DEPRECATED_MESSAGE("use aclopExecuteV2")
ACL_FUNC_VISIBILITY aclError aclopExecute(const char *opType, int numInputs,
	const aclTensorDesc *const inputDesc[],
	const aclDataBuffer *const inputs[], int numOutputs,
	const aclTensorDesc *const outputDesc[],
	aclDataBuffer *const outputs[], const aclopAttr *attr,
	aclrtStream stream);

/**
 * aclopCreateHandle() - check an operator that runs several times
 * @opType: type of the operator
 * @numInputs: number of inputs
 * @inputDesc: their descriptions
 * @numOutputs: number of outputs
 * @outputDesc: their descriptions
 * @opAttr: the attributes, or NULL
 * @handle: set to the operator
 *
 * Errors: those above.
 */
ACL_FUNC_VISIBILITY aclError aclopCreateHandle(const char *opType,
	int numInputs, const aclTensorDesc *const inputDesc[], int numOutputs,
	const aclTensorDesc *const outputDesc[], const aclopAttr *opAttr,
	aclopHandle **handle);

/**
 * aclopDestroyHandle() - destroy an operator
 * @handle: an operator, or NULL, for which nothing happens
 */
ACL_FUNC_VISIBILITY void aclopDestroyHandle(aclopHandle *handle);

/**
 * aclopExecWithHandle() - run an operator in stream order
 * @handle: the operator
 * @numInputs: number of its inputs
 * @inputs: their memory
 * @numOutputs: number of its outputs
 * @outputs: their memory
 * @stream: the stream
 *
 * Errors: as aclopExecuteV2(), and ACL_ERROR_INVALID_PARAM for NULL or a destroyed
 * operator.
 */
ACL_FUNC_VISIBILITY aclError aclopExecWithHandle(aclopHandle *handle,
	int numInputs, const aclDataBuffer *const inputs[], int numOutputs,
	aclDataBuffer *const outputs[], aclrtStream stream);

/**
 * aclopCast() - convert elements to another type in stream order
 * @srcDesc: description of the elements
 * @srcBuffer: their memory
 * @dstDesc: description of the result
 * @dstBuffer: its memory
 * @truncate: has no effect; numbers become integers by truncation
 * @stream: the stream
 *
 * Errors: as aclopExecuteV2().
 */
ACL_FUNC_VISIBILITY aclError aclopCast(const aclTensorDesc *srcDesc,
	const aclDataBuffer *srcBuffer, const aclTensorDesc *dstDesc,
	aclDataBuffer *dstBuffer, uint8_t truncate, aclrtStream stream);

/* Check a conversion that runs several times, as aclopCreateHandle(). */
ACL_FUNC_VISIBILITY aclError aclopCreateHandleForCast(aclTensorDesc *srcDesc,
	aclTensorDesc *dstDesc, uint8_t truncate, aclopHandle **handle);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_OP_H */
