// SPDX-License-Identifier: MIT
/* From the arguments of a call to an operator. */
#include "base/databuffer.h"
#include "base/error.h"
#include "base/tensordesc.h"
#include "op.h"

static const char *const sides[] = { "input", "output" };

/* Read a description. */
static aclError read_desc(struct vnpu_single_tensor *to, unsigned int side,
			  int number, const aclTensorDesc *handle)
{
	struct vnpu_tensor_desc desc;

	if (!vnpu_tensor_desc_get(handle, &desc))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"%sDesc[%d] = %p is not a description of a tensor; pass one of aclCreateTensorDesc",
			sides[side], number, (const void *)handle);
	*to = (struct vnpu_single_tensor){
		.type = desc.type, .format = desc.format,
	};
	/* An input that is absent. */
	if (desc.type == ACL_DT_UNDEFINED)
		return ACL_SUCCESS;
	if (desc.rank > VNPU_SINGLE_DIMS)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"%sDesc[%d] has %zu dimensions; operators take up to %d",
			sides[side], number, desc.rank, VNPU_SINGLE_DIMS);
	to->rank = desc.rank;
	for (size_t i = 0; i < desc.rank; i++) {
		to->dims[i] = desc.dims[i];
		if (desc.dims[i] < 0)
			return vnpu_error(ACL_ERROR_OP_UNSUPPORTED_DYNAMIC,
				"%sDesc[%d] has size %lld for dimension %zu; sizes have to be known",
				sides[side], number, (long long)desc.dims[i],
				i);
	}
	return ACL_SUCCESS;
}

static aclError read_descs(struct vnpu_single_tensor *to, unsigned int side,
			   int count, const aclTensorDesc *const *desc)
{
	static const char *const counts[] = { "numInputs", "numOutputs" };
	static const char *const names[] = { "inputDesc", "outputDesc" };
	aclError ret = ACL_SUCCESS;

	if (count < 0 || count > VNPU_SINGLE_TENSORS)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"%s = %d is not possible; pass 0 to %d", counts[side],
			count, VNPU_SINGLE_TENSORS);
	if (count && !desc)
		return vnpu_error_null(names[side]);
	for (int i = 0; i < count && !ret; i++)
		ret = read_desc(&to[i], side, i, desc[i]);
	return ret;
}

aclError vnpu_gather(struct vnpu_gathered *g, const char *type, int inputs,
		     const aclTensorDesc *const *input, int outputs,
		     const aclTensorDesc *const *output)
{
	aclError ret;

	if (!type)
		return vnpu_error_null("opType");
	ret = read_descs(g->input, 0, inputs, input);
	if (!ret)
		ret = read_descs(g->output, 1, outputs, output);
	if (ret)
		return ret;
	g->op = (struct vnpu_single){
		.type = type,
		.inputs = inputs, .outputs = outputs,
		.input = g->input, .output = g->output,
	};
	return ACL_SUCCESS;
}

static aclError read_buffers(struct vnpu_single_tensor *to, unsigned int side,
			     int count, const aclDataBuffer *const *buffer)
{
	static const char *const names[] = { "inputs", "outputs" };

	if (count && !buffer)
		return vnpu_error_null(names[side]);
	for (int i = 0; i < count; i++)
		if (!vnpu_data_buffer_get(buffer[i], &to[i].data, &to[i].size))
			return vnpu_error(ACL_ERROR_INVALID_PARAM,
				"%s[%d] = %p is not a data buffer; pass one of aclCreateDataBuffer",
				names[side], i, (const void *)buffer[i]);
	return ACL_SUCCESS;
}

aclError vnpu_gather_inputs(struct vnpu_gathered *g, int inputs,
			    const aclDataBuffer *const *input)
{
	return read_buffers(g->input, 0, inputs, input);
}

aclError vnpu_gather_unknown(struct vnpu_gathered *g, const char *type,
			     int inputs, const aclTensorDesc *const *input,
			     int outputs, const aclTensorDesc *const *output)
{
	struct vnpu_tensor_desc desc;
	aclError ret = vnpu_gather(g, type, inputs, input, 0, NULL);

	if (ret)
		return ret;
	if (outputs < 1 || outputs > VNPU_SINGLE_TENSORS)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"numOutputs = %d is not possible; pass 1 to %d",
			outputs, VNPU_SINGLE_TENSORS);
	if (!output)
		return vnpu_error_null("outputDesc");
	for (int i = 0; i < outputs; i++) {
		if (!vnpu_tensor_desc_get(output[i], &desc))
			return vnpu_error(ACL_ERROR_INVALID_PARAM,
				"outputDesc[%d] = %p is not a description of a tensor; pass one of aclCreateTensorDesc",
				i, (const void *)output[i]);
		g->output[i] = (struct vnpu_single_tensor){
			.type = desc.type, .format = desc.format,
		};
	}
	g->op.outputs = outputs;
	return ACL_SUCCESS;
}

aclError vnpu_gather_data(struct vnpu_gathered *g, int inputs,
			  const aclDataBuffer *const *input, int outputs,
			  const aclDataBuffer *const *output)
{
	aclError ret;

	if (inputs < 0 || (uint32_t)inputs != g->op.inputs)
		return vnpu_error(ACL_ERROR_OP_INPUT_NOT_MATCH,
			"numInputs = %d, but the operator was made for %u",
			inputs, g->op.inputs);
	if (outputs < 0 || (uint32_t)outputs != g->op.outputs)
		return vnpu_error(ACL_ERROR_OP_OUTPUT_NOT_MATCH,
			"numOutputs = %d, but the operator was made for %u",
			outputs, g->op.outputs);
	ret = vnpu_gather_inputs(g, inputs, input);
	return ret ? ret : read_buffers(g->output, 1, outputs, output);
}
