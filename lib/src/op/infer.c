// SPDX-License-Identifier: MIT
/* Sizes of outputs, which the inputs and attributes of an operator determine. */
#include <stdlib.h>

#include "base/error.h"
#include "base/tensordesc.h"
#include "op.h"

/* Infer the sizes, and set them in the descriptions once all are known. */
static aclError infer(struct vnpu_gathered *g, aclTensorDesc *const *output)
{
	vnpu_single_infer_fn function = (vnpu_single_infer_fn)
		vnpu_single_find(VNPU_SINGLE_INFER);
	aclError ret = function ? function(&g->op, g->output) :
				  ACL_ERROR_OP_LOAD_FAILED;

	if (ret)
		return ret;
	/* A description that another thread has destroyed needs no sizes. */
	for (uint32_t i = 0; i < g->op.outputs; i++)
		vnpu_tensor_desc_set_dims(output[i], g->output[i].rank,
					  g->output[i].dims);
	return ACL_SUCCESS;
}

aclError aclopInferShape(const char *opType, int numInputs,
			 aclTensorDesc *inputDesc[], aclDataBuffer *inputs[],
			 int numOutputs, aclTensorDesc *outputDesc[],
			 aclopAttr *attr)
{
	VNPU_CALL();
	struct vnpu_gathered *g = malloc(sizeof(*g));
	struct vnpu_attr *attrs = NULL;
	aclError ret;

	if (!g)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for an operator");
	ret = vnpu_gather_unknown(g, opType, numInputs,
				  (const aclTensorDesc *const *)inputDesc,
				  numOutputs,
				  (const aclTensorDesc *const *)outputDesc);
	/* No operator has sizes that depend on elements: these are not read. */
	if (!ret)
		ret = vnpu_gather_inputs(g, numInputs,
					 (const aclDataBuffer *const *)inputs);
	if (!ret)
		ret = vnpu_attrs_copy(attr, &attrs);
	if (!ret) {
		g->op.attr = attrs;
		ret = infer(g, outputDesc);
	}
	vnpu_attrs_free(attrs);
	free(g);
	return ret;
}
