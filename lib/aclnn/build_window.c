// SPDX-License-Identifier: MIT
/* Convolutions and pooling. */
#include "build.h"
#include "builders.h"

int build_convolution(struct aclnn_build *b)
{
	enum { INPUT, WEIGHT, BIAS, STRIDE, PADDING, DILATION, TRANSPOSED,
	       OUTPUT_PADDING, GROUPS, OUTPUT };
	static const struct {
		const char *name;
		unsigned int arg;
	} lists[] = {
		{ "stride", STRIDE }, { "padding", PADDING },
		{ "dilation", DILATION }, { "output_padding", OUTPUT_PADDING },
	};
	struct aclnn_view input = aclnn_view(b, INPUT);
	struct aclnn_view weight = aclnn_view(b, WEIGHT);
	struct aclnn_view bias = aclnn_view(b, BIAS);
	struct aclnn_view output = aclnn_view(b, OUTPUT);
	const struct aclnn_array *list;

	aclnn_begin(b, VNPU_OP_CONVOLUTION, 3, 1);
	for (unsigned int i = 0; i < 4; i++) {
		list = aclnn_array(b, lists[i].arg);
		if (!list)
			continue;
		if (input.t.rank > 2 && list->size > input.t.rank - 2U)
			return aclnn_fail(b, lists[i].arg,
					  "expected at most %u values, given %llu",
					  input.t.rank - 2,
					  (unsigned long long)list->size);
		aclnn_set_ints(b, lists[i].name, list->i, list->size);
	}
	aclnn_set_int(b, "transposed", aclnn_int(b, TRANSPOSED));
	aclnn_set_int(b, "groups", aclnn_int(b, GROUPS));
	/* A bias may have dimensions of size 1 around its channels. */
	if (aclnn_has(&bias) && bias.t.rank != 1)
		aclnn_reshape(&bias, 1, &output.t.dims[1]);
	aclnn_put(b, 0, &input);
	aclnn_put(b, 1, &weight);
	aclnn_put(b, 2, &bias);
	aclnn_put(b, 3, &output);
	return aclnn_end(b);
}

int build_max_pool(struct aclnn_build *b)
{
	enum { SELF, KERNEL, STRIDES, AUTO_PAD, PADS, DILATIONS, CEIL, OUT };
	const struct aclnn_array *kernel = aclnn_array(b, KERNEL);
	const struct aclnn_array *strides = aclnn_array(b, STRIDES);
	const struct aclnn_array *pads = aclnn_array(b, PADS);
	const struct aclnn_array *dilations = aclnn_array(b, DILATIONS);
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);

	if (aclnn_int(b, AUTO_PAD))
		return aclnn_fail(b, AUTO_PAD, "expected 0, given %lld",
				  (long long)aclnn_int(b, AUTO_PAD));
	aclnn_begin(b, VNPU_OP_MAX_POOL2D, 1, 1);
	aclnn_set_ints(b, "kernel", kernel->i, kernel->size);
	aclnn_set_ints(b, "stride", strides->i, strides->size);
	aclnn_set_ints(b, "padding", pads->i, pads->size);
	aclnn_set_ints(b, "dilation", dilations->i, dilations->size);
	aclnn_set_int(b, "ceil", aclnn_int(b, CEIL));
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &out);
	return aclnn_end(b);
}

/* Each channel of the input has its own filters. */
int build_conv_depthwise(struct aclnn_build *b)
{
	enum { SELF, WEIGHT, KERNEL, BIAS, STRIDE, PADDING, DILATION, OUT };
	static const struct {
		const char *name;
		unsigned int arg;
	} lists[] = {
		{ "stride", STRIDE }, { "padding", PADDING },
		{ "dilation", DILATION },
	};
	const struct aclnn_array *kernel = aclnn_array(b, KERNEL);
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view weight = aclnn_view(b, WEIGHT);
	struct aclnn_view bias = aclnn_view(b, BIAS);

	if (self.t.rank != 4 || weight.t.rank != 4)
		return aclnn_fail(b, self.t.rank != 4 ? SELF : WEIGHT,
				  "expected 4 dimensions, given %u",
				  self.t.rank != 4 ? self.t.rank : weight.t.rank);
	if (weight.t.dims[1] != 1)
		return aclnn_fail(b, WEIGHT, "dimension 1: expected 1, given %lld",
				  (long long)weight.t.dims[1]);
	if (kernel->size != 2 || kernel->i[0] != weight.t.dims[2] ||
	    kernel->i[1] != weight.t.dims[3])
		return aclnn_fail(b, KERNEL,
				  "expected the last sizes of weight, %lld and %lld",
				  (long long)weight.t.dims[2],
				  (long long)weight.t.dims[3]);
	aclnn_begin(b, VNPU_OP_CONVOLUTION, 3, 1);
	for (unsigned int i = 0; i < 3; i++) {
		const struct aclnn_array *list = aclnn_array(b, lists[i].arg);

		if (list->size != 1 && list->size != 2)
			return aclnn_fail(b, lists[i].arg,
					  "expected 1 or 2 values, given %llu",
					  (unsigned long long)list->size);
		aclnn_set_ints(b, lists[i].name, list->i, list->size);
	}
	aclnn_set_int(b, "groups", self.t.dims[1]);
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &weight);
	aclnn_put(b, 2, &bias);
	aclnn_put(b, 3, &out);
	return aclnn_end(b);
}
