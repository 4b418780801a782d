// SPDX-License-Identifier: MIT
/* The calls that run single operators, and those about their compilation. */
#include <stdlib.h>
#include <string.h>

#include "graph/om/om.h"

#include "acl/acl_op_compiler.h"
#include "base/error.h"
#include "op.h"

/* Run an operator, or check it if there are no buffers. */
static aclError run(const char *type, int inputs,
		    const aclTensorDesc *const *input_desc,
		    const aclDataBuffer *const *input, int outputs,
		    const aclTensorDesc *const *output_desc,
		    const aclDataBuffer *const *output, const aclopAttr *attr,
		    const char *function, aclrtStream stream)
{
	struct vnpu_gathered *g = malloc(sizeof(*g));
	struct vnpu_attr *attrs = NULL;
	vnpu_single_fn execute;
	aclError ret;

	if (!g)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for an operator");
	ret = vnpu_gather(g, type, inputs, input_desc, outputs, output_desc);
	if (!ret && input)
		ret = vnpu_gather_data(g, inputs, input, outputs, output);
	if (!ret)
		ret = vnpu_attrs_copy(attr, &attrs);
	if (!ret) {
		g->op.attr = attrs;
		execute = vnpu_single_find(function);
		ret = execute ? execute(&g->op, stream) :
				ACL_ERROR_OP_LOAD_FAILED;
	}
	vnpu_attrs_free(attrs);
	free(g);
	return ret;
}

/* Buffers of an operator without inputs, so that it is run and not checked. */
static const aclDataBuffer *const none[1];

static aclError execute(const char *type, int inputs,
			const aclTensorDesc *const *input_desc,
			const aclDataBuffer *const *input, int outputs,
			const aclTensorDesc *const *output_desc,
			const aclDataBuffer *const *output,
			const aclopAttr *attr, aclrtStream stream)
{
	if (!input && inputs > 0)
		return vnpu_error_null("inputs");
	return run(type, inputs, input_desc, input ? input : none, outputs,
		   output_desc, output, attr, VNPU_SINGLE_EXECUTE, stream);
}

aclError aclopExecute(const char *opType, int numInputs,
		      const aclTensorDesc *const inputDesc[],
		      const aclDataBuffer *const inputs[], int numOutputs,
		      const aclTensorDesc *const outputDesc[],
		      aclDataBuffer *const outputs[], const aclopAttr *attr,
		      aclrtStream stream)
{
	VNPU_CALL();

	return execute(opType, numInputs, inputDesc, inputs, numOutputs,
		       outputDesc, (const aclDataBuffer *const *)outputs, attr,
		       stream);
}

aclError aclopExecuteV2(const char *opType, int numInputs,
			aclTensorDesc *inputDesc[], aclDataBuffer *inputs[],
			int numOutputs, aclTensorDesc *outputDesc[],
			aclDataBuffer *outputs[], aclopAttr *attr,
			aclrtStream stream)
{
	VNPU_CALL();

	return execute(opType, numInputs,
		       (const aclTensorDesc *const *)inputDesc,
		       (const aclDataBuffer *const *)inputs, numOutputs,
		       (const aclTensorDesc *const *)outputDesc,
		       (const aclDataBuffer *const *)outputs, attr, stream);
}

/* Check the options of a compilation, none of which has an effect. */
static aclError check_compile(aclopEngineType engine, aclopCompileType compile,
			      const char *path)
{
	if (engine != ACL_ENGINE_SYS && engine != ACL_ENGINE_AICORE &&
	    engine != ACL_ENGINE_VECTOR)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"engineType = %d is not known; pass ACL_ENGINE_SYS",
			engine);
	if (compile == ACL_COMPILE_UNREGISTERED && !path)
		return vnpu_error_null("opPath");
	if (compile == ACL_COMPILE_UNREGISTERED)
		return vnpu_error(ACL_ERROR_API_NOT_SUPPORT,
			"opPath = %s: operators in Python are not supported; pass ACL_COMPILE_SYS, or launch a kernel",
			path);
	if (compile != ACL_COMPILE_SYS)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"compileFlag = %d is not known; pass ACL_COMPILE_SYS",
			compile);
	return ACL_SUCCESS;
}

