// SPDX-License-Identifier: MIT
/* Preprocessing of images. See aipp.h. */
#include <errno.h>
#include <string.h>

#include "edit/aipp.h"

/**
 * struct image - an image on its way to the model's input
 * @g: the graph
 * @a: the preprocessing
 * @at: where nodes are inserted
 * @v: the image: lines, columns, channels, behind the batch
 * @batch: number of images
 * @height: lines
 * @width: columns
 * @channels: channels
 */
struct image {
	struct graph *g;
	const struct edit_aipp *a;
	uint32_t at;
	struct graph_value *v;
	int64_t batch;
	int64_t height;
	int64_t width;
	int64_t channels;
};

static struct graph_value *ints(struct image *m, unsigned int count,
				const int64_t *values)
{
	int64_t dims[] = { count };

	return graph_add_constant(m->g, VNPU_DT_I64, 1, dims, values, true);
}

static struct graph_value *floats(struct image *m, unsigned int rank,
				  const int64_t *dims, const float *values)
{
	return graph_add_constant(m->g, VNPU_DT_F32, rank, dims, values, true);
}

static void two(struct image *m, const char *type, struct graph_value *with)
{
	m->v = edit_add_node(m->g, &m->at, type, 2,
			     (struct graph_value *[]){ m->v, with }, NULL);
}

static struct graph_value *reshape(struct image *m, struct graph_value *v,
				   const char *type, unsigned int rank,
				   const int64_t *dims)
{
	struct graph_value *in[] = { v, ints(m, rank, dims) };

	return edit_add_node(m->g, &m->at, type, 2, in, NULL);
}

static struct graph_value *slice(struct image *m, struct graph_value *v,
				 int64_t axis, int64_t from, int64_t to)
{
	struct graph_value *in[] = { v, ints(m, 1, &from), ints(m, 1, &to),
				     ints(m, 1, &axis) };

	return edit_add_node(m->g, &m->at, "Slice", 4, in, NULL);
}

static struct graph_value *concat(struct image *m, struct graph_value *v,
				  struct graph_value *w)
{
	struct graph_value *in[] = { v, w }, *out;
	struct graph_attr *axis;

	out = edit_add_node(m->g, &m->at, "Concat", 2, in, NULL);
	axis = out ? graph_add_attr(m->g, out->node, "axis", GRAPH_INT) : NULL;
	if (!axis)
		return NULL;
	axis->i = 3;
	return out;
}

/* Use each pair of U and V for four pixels. */
static void spread_colours(struct image *m)
{
	int64_t n = m->batch, h = m->height, w = m->width;
	int64_t pairs[] = { n, h / 2, 1, w / 2, 1, 2 };
	int64_t pixels[] = { n, h / 2, 2, w / 2, 2, 2 };
	int64_t plane[] = { n, h, w, 2 };
	struct graph_value *y, *uv;

	y = slice(m, m->v, 1, 0, h);
	uv = slice(m, m->v, 1, h, h + h / 2);
	uv = reshape(m, uv, "Reshape", 6, pairs);
	uv = reshape(m, uv, "Expand", 6, pixels);
	uv = reshape(m, uv, "Reshape", 4, plane);
	m->v = concat(m, y, uv);
}

static void crop(struct image *m)
{
	const struct edit_aipp *a = m->a;

	m->v = slice(m, m->v, 1, a->crop_y, a->crop_y + m->height);
	m->v = slice(m, m->v, 2, a->crop_x, a->crop_x + m->width);
}

/* Put the channels into another order. */
static void swap(struct image *m)
{
	uint32_t flags = (m->a->swaps_x ? VNPU_IMAGE_F_SWAP_X : 0) |
			 (m->a->swaps_rb ? VNPU_IMAGE_F_SWAP_RB : 0);
	int64_t order[VNPU_IMAGE_CHANNELS];
	struct graph_attr *axis;

	vnpu_image_order(m->a->format, flags, order);
	two(m, "Gather", ints(m, m->channels, order));
	axis = m->v ? graph_add_attr(m->g, m->v->node, "axis", GRAPH_INT) : NULL;
	if (axis)
		axis->i = 3;
}

static void convert(struct image *m)
{
	const struct edit_aipp *a = m->a;
	int64_t dims[] = { 3, 3 };
	float turned[3][3], zero = 0, most = 255;
	struct graph_value *in[3];
	unsigned int i, k;

	for (i = 0; i < 3; i++)
		for (k = 0; k < 3; k++)
			turned[k][i] = a->matrix[i][k] / 256;
	if (m->channels > 3)
		m->v = slice(m, m->v, 3, 0, 3);
	m->channels = 3;
	two(m, "Sub", floats(m, 1, dims, a->bias_in));
	two(m, "MatMul", floats(m, 2, dims, turned[0]));
	/* A byte has no fraction; the devices shift by 8 bits. */
	m->v = edit_add_node(m->g, &m->at, "Floor", 1, &m->v, NULL);
	two(m, "Add", floats(m, 1, dims, a->bias_out));
	in[0] = m->v;
	in[1] = floats(m, 0, NULL, &zero);
	in[2] = floats(m, 0, NULL, &most);
	m->v = edit_add_node(m->g, &m->at, "Clip", 3, in, NULL);
}

