// SPDX-License-Identifier: GPL-2.0-only
/* Images with parameters: whole planes, step by step, and hostile parameters. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "ops_test.h"
#include "../../lib/ops/image.h"

#define SIDE	40
#define BATCH	3

/* A picture as the test computes it: [channel][line][column]. */
struct picture {
	double at[4][SIDE][SIDE];
	int width, height, channels;
};

static bool has(const struct vnpu_image *p, unsigned int flag)
{
	return p->flags & flag;
}

/* Choose parameters that make a picture of @width x @height. */
static struct vnpu_image choose(int width, int height, int channels)
{
	struct vnpu_image p = {
		.magic = VNPU_IMAGE_MAGIC, .version = VNPU_IMAGE_VERSION,
	};
	unsigned int i;

	do {
		p.format = 1 + below(4);
		p.flags = below(VNPU_IMAGE_F_ALL + 1);
	} while (!vnpu_image_check_format(&p, &(struct vnpu_image_use){
			.channels = channels }, NULL));
	for (i = 0; i < 4 && has(&p, VNPU_IMAGE_F_PAD); i++) {
		int *size = i < 2 ? &width : &height;

		p.pad[i] = below(*size < 4 ? *size : 4);
		*size -= p.pad[i];
	}
	if (has(&p, VNPU_IMAGE_F_RESIZE)) {
		p.resize_to[0] = width;
		p.resize_to[1] = height;
		p.resize_from[0] = width = 1 + below(16);
		p.resize_from[1] = height = 1 + below(16);
	}
	p.width = width;
	p.height = height;
	if (has(&p, VNPU_IMAGE_F_CROP)) {
		p.crop[0] = below(5);
		p.crop[1] = below(5);
		p.crop[2] = width;
		p.crop[3] = height;
		p.width += p.crop[0] + below(3);
		p.height += p.crop[1] + below(3);
	}
	for (i = 0; i < 9; i++)
		p.matrix[i / 3][i % 3] = below(1024) - 512;
	for (i = 0; i < 3; i++) {
		p.bias_in[i] = below(256);
		p.bias_out[i] = below(256);
	}
	for (i = 0; i < 4; i++) {
		p.mean[i] = below(512) - 256;
		p.min[i] = uniform(-2, 2);
		p.factor[i] = uniform(-2, 2);
	}
	return p;
}

/* Choose, but with even sizes if the format needs them. */
static struct vnpu_image choose_valid(int width, int height, int channels)
{
	struct vnpu_image p;

	do
		p = choose(width, height, channels);
	while (p.format == VNPU_IMAGE_YUV420 && (p.width % 2 || p.height % 2));
	return p;
}

static void read_picture(struct picture *a, const struct vnpu_image *p,
			 const struct vnpu_tensor *bytes, int64_t from)
{
	int c, x, y;

	a->width = p->width;
	a->height = p->height;
	a->channels = vnpu_image_channels(p->format);
	for (c = 0; c < a->channels; c++)
		for (y = 0; y < a->height; y++)
			for (x = 0; x < a->width; x++) {
				int64_t at = from + (y * a->width + x) *
					     a->channels + c;

				if (p->format == VNPU_IMAGE_YUV420)
					at = !c ? from + y * a->width + x :
					     from + a->height * a->width +
					     y / 2 * a->width + x / 2 * 2 + c - 1;
				a->at[c][y][x] = get_int(bytes, at);
			}
}

static void crop(struct picture *a, const int32_t *part)
{
	int c, x, y;

	a->width = part[2];
	a->height = part[3];
	for (c = 0; c < 4; c++)
		for (y = 0; y < a->height; y++)
			for (x = 0; x < a->width; x++)
				a->at[c][y][x] = a->at[c][y + part[1]][x + part[0]];
}

