/* SPDX-License-Identifier: MIT */
/*
 * Images as inputs of a model: how it preprocesses them, as lines of om_head.info,
 *
 *	image=BITS BITS...		the members of struct om_image, as hexadecimal
 *					bits, which no locale changes
 *	image_shape=INPUT N N N N	the shape in each gear, in their order
 *
 * which readers need for descriptions alone.
 */
#ifndef GRAPH_OM_IMAGE_H
#define GRAPH_OM_IMAGE_H

#include "om/om.h"

/* Name of the first input with parameters of images; others have _1, _2, ... */
#define OM_IMAGE_INPUT	"ascend_dynamic_aipp_data"

/**
 * struct om_image - an input that is an image; all members are numbers
 * @input: number of the input
 * @parameters: number of the input with the parameters, see lib/ops/image.h; -1
 *	if the file has them, and only then do those below have a meaning
 * @dtype: enum vnpu_dtype of the input before it became an image
 * @layout: OM_FORMAT_NCHW or OM_FORMAT_NHWC: the order of its dimensions
 * @format: enum vnpu_image_format
 * @size: columns and lines of the image
 * @crops: whether a part is used
 * @crop: its first column and line, its columns and lines
 * @pads: whether there are borders
 * @pad: left, right, top, bottom
 * @converts: whether colours are converted
 * @swaps_rb: whether red and blue, or U and V, change places
 * @swaps_x: whether the first of four channels becomes the last one
 * @matrix: for @converts
 * @bias_in: likewise
 * @bias_out: likewise
 * @mean: number to subtract from each channel
 * @min: second number to subtract
 * @factor: factor of each channel
 */
struct om_image {
	float input, parameters, dtype, layout;
	float format, size[2], crops, crop[4], pads, pad[4];
	float converts, swaps_rb, swaps_x;
	float matrix[3][3], bias_in[3], bias_out[3];
	float mean[4], min[4], factor[4];
};

#define OM_IMAGE_NUMBERS	(sizeof(struct om_image) / sizeof(float))

/* The longest line, with its end. */
#define OM_IMAGE_LINE		(OM_IMAGE_NUMBERS * 9 + 100)

/* Write the line of an image, or of its shape in a gear, for om_options.info. */
void om_image_print(char *line, const struct om_image *image);
void om_image_print_shape(char *line, uint32_t input, const int64_t *shape);

/**
 * om_image_find() - find out how an input is preprocessed
 * @om: the model
 * @input: number of the input, or that of its parameters
 * @image: filled; the inputs exist, and numbers are not larger than 10^9
 *
 * Return: whether one of both is preprocessed.
 */
bool om_image_find(const struct om *om, size_t input, struct om_image *image);

/*
 * Get the shape that an input had before it became an image: 4 sizes from 1 to
 * 10^9.  Return whether there is such an input.
 */
bool om_image_shape(const struct om *om, uint32_t input, unsigned int gear,
		    int64_t *shape);

#endif
