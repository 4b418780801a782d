/* SPDX-License-Identifier: MIT */
/*
 * Images as inputs: preprocessing that is a part of the model (AIPP). The model
 * then takes bytes, pixel after pixel, in place of numbers in planes:
 *
 *	crop, swap channels, convert colours, subtract and scale, pad, transpose
 *
 * The values of these steps are constants (static), or each run gives them
 * (dynamic): then the image is a buffer of bytes, and the model has one more
 * input with the parameters of each image of the batch: see lib/ops/image.h.
 */
#ifndef GRAPH_EDIT_AIPP_H
#define GRAPH_EDIT_AIPP_H

#include "edit/edit.h"
#include "om/image.h"
#include "ops/image.h"

/**
 * struct edit_aipp - preprocessing of an input
 * @input: name of the input; NULL for the input number @rank
 * @rank: number of the input
 * @is_nhwc: the model's input has the channels last
 * @is_dynamic: each run gives the values of @format and below
 * @max_bytes: the bytes of all images of a batch, if so
 * @format: format of the image
 * @width: width of the image in pixels; 0: what the model needs
 * @height: its height
 * @crops: the model uses only a part of the image
 * @crop_x: its first column
 * @crop_y: its first line
 * @crop_width: its width; 0: what the model needs
 * @crop_height: its height
 * @swaps_rb: red and blue, or U and V, change places
 * @swaps_x: the first channel becomes the last one: XRGB becomes RGBX
 * @converts: colours are converted: matrix * (x - bias_in) / 256 + bias_out
 * @matrix: the matrix
 * @bias_in: numbers to subtract before the matrix
 * @bias_out: numbers to add after the matrix
 * @mean: number to subtract from each channel
 * @min: second number to subtract from each channel
 * @scale: factor of each channel afterwards
 * @pads: add borders around the result of the steps above
 * @pad: their sizes: left, right, top, bottom
 * @pad_value: their elements
 */
struct edit_aipp {
	const char *input;
	unsigned int rank;
	bool is_nhwc;
	bool is_dynamic;
	int64_t max_bytes;
	enum vnpu_image_format format;
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
	float mean[VNPU_IMAGE_CHANNELS];
	float min[VNPU_IMAGE_CHANNELS];
	float scale[VNPU_IMAGE_CHANNELS];
	bool pads;
	int64_t pad[4];
	float pad_value;
};

/**
 * edit_aipp() - replace an input of a model by an image
 * @g: the graph
 * @a: the preprocessing
 * @image: filled with what a file says about it
 * @shape: filled with the shape of the model's input, which must be known
 */
int edit_aipp(struct graph *g, const struct edit_aipp *a,
	      struct om_image *image, int64_t *shape);

/* The part of edit_aipp() for dynamic preprocessing, of the input @x. */
int edit_dynamic_aipp(struct graph *g, const struct edit_aipp *a,
		      struct graph_value *x, struct om_image *image);

#endif
