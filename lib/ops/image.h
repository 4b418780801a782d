/* SPDX-License-Identifier: MIT */
/*
 * Parameters of an image that a model preprocesses: what a run gives it (dynamic
 * AIPP). They are in device memory, a record for each image of the batch, and
 * the program that writes them is not trusted.
 *
 *	crop, swap channels, convert colours, resize, subtract and scale, pad
 */
#ifndef VNPU_OPS_IMAGE_H
#define VNPU_OPS_IMAGE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define VNPU_IMAGE_MAGIC	0x50504941	/* "AIPP" */
#define VNPU_IMAGE_VERSION	1
#define VNPU_IMAGE_CHANNELS	4

/* The largest width and height before and after each step; CANN's, too. */
#define VNPU_IMAGE_MAX		4096

/* The most images of a batch. The library keeps their parameters in 9 MiB. */
#define VNPU_IMAGE_BATCH	65536

/**
 * enum vnpu_image_format - formats, with the numbers of aclAippInputFormat
 * @VNPU_IMAGE_YUV420: a plane of Y, and one of pairs of U and V with half of the
 *	lines (YUV420SP_U8)
 * @VNPU_IMAGE_XRGB: four bytes for each pixel, the first one without a meaning
 * @VNPU_IMAGE_RGB: three bytes for each pixel
 * @VNPU_IMAGE_GRAY: a byte for each pixel (YUV400_U8)
 */
enum vnpu_image_format {
	VNPU_IMAGE_YUV420 = 1,
	VNPU_IMAGE_XRGB,
	VNPU_IMAGE_RGB,
	VNPU_IMAGE_GRAY,
};

/* Steps that are done; without its flag, a step's parameters have no meaning. */
#define VNPU_IMAGE_F_CROP	0x01
#define VNPU_IMAGE_F_SWAP_RB	0x02
#define VNPU_IMAGE_F_SWAP_X	0x04
#define VNPU_IMAGE_F_CONVERT	0x08
#define VNPU_IMAGE_F_RESIZE	0x10
#define VNPU_IMAGE_F_PAD	0x20
#define VNPU_IMAGE_F_ALL	0x3f

/**
 * struct vnpu_image - the parameters of an image
 * @magic: VNPU_IMAGE_MAGIC
 * @version: VNPU_IMAGE_VERSION
 * @format: enum vnpu_image_format
 * @flags: VNPU_IMAGE_F_*
 * @width: columns of the image
 * @height: its lines
 * @crop: first column, first line, columns and lines of the part that is used
 * @resize_from: columns and lines before the image is resized
 * @resize_to: columns and lines afterwards
 * @pad: borders of zeros: left, right, top, bottom
 * @matrix: colours become matrix * (x - bias_in) / 256 + bias_out
 * @bias_in: see @matrix
 * @bias_out: likewise
 * @mean: number to subtract from each channel
 * @min: second number to subtract
 * @factor: factor of each channel afterwards
 */
struct vnpu_image {
	uint32_t magic;
	uint32_t version;
	uint32_t format;
	uint32_t flags;
	int32_t width;
	int32_t height;
	int32_t crop[4];
	int32_t resize_from[2];
	int32_t resize_to[2];
	int32_t pad[4];
	int16_t matrix[3][3];
	uint8_t bias_in[3];
	uint8_t bias_out[3];
	int16_t mean[VNPU_IMAGE_CHANNELS];
	float min[VNPU_IMAGE_CHANNELS];
	float factor[VNPU_IMAGE_CHANNELS];
};

_Static_assert(sizeof(struct vnpu_image) == 136, "the format of version 1");

/**
 * struct vnpu_image_use - where an image comes from, and what a model needs
 * @number: number of the image in the batch
 * @bytes: bytes of all images
 * @width: columns that the model needs
 * @height: lines
 * @channels: channels
 */
struct vnpu_image_use {
	int64_t number;
	int64_t bytes;
	int64_t width;
	int64_t height;
	int64_t channels;
};

/* Get the channels of a format that is valid. */
static inline int64_t vnpu_image_channels(uint32_t format)
{
	return format == VNPU_IMAGE_GRAY ? 1 : format == VNPU_IMAGE_XRGB ? 4 : 3;
}

/*
 * Get the order of the channels after VNPU_IMAGE_F_SWAP_X and VNPU_IMAGE_F_SWAP_RB,
 * if @flags has them: a channel of the image for each of the result.
 */
static inline void vnpu_image_order(uint32_t format, uint32_t flags,
				    int64_t order[VNPU_IMAGE_CHANNELS])
{
	unsigned int i, first = format == VNPU_IMAGE_YUV420;
	int64_t kept;

	for (i = 0; i < VNPU_IMAGE_CHANNELS; i++)
		order[i] = flags & VNPU_IMAGE_F_SWAP_X ? (i + 1) % 4 : i;
	if (!(flags & VNPU_IMAGE_F_SWAP_RB))
		return;
	kept = order[first];
	order[first] = order[2];
	order[2] = kept;
}

/* Get the bytes of an image with parameters that are valid. */
static inline int64_t vnpu_image_bytes(const struct vnpu_image *p)
{
	int64_t pixels = (int64_t)p->width * p->height;

	return p->format == VNPU_IMAGE_YUV420 ? pixels / 2 * 3 :
	       pixels * vnpu_image_channels(p->format);
}

/* Room for a message of vnpu_image_check(). */
#define VNPU_IMAGE_TEXT		192

/* Compose a message: what is wrong, and what is expected. Return false. */
__attribute__((format(printf, 2, 3)))
static inline bool vnpu_image_fail(char *text, const char *format, ...)
{
	va_list args;

	if (!text)
		return false;
	va_start(args, format);
	vsnprintf(text, VNPU_IMAGE_TEXT, format, args);
	va_end(args);
	return false;
}