static void normalise(struct image *m)
{
	int64_t dims[] = { m->channels };
	float offset[VNPU_IMAGE_CHANNELS];
	unsigned int i;

	for (i = 0; i < VNPU_IMAGE_CHANNELS; i++)
		offset[i] = m->a->mean[i] + m->a->min[i];
	two(m, "Sub", floats(m, 1, dims, offset));
	two(m, "Mul", floats(m, 1, dims, m->a->scale));
}

static void pad(struct image *m)
{
	const int64_t *p = m->a->pad;
	int64_t sizes[] = { 0, p[2], p[0], 0, 0, p[3], p[1], 0 };
	struct graph_value *in[] = { m->v, ints(m, 8, sizes),
				     floats(m, 0, NULL, &m->a->pad_value) };

	m->v = edit_add_node(m->g, &m->at, "Pad", 3, in, NULL);
}

/* Compute the model's input from the image. */
static int finish(struct image *m, struct graph_value *x)
{
	static const int64_t order[] = { 0, 3, 1, 2 };
	const char *type = m->a->is_nhwc ? "Identity" : "Transpose";
	struct graph_attr *perm;

	if (x->dtype != VNPU_DT_F32)
		m->v = edit_add_cast(m->g, &m->at, m->v, x->dtype, NULL);
	if (!edit_add_node(m->g, &m->at, type, 1, &m->v, x))
		return graph_status(m->g);
	if (m->a->is_nhwc)
		return 0;
	perm = graph_add_attr(m->g, x->node, "perm", GRAPH_INTS);
	if (!perm)
		return graph_status(m->g);
	perm->ints = (int64_t *)order;
	perm->count = 4;
	return 0;
}

/* Check that an input can be made of an image. */
static int check_input(struct graph *g, const struct graph_value *x)
{
	unsigned int i;

	if (!x->has_shape || x->rank != 4)
		return graph_fail(g, -EINVAL, "input '%.60s' is %s, but an image has four dimensions: give its shape",
				  x->name, GRAPH_DESCRIBE(x));
	if (x->dtype != VNPU_DT_F32 && x->dtype != VNPU_DT_F16)
		return graph_fail(g, -EOPNOTSUPP, "input '%.60s' is %s; only f32 and f16 can be made of images",
				  x->name, GRAPH_DESCRIBE(x));
	for (i = 0; i < 4; i++)
		if (x->dims[i] < 1 || x->dims[i] > INT32_MAX)
			return graph_fail(g, -EINVAL, "input '%.60s' is %s: give its shape",
					  x->name, GRAPH_DESCRIBE(x));
	return 0;
}

/* Find the sizes of the image, and check that they fit the model's input. */
static int take_sizes(struct image *m, const struct graph_value *x,
		      int64_t *dims)
{
	const struct edit_aipp *a = m->a;
	unsigned int c = a->is_nhwc ? 3 : 1, h = a->is_nhwc ? 1 : 2;
	int64_t height, width;

	m->batch = x->dims[0];
	m->channels = vnpu_image_channels(a->format);
	height = x->dims[h] - (a->pads ? a->pad[2] + a->pad[3] : 0);
	width = x->dims[h + 1] - (a->pads ? a->pad[0] + a->pad[1] : 0);
	m->height = a->crops && a->crop_height ? a->crop_height : height;
	m->width = a->crops && a->crop_width ? a->crop_width : width;
	dims[0] = m->batch;
	dims[1] = a->height ? a->height : m->height;
	dims[2] = a->width ? a->width : m->width;
	dims[3] = m->channels;
	if (m->height != height || m->width != width ||
	    (!a->crops && (dims[1] != height || dims[2] != width)))
		return graph_fail(m->g, -EINVAL, "input '%.60s' needs an image of %lld x %lld, but the preprocessing makes %lld x %lld: crop or pad it",
				  x->name, (long long)width, (long long)height,
				  (long long)(a->crops ? m->width : dims[2]),
				  (long long)(a->crops ? m->height : dims[1]));
	if (a->crop_x + m->width > dims[2] || a->crop_y + m->height > dims[1])
		return graph_fail(m->g, -EINVAL, "a part of %lld x %lld at %lld, %lld is outside of the image of %lld x %lld",
				  (long long)m->width, (long long)m->height,
				  (long long)a->crop_x, (long long)a->crop_y,
				  (long long)dims[2], (long long)dims[1]);
	if (x->dims[c] > (a->converts && m->channels > 3 ? 3 : m->channels))
		return graph_fail(m->g, -EINVAL, "input '%.60s' has %lld channels, but the image has %lld",
				  x->name, (long long)x->dims[c],
				  (long long)m->channels);
	if (a->format == VNPU_IMAGE_YUV420 && (dims[1] % 2 || dims[2] % 2))
		return graph_fail(m->g, -EINVAL, "an image of %lld x %lld cannot be YUV420SP_U8; both sizes must be even",
				  (long long)dims[2], (long long)dims[1]);
	return 0;
}

