// SPDX-License-Identifier: MIT
/* Preprocessing of images with values that each run gives. See aipp.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "edit/aipp.h"
#include "op/op.h"
#include "ops/image.h"

static int check_use(struct graph *g, const struct edit_aipp *a,
		     const struct graph_value *x)
{
	int64_t channels = x->dims[a->is_nhwc ? 3 : 1];

	if (channels > VNPU_IMAGE_CHANNELS)
		return graph_fail(g, -EINVAL, "input '%.60s' has %lld channels, but an image has up to %d",
				  x->name, (long long)channels,
				  VNPU_IMAGE_CHANNELS);
	if (x->dims[0] > VNPU_IMAGE_BATCH)
		return graph_fail(g, -EINVAL, "input '%.60s' has a batch of %lld, but parameters are those of up to %d images",
				  x->name, (long long)x->dims[0],
				  VNPU_IMAGE_BATCH);
	if (a->max_bytes < x->dims[0])
		return graph_fail(g, -EINVAL, "max_src_image_size is %lld: must be the bytes of all %lld images of the batch",
				  (long long)a->max_bytes,
				  (long long)x->dims[0]);
	return 0;
}

/* Append the input with the parameters of @count images. */
static struct graph_value *add_parameters(struct graph *g, int64_t count)
{
	int64_t dims[] = { count, sizeof(struct vnpu_image) };
	struct graph_value **inputs, *v;
	char name[sizeof(OM_IMAGE_INPUT) + 16] = OM_IMAGE_INPUT;
	unsigned int number = 0;
	const char *kept;

	while (graph_find(g, name))
		snprintf(name, sizeof(name), OM_IMAGE_INPUT "_%u", ++number);
	kept = store_text(&g->store, name, strlen(name));
	v = kept ? graph_add_value(g, kept) : NULL;
	inputs = store_grow(&g->store, g->inputs, g->input_count,
			    sizeof(*inputs));
	if (!v || !inputs || graph_enter(g, v->name, v))
		return NULL;
	g->inputs = inputs;
	g->inputs[g->input_count++] = v;
	v->is_input = true;
	graph_set_shape(v, VNPU_DT_U8, 2, dims);
	return v;
}

/* Give the node its attributes. */
static int describe_node(struct graph *g, struct graph_node *n,
			 const struct edit_aipp *a, const int64_t *shape)
{
	struct graph_attr *attr = graph_add_attr(g, n, "sizes", GRAPH_INTS);
	int64_t *sizes = store_alloc(&g->store, 4, sizeof(*sizes));

	if (!attr || !sizes)
		return graph_status(g);
	memcpy(sizes, shape, 4 * sizeof(*sizes));
	attr->ints = sizes;
	attr->count = 4;
	attr = graph_add_attr(g, n, "last", GRAPH_INT);
	if (!attr)
		return graph_status(g);
	attr->i = a->is_nhwc;
	n->domain = OP_OWN;
	return 0;
}

int edit_dynamic_aipp(struct graph *g, const struct edit_aipp *a,
		      struct graph_value *x, struct om_image *image)
{
	struct graph_value *in[2], *made;
	uint32_t at = 0;

	if (check_use(g, a, x))
		return g->err;
	in[0] = edit_replace_input(g, x);
	in[1] = add_parameters(g, x->dims[0]);
	if (!in[0] || !in[1])
		return graph_status(g);
	graph_set_shape(in[0], VNPU_DT_U8, 1, &a->max_bytes);
	image->parameters = g->input_count - 1;
	made = edit_add_node(g, &at, "Image", 2, in,
			     x->dtype == VNPU_DT_F32 ? x : NULL);
	if (!made || describe_node(g, made->node, a, x->dims))
		return graph_status(g);
	if (made != x && !edit_add_cast(g, &at, made, x->dtype, x))
		return graph_status(g);
	return 0;
}
