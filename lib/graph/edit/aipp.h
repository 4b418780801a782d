/* SPDX-License-Identifier: MIT */
/*
 * Images as inputs: preprocessing that is a part of the model (AIPP). The model
 * then takes bytes, pixel after pixel, in place of numbers in planes:
 *
 *	crop, swap channels, convert colours, subtract and scale, pad, transpose
 */
#ifndef GRAPH_EDIT_AIPP_H
#define GRAPH_EDIT_AIPP_H

#include "edit/edit.h"

#define EDIT_AIPP_CHANNELS 4

/**
 * enum edit_image - formats of images
 * @EDIT_GRAY: a byte for each pixel (YUV400_U8)
 * @EDIT_RGB: three bytes for each pixel (RGB888_U8)
 * @EDIT_XRGB: four, the first one without a meaning (XRGB8888_U8)
 * @EDIT_YUV420: a plane of Y, and one of pairs of U and V with half of the lines
 *	(YUV420SP_U8)
 */
enum edit_image {
	EDIT_GRAY,
	EDIT_RGB,
	EDIT_XRGB,
	EDIT_YUV420,
};

/**
 * struct edit_aipp - preprocessing of an input
 * @input: name of the input; NULL for the input number @rank
 * @rank: number of the input
 * @format: enum edit_image
 * @is_nhwc: the model's input has the channels last
 * @width: width of the image in pixels; 0: what the model needs
 * @height: its height
 * @crops: only a part is used
 * @crop_x: its first column
 * @crop_y: its first line
 * @crop_width: its width; 0: what the model needs
 * @crop_height: its height
 * @swaps_rb: red and blue, or U and V, change places
 * @swaps_x: the last channel comes first: XRGB becomes RGBX
 * @converts: colours are converted: matrix * (x - bias_in) / 256 + bias_out
 * @matrix: the matrix
 * @bias_in: what is subtracted before
 * @bias_out: what is added afterwards
 * @mean: what is subtracted of each channel
 * @min: likewise
 * @scale: what each channel is multiplied by then
 * @pads: there are borders, around what the steps above make
 * @pad: their sizes: left, right, top, bottom
 * @pad_value: their elements
 */
struct edit_aipp {
	const char *input;
	unsigned int rank;
	enum edit_image format;
	bool is_nhwc;
	int64_t width;
	int64_t height;
	bool crops;
	int64_t crop_x;
	int64_t crop_y;
	int64_t crop_width;
	int64_t crop_height;
	bool swaps_rb;
	bool swaps_x;
	bool converts;
	float matrix[3][3];
	float bias_in[3];
	float bias_out[3];
	float mean[EDIT_AIPP_CHANNELS];
	float min[EDIT_AIPP_CHANNELS];
	float scale[EDIT_AIPP_CHANNELS];
	bool pads;
	int64_t pad[4];
	float pad_value;
};

/* Let an input of a model be an image; its shape must be known. */
int edit_aipp(struct graph *g, const struct edit_aipp *a);

#endif