static int check(struct graph *g, const struct edit_aipp *a)
{
	if (a->converts && vnpu_image_channels(a->format) < 3)
		return graph_fail(g, -EINVAL, "an image of one channel has no colours to be converted: set csc_switch to false");
	if (a->swaps_rb && vnpu_image_channels(a->format) < 3)
		return graph_fail(g, -EINVAL, "an image of one channel has no colours to be swapped: set rbuv_swap_switch to false");
	if (a->swaps_x && vnpu_image_channels(a->format) < 4)
		return graph_fail(g, -EINVAL, "ax_swap_switch needs an image of four channels: XRGB8888_U8");
	return 0;
}

/* Replace the input @x by an image. */
static void open_image(struct image *m, struct graph_value *x,
		       const int64_t *dims)
{
	int64_t planes[] = { dims[0], dims[1] * 3 / 2, dims[2], 1 };
	int64_t height = m->height, width = m->width;

	m->v = edit_replace_input(m->g, x);
	if (!m->v)
		return;
	graph_set_shape(m->v, VNPU_DT_U8, 4,
			m->a->format == VNPU_IMAGE_YUV420 ? planes : dims);
	if (m->a->format != VNPU_IMAGE_YUV420)
		return;
	m->height = dims[1];
	m->width = dims[2];
	spread_colours(m);
	m->height = height;
	m->width = width;
}

/* Apply the preprocessing to the image of the input @x. */
static int edit_static_aipp(struct image *m, struct graph_value *x,
			    struct om_image *image)
{
	const struct edit_aipp *a = m->a;
	int64_t dims[4], channels;

	if (check(m->g, a) || take_sizes(m, x, dims))
		return m->g->err;
	image->size[0] = dims[2];
	image->size[1] = dims[1];
	if (a->crops) {
		image->crop[2] = m->width;
		image->crop[3] = m->height;
	}
	channels = x->dims[a->is_nhwc ? 3 : 1];
	open_image(m, x, dims);
	if (a->crops)
		crop(m);
	if (a->swaps_rb || a->swaps_x)
		swap(m);
	m->v = edit_add_cast(m->g, &m->at, m->v, VNPU_DT_F32, NULL);
	if (a->converts)
		convert(m);
	if (m->channels > channels) {
		m->channels = channels;
		m->v = slice(m, m->v, 3, 0, channels);
	}
	normalise(m);
	if (a->pads)
		pad(m);
	return m->v ? finish(m, x) : graph_status(m->g);
}

/* Fill in what a file says about the preprocessing, but for sizes of images. */
static void describe(const struct edit_aipp *a, struct om_image *image)
{
	unsigned int i;

	image->format = a->format;
	image->crops = a->crops;
	image->crop[0] = a->crop_x;
	image->crop[1] = a->crop_y;
	image->pads = a->pads;
	for (i = 0; i < 4; i++)
		image->pad[i] = a->pad[i];
	image->converts = a->converts;
	image->swaps_rb = a->swaps_rb;
	image->swaps_x = a->swaps_x;
	memcpy(image->matrix, a->matrix, sizeof(image->matrix));
	memcpy(image->bias_in, a->bias_in, sizeof(image->bias_in));
	memcpy(image->bias_out, a->bias_out, sizeof(image->bias_out));
	memcpy(image->mean, a->mean, sizeof(image->mean));
	memcpy(image->min, a->min, sizeof(image->min));
	memcpy(image->factor, a->scale, sizeof(image->factor));
}

int edit_aipp(struct graph *g, const struct edit_aipp *a,
	      struct om_image *image, int64_t *shape)
{
	struct image m = { .g = g, .a = a };
	struct graph_value *x;
	unsigned int rank = 0;

	if (!a->input && a->rank >= g->input_count)
		return graph_fail(g, -EINVAL, "the model has %u inputs, so there is no input number %u",
				  g->input_count, a->rank);
	x = a->input ? edit_find_input(g, a->input) : g->inputs[a->rank];
	if (!x || check_input(g, x))
		return g->err;
	while (g->inputs[rank] != x)
		rank++;
	*image = (struct om_image){
		.input = rank, .parameters = -1, .dtype = x->dtype,
		.layout = a->is_nhwc ? OM_FORMAT_NHWC : OM_FORMAT_NCHW,
	};
	memcpy(shape, x->dims, 4 * sizeof(*shape));
	if (a->is_dynamic)
		return edit_dynamic_aipp(g, a, x, image);
	describe(a, image);
	return edit_static_aipp(&m, x, image);
}