aclError aclopCompile(const char *opType, int numInputs,
		      const aclTensorDesc *const inputDesc[], int numOutputs,
		      const aclTensorDesc *const outputDesc[],
		      const aclopAttr *attr, aclopEngineType engineType,
		      aclopCompileType compileFlag, const char *opPath)
{
	VNPU_CALL();
	aclError ret = check_compile(engineType, compileFlag, opPath);

	return ret ? ret : run(opType, numInputs, inputDesc, NULL, numOutputs,
			       outputDesc, NULL, attr, VNPU_SINGLE_CHECK, NULL);
}

aclError aclopUpdateParams(const char *opType, int numInputs,
			   const aclTensorDesc *const inputDesc[],
			   int numOutputs,
			   const aclTensorDesc *const outputDesc[],
			   const aclopAttr *attr)
{
	VNPU_CALL();

	/* Operators have no tiling that depends on the sizes. */
	return run(opType, numInputs, inputDesc, NULL, numOutputs, outputDesc,
		   NULL, attr, VNPU_SINGLE_CHECK, NULL);
}

aclError aclopCompileAndExecute(const char *opType, int numInputs,
				const aclTensorDesc *const inputDesc[],
				const aclDataBuffer *const inputs[],
				int numOutputs,
				const aclTensorDesc *const outputDesc[],
				aclDataBuffer *const outputs[],
				const aclopAttr *attr,
				aclopEngineType engineType,
				aclopCompileType compileFlag,
				const char *opPath, aclrtStream stream)
{
	VNPU_CALL();
	aclError ret = check_compile(engineType, compileFlag, opPath);

	return ret ? ret : execute(opType, numInputs, inputDesc, inputs,
				   numOutputs, outputDesc,
				   (const aclDataBuffer *const *)outputs, attr,
				   stream);
}

aclError aclopCompileAndExecuteV2(const char *opType, int numInputs,
				  aclTensorDesc *inputDesc[],
				  aclDataBuffer *inputs[], int numOutputs,
				  aclTensorDesc *outputDesc[],
				  aclDataBuffer *outputs[], aclopAttr *attr,
				  aclopEngineType engineType,
				  aclopCompileType compileFlag,
				  const char *opPath, aclrtStream stream)
{
	VNPU_CALL();
	aclError ret = check_compile(engineType, compileFlag, opPath);

	return ret ? ret : execute(opType, numInputs,
				   (const aclTensorDesc *const *)inputDesc,
				   (const aclDataBuffer *const *)inputs,
				   numOutputs,
				   (const aclTensorDesc *const *)outputDesc,
				   (const aclDataBuffer *const *)outputs, attr,
				   stream);
}

aclError aclopCast(const aclTensorDesc *srcDesc, const aclDataBuffer *srcBuffer,
		   const aclTensorDesc *dstDesc, aclDataBuffer *dstBuffer,
		   uint8_t truncate, aclrtStream stream)
{
	VNPU_CALL();
	const aclDataBuffer *to = dstBuffer;

	/* Floating-point numbers become integers by truncation in any case. */
	(void)truncate;
	return execute("Cast", 1, &srcDesc, &srcBuffer, 1, &dstDesc, &to, NULL,
		       stream);
}

aclError aclopSetModelDir(const char *modelDir)
{
	VNPU_CALL();

	/* All operators are there without models of them. */
	return modelDir ? ACL_SUCCESS : vnpu_error_null("modelDir");
}

aclError aclopLoad(const void *model, size_t modelSize)
{
	VNPU_CALL();

	if (!model)
		return vnpu_error_null("model");
	/* Of a model that CANN has compiled, or of vnpu.  No more is read. */
	if (modelSize >= sizeof("IMOD") - 1 &&
	    (!memcmp(model, "IMOD", sizeof("IMOD") - 1) ||
	     (modelSize >= sizeof(OM_MAGIC) &&
	      !memcmp(model, OM_MAGIC, sizeof(OM_MAGIC)))))
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"modelSize = %zu: the data do not begin like the model of an operator; pass the contents of an .om file",
		modelSize);
}

aclError aclopSetMaxOpQueueNum(uint64_t maxOpNum)
{
	VNPU_CALL();

	return maxOpNum ? ACL_SUCCESS :
			  vnpu_error(ACL_ERROR_INVALID_PARAM,
				     "maxOpNum = 0; pass at least 1");
}
