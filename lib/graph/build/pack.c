// SPDX-License-Identifier: MIT
/* Packing of weights. See pack.h, and VNPU_OP_PANEL in lib/ops/ops.h. */
#include <errno.h>
#include <string.h>

#include "build/pack.h"

enum { INPUT, WEIGHT };

/* Count how often steps use each buffer. */
static uint32_t *count_uses(struct build *b)
{
	uint32_t *uses, i, k;

	uses = store_alloc(&b->store, b->buffer_count + 1, sizeof(*uses));
	for (i = 0; uses && i < b->step_count; i++) {
		const struct vnpu_op_launch *l = b->steps[i].launch;

		for (k = 0; k < (uint32_t)l->inputs + l->outputs; k++)
			if (b->steps[i].buffers[k] != BUILD_NONE)
				uses[b->steps[i].buffers[k]]++;
	}
	return uses;
}

/* The groups of a convolution with such a weight, or 0 if it is not to be packed. */
static int64_t groups_of(const struct build *b, const struct build_step *s,
			 const uint32_t *uses)
{
	const struct vnpu_op_launch *l = s->launch;
	const struct vnpu_tensor *w = &l->tensor[WEIGHT];
	const struct build_buffer *from;
	int64_t groups, made, more;

	if (l->op != VNPU_OP_CONVOLUTION || !s->node ||
	    strcmp(s->node->type, "Conv") ||
	    s->buffers[WEIGHT] == BUILD_NONE || uses[s->buffers[WEIGHT]] != 1)
		return 0;
	from = &b->buffers[s->buffers[WEIGHT]];
	if (from->kind != BUILD_CONST || w->dtype != VNPU_DT_F32 || w->offset ||
	    !vnpu_tensor_is_contiguous(w) || !vnpu_tensor_elements(w) ||
	    from->bytes != vnpu_tensor_elements(w) * sizeof(float))
		return 0;
	groups = l->tensor[INPUT].dims[1] / w->dims[1];
	made = w->dims[0] / groups;
	more = vnpu_op_panels(made) * VNPU_OP_PANEL - made;
	/* Depthwise convolutions gain nothing, and few channels would grow a lot. */
	return (groups > 1 && w->dims[1] == 1) || more * 16 > made ? 0 : groups;
}

/* Pack the channels of a group, with @inner elements each. */
static void pack_group(float *to, const float *from, int64_t channels,
		       int64_t inner)
{
	int64_t channel, k;

	for (channel = 0; channel < channels; channel++)
		for (k = 0; k < inner; k++)
			to[vnpu_op_packed_index(channel, k, inner)] = *from++;
}

static int set_packed(struct build *b, struct vnpu_op_launch *l, int64_t channels)
{
	int param = vnpu_op_find_param(l->op, "packed", NULL);

	if (param < 0)
		return graph_fail(b->g, -ENOSYS, "the engine packs no weights");
	vnpu_op_set_int(l, param, channels);
	return 0;
}

static int pack_weight(struct build *b, const struct build_step *s,
		       int64_t groups)
{
	struct vnpu_tensor *w = &s->launch->tensor[WEIGHT];
	struct build_buffer *buffer = &b->buffers[s->buffers[WEIGHT]];
	int64_t made = w->dims[0], each = made / groups, g, dims[VNPU_TENSOR_DIMS];
	int64_t panels = vnpu_op_panels(each);
	int64_t inner = vnpu_tensor_elements(w) / made;
	unsigned int rank = w->rank;
	uint64_t data = w->data;
	float *to;

	memcpy(dims, w->dims, rank * sizeof(*dims));
	dims[0] = groups * panels;
	dims[rank] = VNPU_OP_PANEL;
	to = store_alloc(&b->store, groups * panels * VNPU_OP_PANEL * inner,
			 sizeof(*to));
	if (!to)
		return graph_fail(b->g, -ENOMEM,
				  "there is no memory for a packed weight");
	for (g = 0; g < groups; g++)
		pack_group(to + g * panels * VNPU_OP_PANEL * inner,
			   (const float *)buffer->data + g * each * inner, each,
			   inner);
	vnpu_tensor_init(w, VNPU_DT_F32, rank + 1, dims, NULL);
	w->data = data;
	buffer->data = to;
	buffer->bytes = w->bytes;
	return set_packed(b, s->launch, made);
}

int build_pack(struct build *b)
{
	uint32_t *uses = count_uses(b), i;
	int packed = 0;
	int64_t groups;

	if (!uses)
		return graph_fail(b->g, -ENOMEM, "there is no memory for a list");
	for (i = 0; i < b->step_count; i++) {
		groups = groups_of(b, &b->steps[i], uses);
		if (groups && pack_weight(b, &b->steps[i], groups))
			return b->g->err;
		packed += groups > 0;
	}
	return packed;
}