static void change_pixels(struct picture *a, const struct vnpu_image *p)
{
	int x, y, i, k, first = p->format == VNPU_IMAGE_YUV420;

	for (y = 0; y < a->height; y++)
		for (x = 0; x < a->width; x++) {
			double v[4], kept;

			for (i = 0; i < 4; i++)
				v[i] = a->at[has(p, VNPU_IMAGE_F_SWAP_X) ?
					     (i + 1) % 4 : i][y][x];
			kept = v[first];
			if (has(p, VNPU_IMAGE_F_SWAP_RB)) {
				v[first] = v[2];
				v[2] = kept;
			}
			for (i = 0; i < 4; i++)
				a->at[i][y][x] = v[i];
			for (i = 0; i < 3 && has(p, VNPU_IMAGE_F_CONVERT); i++) {
				double sum = 0;

				for (k = 0; k < 3; k++)
					sum += p->matrix[i][k] *
					       (v[k] - p->bias_in[k]);
				sum = floor(sum / 256) + p->bias_out[i];
				a->at[i][y][x] = fmin(fmax(sum, 0), 255);
			}
		}
}

static double between(double at, double from, double to, int *low, int *high)
{
	double place = (at + 0.5) * from / to - 0.5;

	place = fmin(fmax(place, 0), from - 1);
	*low = floor(place + 1e-6);
	*high = *low + 1 < from ? *low + 1 : *low;
	return place - *low;
}

static void resize(struct picture *a, int width, int height)
{
	static struct picture b;
	int c, x, y, x0, x1, y0, y1;

	b = *a;
	for (c = 0; c < 4; c++)
		for (y = 0; y < height; y++)
			for (x = 0; x < width; x++) {
				double dx = between(x, a->width, width, &x0, &x1);
				double dy = between(y, a->height, height, &y0, &y1);

				b.at[c][y][x] =
					a->at[c][y0][x0] * (1 - dx) * (1 - dy) +
					a->at[c][y0][x1] * dx * (1 - dy) +
					a->at[c][y1][x0] * (1 - dx) * dy +
					a->at[c][y1][x1] * dx * dy;
			}
	b.width = width;
	b.height = height;
	*a = b;
}

/* Compute element [@c][@y][@x] of the result. */
static double final(const struct picture *a, const struct vnpu_image *p, int c,
		    int y, int x)
{
	if (has(p, VNPU_IMAGE_F_PAD)) {
		x -= p->pad[0];
		y -= p->pad[2];
	}
	if (x < 0 || y < 0 || x >= a->width || y >= a->height)
		return 0;
	return (a->at[c][y][x] - p->mean[c] - p->min[c]) * p->factor[c];
}

static bool is_picture(const struct vnpu_image *p,
		       const struct vnpu_tensor *bytes, int64_t from,
		       const struct vnpu_tensor *out, int64_t n, bool last)
{
	int64_t channels = out->dims[last ? 3 : 1];
	int64_t height = out->dims[last ? 1 : 2], c, y, x;
	int64_t width = out->dims[last ? 2 : 3];
	static struct picture a;

	memset(&a, 0, sizeof(a));
	read_picture(&a, p, bytes, from);
	if (has(p, VNPU_IMAGE_F_CROP))
		crop(&a, p->crop);
	change_pixels(&a, p);
	if (has(p, VNPU_IMAGE_F_RESIZE))
		resize(&a, p->resize_to[0], p->resize_to[1]);
	for (c = 0; c < channels; c++)
		for (y = 0; y < height; y++)
			for (x = 0; x < width; x++) {
				int64_t at = last ?
					((n * height + y) * width + x) * channels + c :
					((n * channels + c) * height + y) * width + x;

				EXPECT(is_near(out, at, final(&a, p, c, y, x),
					       2048));
			}
	return true;
}

static void put(const struct vnpu_tensor *records, int64_t n,
		const struct vnpu_image *p)
{
	const uint8_t *bytes = (const uint8_t *)p;
	size_t i;

	for (i = 0; i < sizeof(*p); i++)
		set_int(records, n * sizeof(*p) + i, bytes[i]);
}

static void launch_image(struct vnpu_op_launch *l,
			 const struct vnpu_tensor *bytes,
			 const struct vnpu_tensor *records,
			 const int64_t *sizes, bool last)
{
	launch(l, VNPU_OP_IMAGE, 2, 1, bytes, records, NULL);
	vnpu_op_set_ints(l, 0, sizes, 4);
	vnpu_op_set_int(l, 1, last);
}