/* Check the format of an image, and what needs its channels. */
static inline bool vnpu_image_check_format(const struct vnpu_image *p,
					   const struct vnpu_image_use *use,
					   char *text)
{
	int64_t channels;

	if (p->magic != VNPU_IMAGE_MAGIC || p->version != VNPU_IMAGE_VERSION)
		return vnpu_image_fail(text, "there are no parameters: magic 0x%x and version %u, expected 0x%x and %d",
				       p->magic, p->version, VNPU_IMAGE_MAGIC,
				       VNPU_IMAGE_VERSION);
	if (p->format < VNPU_IMAGE_YUV420 || p->format > VNPU_IMAGE_GRAY)
		return vnpu_image_fail(text, "format %u, expected YUV420SP_U8 (1), XRGB8888_U8 (2), RGB888_U8 (3) or YUV400_U8 (4)",
				       p->format);
	if (p->flags & ~VNPU_IMAGE_F_ALL)
		return vnpu_image_fail(text, "a step is not known: flags 0x%x, expected bits of 0x%x",
				       p->flags, VNPU_IMAGE_F_ALL);
	channels = vnpu_image_channels(p->format);
	if (p->flags & VNPU_IMAGE_F_SWAP_X && channels < 4)
		return vnpu_image_fail(text, "the switch for AX needs an image of four channels, not %lld",
				       (long long)channels);
	if (p->flags & (VNPU_IMAGE_F_CONVERT | VNPU_IMAGE_F_SWAP_RB) &&
	    channels < 3)
		return vnpu_image_fail(text, "an image of %lld channel has no colours to be converted or swapped",
				       (long long)channels);
	if (p->flags & VNPU_IMAGE_F_CONVERT)
		channels = 3;
	if (use->channels > channels)
		return vnpu_image_fail(text, "the model has more channels than the image: %lld, expected up to %lld",
				       (long long)use->channels,
				       (long long)channels);
	return true;
}

static inline bool vnpu_image_is_size(int64_t width, int64_t height)
{
	return width >= 1 && width <= VNPU_IMAGE_MAX && height >= 1 &&
	       height <= VNPU_IMAGE_MAX;
}

/* Check the image itself. */
static inline bool vnpu_image_check_size(const struct vnpu_image *p,
					 const struct vnpu_image_use *use,
					 char *text)
{
	int64_t end;

	if (!vnpu_image_is_size(p->width, p->height))
		return vnpu_image_fail(text, "the image is %d x %d, expected 1 to %d",
				       p->width, p->height, VNPU_IMAGE_MAX);
	if (p->format == VNPU_IMAGE_YUV420 && (p->width % 2 || p->height % 2))
		return vnpu_image_fail(text, "the image is %d x %d, expected even sizes for YUV420SP_U8",
				       p->width, p->height);
	end = (use->number + 1) * vnpu_image_bytes(p);
	if (end > use->bytes)
		return vnpu_image_fail(text, "the images have more bytes than the input: %lld, expected up to %lld",
				       (long long)end, (long long)use->bytes);
	return true;
}

/**
 * vnpu_image_check() - check the parameters of an image
 * @p: a private copy of them
 * @use: how they are used
 * @text: VNPU_IMAGE_TEXT bytes, filled on failure with what is wrong; or NULL
 *
 * Return: true if each pixel that they select is in the image, and the result has
 * the size that the model needs.
 */
static inline bool vnpu_image_check(const struct vnpu_image *p,
				    const struct vnpu_image_use *use, char *text)
{
	int64_t width = p->width, height = p->height;
	const int32_t *crop = p->crop, *pad = p->pad;

	if (!vnpu_image_check_format(p, use, text) ||
	    !vnpu_image_check_size(p, use, text))
		return false;
	if (p->flags & VNPU_IMAGE_F_CROP) {
		if (!vnpu_image_is_size(crop[2], crop[3]) || crop[0] < 0 ||
		    crop[1] < 0 || crop[0] > width - crop[2] ||
		    crop[1] > height - crop[3])
			return vnpu_image_fail(text, "the part to crop is %d x %d pixels at column %d and line %d, expected one in the image of %d x %d",
					       crop[2], crop[3], crop[0],
					       crop[1], p->width, p->height);
		width = crop[2];
		height = crop[3];
	}
	if (p->flags & VNPU_IMAGE_F_RESIZE) {
		if (p->resize_from[0] != width || p->resize_from[1] != height ||
		    !vnpu_image_is_size(p->resize_to[0], p->resize_to[1]))
			return vnpu_image_fail(text, "the sizes before and after resizing are %d x %d and %d x %d, expected %lld x %lld and 1 to %d",
					       p->resize_from[0],
					       p->resize_from[1],
					       p->resize_to[0], p->resize_to[1],
					       (long long)width,
					       (long long)height,
					       VNPU_IMAGE_MAX);
		width = p->resize_to[0];
		height = p->resize_to[1];
	}
	if (p->flags & VNPU_IMAGE_F_PAD) {
		if (pad[0] < 0 || pad[1] < 0 || pad[2] < 0 || pad[3] < 0)
			return vnpu_image_fail(text, "a border is negative: %d, %d, %d, %d",
					       pad[0], pad[1], pad[2], pad[3]);
		width += (int64_t)pad[0] + pad[1];
		height += (int64_t)pad[2] + pad[3];
	}
	if (width != use->width || height != use->height)
		return vnpu_image_fail(text, "the preprocessed image has another size than the model needs: %lld x %lld, expected %lld x %lld",
				       (long long)width, (long long)height,
				       (long long)use->width,
				       (long long)use->height);
	return true;
}

#endif
