// SPDX-License-Identifier: MIT
/*
 * image: images become a tensor, as the parameters of each say (image.h).
 *
 * A line of the output is computed at a time. The parameters may change while
 * they are read, so each line has a copy, which is checked. Colours are converted
 * in integers and rounded down, as the devices do. Resizing is linear between
 * the middles of pixels, of the colours as they are after conversion; its results
 * are not rounded to integers.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "families.h"
#include "image.h"
#include "vec/vec.h"
#include "walk.h"

enum { IMAGE, PARAMETERS };

/**
 * struct source - an image
 * @p: its parameters, which are valid
 * @data: its first byte
 * @step: bytes from one byte to the next
 * @order: the channel of the image for each channel of the result
 */
struct source {
	struct vnpu_image p;
	const uint8_t *data;
	int64_t step;
	int64_t order[VNPU_IMAGE_CHANNELS];
};

static bool is_last(const struct vnpu_op_launch *l, const struct ops_op *op)
{
	return ops_int(op, l, 1);
}

int ops_image_infer(struct ops_call *c)
{
	const union vnpu_op_word *sizes = CALL_INTS(c, 0);
	struct ops_shape *out = &c->out[0];
	int64_t record[] = { 0, sizeof(struct vnpu_image) }, channels;
	unsigned int i;
	int err;

	if (sizes[0].i != 4)
		return ops_fail(c, -1, -EINVAL,
				"sizes: expected 4 of them, given %lld",
				(long long)sizes[0].i);
	for (i = 0; i < 4; i++) {
		int64_t most = i ? 2 * VNPU_IMAGE_MAX : VNPU_IMAGE_BATCH;

		if (sizes[1 + i].i < 1 || sizes[1 + i].i > most)
			return ops_fail(c, -1, -EINVAL,
					"sizes: expected 1 to %lld, given %lld",
					(long long)most,
					(long long)sizes[1 + i].i);
		out->dims[i] = sizes[1 + i].i;
	}
	channels = out->dims[is_last(c->l, c->op) ? 3 : 1];
	if (channels > VNPU_IMAGE_CHANNELS)
		return ops_fail(c, -1, -EINVAL,
				"sizes: expected up to %d channels, given %lld",
				VNPU_IMAGE_CHANNELS, (long long)channels);
	for (i = IMAGE; i <= PARAMETERS; i++)
		if (c->l->tensor[i].dtype != VNPU_DT_U8)
			return ops_fail(c, i, -EINVAL, "expected u8, given %s",
					vnpu_dtype_name(c->l->tensor[i].dtype));
	record[0] = out->dims[0];
	err = ops_need_rank(c, IMAGE, 1, 1);
	if (!err)
		err = ops_need_shape(c, PARAMETERS, 2, record);
	out->rank = 4;
	out->dtype = VNPU_DT_F32;
	out->castable = true;
	return err;
}

void ops_image_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	bool last = is_last(&job->launch, job->op);

	job->scratch = VNPU_IMAGE_CHANNELS * out->dims[last ? 2 : 3] *
		       sizeof(float);
	job->parts = ops_parts(vnpu_tensor_elements(out) * 16.0,
			       out->dims[0] * out->dims[last ? 1 : 2]);
}

/* Copy the parameters of an image, and check the copy. */
static int open_source(struct source *s, const struct vnpu_op_job *job,
		       const struct vnpu_image_use *use)
{
	const struct vnpu_tensor *from = &job->launch.tensor[PARAMETERS];
	const struct vnpu_tensor *image = &job->launch.tensor[IMAGE];
	const uint8_t *record = ops_data(from) + use->number * from->strides[0];
	uint8_t *to = (uint8_t *)&s->p;
	unsigned int i;

	for (i = 0; i < sizeof(s->p); i++)
		to[i] = record[i * from->strides[1]];
	if (!vnpu_image_check(&s->p, use, NULL))
		return -EBADMSG;
	s->step = image->strides[0];
	s->data = ops_data(image) +
		  use->number * vnpu_image_bytes(&s->p) * s->step;
	vnpu_image_order(s->p.format, s->p.flags, s->order);
	return 0;
}

static int clamp_byte(int64_t value)
{
	return value < 0 ? 0 : value > 255 ? 255 : value;
}

