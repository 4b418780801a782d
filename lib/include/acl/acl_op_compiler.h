/* SPDX-License-Identifier: MIT */
/*
 * Single operators that CANN compiles before they run.  Here there is nothing to
 * compile: the calls check operators, or run them as those of acl_op.h.
 */
#ifndef ACL_ACL_OP_COMPILER_H
#define ACL_ACL_OP_COMPILER_H

#include "acl_op.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the source of an operator is: in the library, or in a file of the program. */
typedef enum aclCompileType {
	ACL_COMPILE_SYS,
	ACL_COMPILE_UNREGISTERED,
} aclopCompileType;

/**
 * aclopCompile() - check an operator
 * @opType: type of the operator
 * @numInputs: number of inputs
 * @inputDesc: their descriptions
 * @numOutputs: number of outputs
 * @outputDesc: their descriptions
 * @attr: the attributes, or NULL
 * @engineType: any engine
 * @compileFlag: ACL_COMPILE_SYS
 * @opPath: ignored
 *
 * Errors: those of acl_op.h; ACL_ERROR_API_NOT_SUPPORT for ACL_COMPILE_UNREGISTERED.
 */
ACL_FUNC_VISIBILITY aclError aclopCompile(const char *opType, int numInputs,
	const aclTensorDesc *const inputDesc[], int numOutputs,
	const aclTensorDesc *const outputDesc[], const aclopAttr *attr,
	aclopEngineType engineType, aclopCompileType compileFlag,
	const char *opPath);

/* Run an operator, as aclopExecute(), with the last arguments of aclopCompile(). */
ACL_FUNC_VISIBILITY aclError aclopCompileAndExecute(const char *opType,
	int numInputs, const aclTensorDesc *const inputDesc[],
	const aclDataBuffer *const inputs[], int numOutputs,
	const aclTensorDesc *const outputDesc[],
	aclDataBuffer *const outputs[], const aclopAttr *attr,
	aclopEngineType engineType, aclopCompileType compileFlag,
	const char *opPath, aclrtStream stream);

/* Run an operator, as aclopExecuteV2(), with the last arguments of aclopCompile(). */
ACL_FUNC_VISIBILITY aclError aclopCompileAndExecuteV2(const char *opType,
	int numInputs, aclTensorDesc *inputDesc[], aclDataBuffer *inputs[],
	int numOutputs, aclTensorDesc *outputDesc[], aclDataBuffer *outputs[],
	aclopAttr *attr, aclopEngineType engineType,
	aclopCompileType compileFlag, const char *opPath, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_OP_COMPILER_H */
