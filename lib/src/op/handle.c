// SPDX-License-Identifier: MIT
/* Operators that are checked once and run any number of times: aclopHandle. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/handle.h"
#include "op.h"

/* An operator; it does not change. */
struct handle {
	struct vnpu_gathered *gathered;
	char *type;
	struct vnpu_attr *attrs;
};

static void handle_free(struct handle *h)
{
	vnpu_attrs_free(h->attrs);
	free(h->gathered);
	free(h->type);
	free(h);
}

static void handle_put(const aclopHandle *handle, struct handle *h)
{
	if (vnpu_handle_put(vnpu_ptr_to_u64(handle)))
		handle_free(h);
}

static aclError no_memory(void)
{
	return vnpu_error(ACL_ERROR_BAD_ALLOC, "no host memory for an operator");
}

/* Make an operator without attributes; NULL without memory. */
static struct handle *handle_alloc(const char *type)
{
	struct handle *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->gathered = malloc(sizeof(*h->gathered));
	h->type = strdup(type);
	if (!h->gathered || !h->type) {
		handle_free(h);
		return NULL;
	}
	return h;
}

aclError vnpu_single_create(const struct vnpu_single *op,
			    struct vnpu_attr *attrs, aclopHandle **handle)
{
	struct handle *h = handle_alloc(op->type);
	struct vnpu_gathered *g;
	vnpu_single_fn check;
	aclError ret;

	if (!h) {
		vnpu_attrs_free(attrs);
		return no_memory();
	}
	h->attrs = attrs;
	g = h->gathered;
	memcpy(g->input, op->input, op->inputs * sizeof(*g->input));
	memcpy(g->output, op->output, op->outputs * sizeof(*g->output));
	g->op = (struct vnpu_single){
		.type = h->type,
		.inputs = op->inputs, .outputs = op->outputs,
		.input = g->input, .output = g->output,
		.attr = attrs,
	};
	check = vnpu_single_find(VNPU_SINGLE_CHECK);
	ret = check ? check(&g->op, NULL) : ACL_ERROR_OP_LOAD_FAILED;
	if (!ret) {
		*handle = vnpu_u64_to_ptr(vnpu_handle_add(VNPU_HANDLE_OP, h));
		if (*handle)
			return ACL_SUCCESS;
		ret = no_memory();
	}
	handle_free(h);
	return ret;
}

static aclError create(const char *type, int inputs,
		       const aclTensorDesc *const *input, int outputs,
		       const aclTensorDesc *const *output,
		       const aclopAttr *attr, aclopHandle **handle)
{
	struct vnpu_gathered *g;
	struct vnpu_attr *attrs;
	aclError ret;

	if (!handle)
		return vnpu_error_null("handle");
	g = malloc(sizeof(*g));
	if (!g)
		return no_memory();
	ret = vnpu_gather(g, type, inputs, input, outputs, output);
	if (!ret)
		ret = vnpu_attrs_copy(attr, &attrs);
	if (!ret)
		ret = vnpu_single_create(&g->op, attrs, handle);
	free(g);
	return ret;
}

aclError aclopCreateHandle(const char *opType, int numInputs,
			   const aclTensorDesc *const inputDesc[],
			   int numOutputs,
			   const aclTensorDesc *const outputDesc[],
			   const aclopAttr *opAttr, aclopHandle **handle)
{
	VNPU_CALL();

	return create(opType, numInputs, inputDesc, numOutputs, outputDesc,
		      opAttr, handle);
}

aclError aclopCreateHandleForCast(aclTensorDesc *srcDesc,
				  aclTensorDesc *dstDesc, uint8_t truncate,
				  aclopHandle **handle)
{
	VNPU_CALL();
	const aclTensorDesc *from = srcDesc, *to = dstDesc;

	(void)truncate;
	return create("Cast", 1, &from, 1, &to, NULL, handle);
}

void aclopDestroyHandle(aclopHandle *handle)
{
	struct handle *h = vnpu_handle_remove(VNPU_HANDLE_OP, handle);

	if (h)
		handle_put(handle, h);
}

/* Run a copy of the operator with these buffers. */
static aclError run(const struct handle *h, int inputs,
		    const aclDataBuffer *const *input, int outputs,
		    const aclDataBuffer *const *output, aclrtStream stream)
{
	struct vnpu_gathered *g = malloc(sizeof(*g));
	vnpu_single_fn execute;
	aclError ret;

	if (!g)
		return no_memory();
	*g = *h->gathered;
	g->op.input = g->input;
	g->op.output = g->output;
	ret = vnpu_gather_data(g, inputs, input, outputs, output);
	if (!ret) {
		execute = vnpu_single_find(VNPU_SINGLE_EXECUTE);
		ret = execute ? execute(&g->op, stream) :
				ACL_ERROR_OP_LOAD_FAILED;
	}
	free(g);
	return ret;
}

aclError aclopExecWithHandle(aclopHandle *handle, int numInputs,
			     const aclDataBuffer *const inputs[],
			     int numOutputs, aclDataBuffer *const outputs[],
			     aclrtStream stream)
{
	VNPU_CALL();
	struct handle *h;
	aclError ret;

	if (!handle)
		return vnpu_error_null("handle");
	h = vnpu_handle_get(VNPU_HANDLE_OP, handle);
	if (!h)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"handle = %p is not an operator, or was destroyed; pass one of aclopCreateHandle",
			(const void *)handle);
	ret = run(h, numInputs, inputs, numOutputs,
		  (const aclDataBuffer *const *)outputs, stream);
	handle_put(handle, h);
	return ret;
}