static bool test_image(void)
{
	unsigned int round;

	for (round = 0; round < 300; round++) {
		int64_t batch = 1 + below(BATCH), c = 1 + below(4), total = 0, n;
		int64_t height = 1 + below(24), width = 1 + below(24);
		bool last = below(2);
		int64_t sizes[] = { batch, last ? height : c,
				    last ? width : height, last ? c : width };
		struct vnpu_tensor records = VIEW(VNPU_DT_U8, below(EXPANDED),
						  batch, sizeof(struct vnpu_image));
		struct vnpu_image p[BATCH];
		struct vnpu_tensor bytes;
		struct vnpu_op_launch l;

		for (n = 0; n < batch; n++) {
			int64_t end;

			p[n] = choose_valid(width, height, c);
			put(&records, n, &p[n]);
			end = (n + 1) * vnpu_image_bytes(&p[n]);
			total = end > total ? end : total;
		}
		bytes = VIEW(VNPU_DT_U8, below(EXPANDED), total);
		fill(&bytes, 0, 255);
		launch_image(&l, &bytes, &records, sizes, last);
		EXPECT(make_outputs(&l) && run(&l));
		for (n = 0; n < batch; n++)
			EXPECT(is_picture(&p[n], &bytes,
					  n * vnpu_image_bytes(&p[n]),
					  &l.tensor[2], n, last));
	}
	return true;
}

/* Any parameters give a result or an error; sanitizers watch the memory. */
static bool test_image_hostile(void)
{
	struct vnpu_tensor records = VIEW(VNPU_DT_U8, CONTIGUOUS, 1,
					  sizeof(struct vnpu_image));
	static const int32_t odd[] = { -1, 0, 1, 4, 4096, 4097, INT32_MAX,
				       INT32_MIN, 65536 };
	int64_t sizes[] = { 1, 3, 8, 8 };
	unsigned int round, valid = 0;

	for (round = 0; round < 20000; round++) {
		struct vnpu_image p = choose_valid(8, 8, 3);
		struct vnpu_tensor bytes = VIEW(VNPU_DT_U8, CONTIGUOUS,
						vnpu_image_bytes(&p));
		struct vnpu_op_launch l;
		unsigned int changes = below(3);
		int err;

		fill(&bytes, 0, 255);
		while (changes--) {
			int32_t value = odd[below(9)];

			if (below(2))
				((uint8_t *)&p)[below(sizeof(p))] = below(256);
			else
				memcpy((uint8_t *)&p + 4 * below(18), &value, 4);
		}
		put(&records, 0, &p);
		launch_image(&l, &bytes, &records, sizes, false);
		EXPECT(make_outputs(&l));
		err = vnpu_op_compute(&l, NULL);
		EXPECT(!err || err == -EBADMSG);
		valid += !err;
		free_views();
		records = VIEW(VNPU_DT_U8, CONTIGUOUS, 1, sizeof(p));
	}
	EXPECT(valid > round / 4 && valid < round);
	return true;
}

static bool is_wrong(struct vnpu_image p, const char *text)
{
	struct vnpu_image_use use = {
		.bytes = 192, .width = 8, .height = 8, .channels = 3,
	};
	char wrong[VNPU_IMAGE_TEXT];

	EXPECT(!vnpu_image_check(&p, &use, wrong) && strstr(wrong, text));
	EXPECT(!vnpu_image_check(&p, &use, NULL));
	return true;
}