/* Load the channels of a pixel in their final order, and convert its colours. */
static void load_pixel(const struct source *s, int64_t x, int64_t y, float *to)
{
	const struct vnpu_image *p = &s->p;
	int64_t channels = vnpu_image_channels(p->format), at, sum;
	uint8_t bytes[VNPU_IMAGE_CHANNELS] = { 0 };
	unsigned int i, k;

	if (p->flags & VNPU_IMAGE_F_CROP) {
		x += p->crop[0];
		y += p->crop[1];
	}
	at = y * p->width + x;
	if (p->format == VNPU_IMAGE_YUV420) {
		bytes[0] = s->data[at * s->step];
		at = (p->height + y / 2) * p->width + x / 2 * 2;
		bytes[1] = s->data[at * s->step];
		bytes[2] = s->data[(at + 1) * s->step];
	} else {
		for (i = 0; i < channels; i++)
			bytes[i] = s->data[(at * channels + i) * s->step];
	}
	for (i = 0; i < VNPU_IMAGE_CHANNELS; i++)
		to[i] = bytes[s->order[i]];
	if (!(p->flags & VNPU_IMAGE_F_CONVERT))
		return;
	for (i = 0; i < 3; i++) {
		sum = 0;
		for (k = 0; k < 3; k++)
			sum += p->matrix[i][k] *
			       (bytes[s->order[k]] - p->bias_in[k]);
		to[i] = clamp_byte((sum >> 8) + p->bias_out[i]);
	}
}

/* Find the pixels on both sides of a place, and the weight of the second one. */
static float find_sides(int64_t at, int64_t from, int64_t to, int64_t *sides)
{
	float place = (at + 0.5f) * ((float)from / to) - 0.5f;

	place = place < 0 ? 0 : place > from - 1 ? from - 1 : place;
	sides[0] = place;
	sides[1] = sides[0] + 1 < from ? sides[0] + 1 : sides[0];
	return place - sides[0];
}

/* Compute a pixel between four others. */
static void resize_pixel(const struct source *s, int64_t x, int64_t y, float *to)
{
	const struct vnpu_image *p = &s->p;
	float corner[4][VNPU_IMAGE_CHANNELS], right, down, top, bottom;
	int64_t columns[2], lines[2];
	unsigned int i;

	right = find_sides(x, p->resize_from[0], p->resize_to[0], columns);
	down = find_sides(y, p->resize_from[1], p->resize_to[1], lines);
	for (i = 0; i < 4; i++)
		load_pixel(s, columns[i % 2], lines[i / 2], corner[i]);
	for (i = 0; i < VNPU_IMAGE_CHANNELS; i++) {
		top = corner[0][i] + right * (corner[1][i] - corner[0][i]);
		bottom = corner[2][i] + right * (corner[3][i] - corner[2][i]);
		to[i] = top + down * (bottom - top);
	}
}

/* Compute a line: @width numbers for each channel. */
static void compute_line(const struct source *s, int64_t y,
			 const struct vnpu_image_use *use, float *line)
{
	const struct vnpu_image *p = &s->p;
	int64_t first = 0, end = use->width, height = use->height, x, c;
	float pixel[VNPU_IMAGE_CHANNELS];

	memset(line, 0, use->channels * use->width * sizeof(*line));
	if (p->flags & VNPU_IMAGE_F_PAD) {
		first = p->pad[0];
		end -= p->pad[1];
		y -= p->pad[2];
		height -= p->pad[2] + p->pad[3];
	}
	if (y < 0 || y >= height)
		return;
	for (x = first; x < end; x++) {
		if (p->flags & VNPU_IMAGE_F_RESIZE)
			resize_pixel(s, x - first, y, pixel);
		else
			load_pixel(s, x - first, y, pixel);
		for (c = 0; c < use->channels; c++)
			line[c * use->width + x] =
				(pixel[c] - (p->mean[c] + p->min[c])) *
				p->factor[c];
	}
}

int ops_image_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	unsigned int c = is_last(&job->launch, job->op) ? 3 : 1;
	unsigned int h = c == 3 ? 1 : 2, i;
	struct vnpu_image_use use = {
		.bytes = job->launch.tensor[IMAGE].dims[0],
		.width = out->dims[h + 1],
		.height = out->dims[h],
		.channels = out->dims[c],
	};
	int64_t at, end, place;
	float *line = w->scratch;
	struct source s;

	ops_share(w, out->dims[0] * use.height, 1, &at, &end);
	for (; at < end; at++) {
		use.number = at / use.height;
		if (open_source(&s, job, &use))
			return -EBADMSG;
		compute_line(&s, at % use.height, &use, line);
		place = use.number * out->strides[0] +
			at % use.height * out->strides[h];
		for (i = 0; i < use.channels; i++)
			ops_vec->store[OPS_F][out->dtype](ops_data(out) +
				(place + i * out->strides[c]) *
				ops_size(out->dtype), out->strides[h + 1],
				line + i * use.width, use.width);
	}
	return 0;
}