/* What is said about each mistake. */
static bool test_image_errors(void)
{
	const struct vnpu_image good = {
		.magic = VNPU_IMAGE_MAGIC, .version = VNPU_IMAGE_VERSION,
		.format = VNPU_IMAGE_RGB, .width = 8, .height = 8,
		.crop = { 0, 0, 8, 8 }, .resize_from = { 8, 8 },
		.resize_to = { 8, 8 },
		.flags = VNPU_IMAGE_F_CROP | VNPU_IMAGE_F_RESIZE |
			 VNPU_IMAGE_F_PAD,
	};
	struct vnpu_image_use use = {
		.bytes = 192, .width = 8, .height = 8, .channels = 3,
	};
	struct vnpu_image p;

#define WRONG(field, value, text) \
	p = good; p.field = value; EXPECT(is_wrong(p, text))
	EXPECT(vnpu_image_check(&good, &use, NULL));
	WRONG(magic, 0, "no parameters: magic 0x0 and version 1, expected 0x50504941 and 1");
	WRONG(version, 2, "no parameters: magic 0x50504941 and version 2");
	WRONG(format, 0, "format 0");
	WRONG(format, 5, "format 5, expected YUV420SP_U8 (1)");
	WRONG(flags, 0x40, "flags 0x40, expected bits of 0x3f");
	WRONG(flags, VNPU_IMAGE_F_SWAP_X, "four channels, not 3");
	WRONG(format, VNPU_IMAGE_GRAY, "3, expected up to 1");
	WRONG(width, 4097, "4097 x 8, expected 1 to 4096");
	WRONG(height, 0, "8 x 0, expected 1 to 4096");
	WRONG(width, 9, "more bytes than the input: 216, expected up to 192");
	WRONG(crop[0], 1, "8 x 8 pixels at column 1 and line 0, expected one in the image of 8 x 8");
	WRONG(crop[1], INT32_MIN, "line -2147483648");
	WRONG(crop[2], 7, "8 x 8 and 8 x 8, expected 7 x 8");
	WRONG(resize_to[0], 5000, "5000 x 8, expected 8 x 8 and 1 to 4096");
	WRONG(resize_to[0], 9, "another size than the model needs: 9 x 8, expected 8 x 8");
	WRONG(pad[3], 1, "another size than the model needs: 8 x 9");
	WRONG(pad[2], -1, "negative: 0, 0, -1, 0");
	WRONG(pad[0], INT32_MAX, "2147483655 x 8");
#undef WRONG
	p = good;
	p.format = VNPU_IMAGE_YUV420;
	p.width = 7;
	EXPECT(is_wrong(p, "7 x 8, expected even sizes"));
	p = good;
	p.format = VNPU_IMAGE_GRAY;
	p.flags = VNPU_IMAGE_F_CONVERT;
	EXPECT(is_wrong(p, "1 channel has no colours"));
	use.number = 1;
	EXPECT(!vnpu_image_check(&good, &use, NULL));
	return true;
}

static bool is_refused(const struct vnpu_tensor *bytes,
		       const struct vnpu_tensor *records, const int64_t *sizes)
{
	struct vnpu_op_launch l;

	launch_image(&l, bytes, records, sizes, false);
	return vnpu_op_infer(&l, NULL) == -EINVAL;
}

static bool test_image_launch(void)
{
	const int64_t size = sizeof(struct vnpu_image);
	struct vnpu_tensor bytes = VIEW(VNPU_DT_U8, CONTIGUOUS, 12);
	struct vnpu_tensor records = VIEW(VNPU_DT_U8, CONTIGUOUS, 1, size);
	struct vnpu_tensor wide = VIEW(VNPU_DT_I8, CONTIGUOUS, 12);
	struct vnpu_tensor plane = VIEW(VNPU_DT_U8, CONTIGUOUS, 3, 4);
	struct vnpu_tensor short_one = VIEW(VNPU_DT_U8, CONTIGUOUS, 1, size - 1);
	int64_t good[] = { 1, 3, 2, 2 }, two[] = { 2, 3, 2, 2 };
	int64_t five[] = { 1, 5, 2, 2 }, none[] = { 1, 3, 0, 2 };
	int64_t huge[] = { 1, 3, 2, 2 * VNPU_IMAGE_MAX + 1 };
	struct vnpu_op_launch l;

	EXPECT(!is_refused(&bytes, &records, good));
	EXPECT(is_refused(&bytes, &records, two));
	EXPECT(is_refused(&bytes, &records, five));
	EXPECT(is_refused(&bytes, &records, none));
	EXPECT(is_refused(&bytes, &records, huge));
	EXPECT(is_refused(&wide, &records, good));
	EXPECT(is_refused(&plane, &records, good));
	EXPECT(is_refused(&bytes, &short_one, good));
	launch_image(&l, &bytes, &records, good, false);
	vnpu_op_set_ints(&l, 0, good, 3);
	EXPECT(vnpu_op_infer(&l, NULL) == -EINVAL);
	return true;
}

const struct test image_tests[] = {
	{ "image", test_image },
	{ "image_hostile", test_image_hostile },
	{ "image_errors", test_image_errors },
	{ "image_launch", test_image_launch },
	{ }
};
