/* SPDX-License-Identifier: MIT */
/*
 * The memory of ResNet-50: its operators in order, and the inputs, outputs and
 * temporary tensors of each, in 16-bit floating point.  The shapes are those of
 * the published network ("Deep Residual Learning for Image Recognition", 2015),
 * for images of 224 x 224.
 *
 * A convolution includes batch normalisation and activation, as inference engines
 * fuse them, and needs room to unfold its input for one image.
 */
#ifndef RESNET50_H
#define RESNET50_H

#include <stddef.h>
#include <stdint.h>

#define RESNET50_OPS		72
#define RESNET50_TENSORS	160
#define RESNET50_BYTES		2	/* of a number */
#define RESNET50_CLASSES	1000

/* A tensor. Its memory is in use from the operator @first to @last. */
struct tensor {
	size_t size;
	unsigned int first;
	unsigned int last;
};

/* Numbers of tensors; NO_TENSOR where there is none. */
#define NO_TENSOR	(~0U)

struct operator {
	unsigned int in[2];
	unsigned int out;
	unsigned int scratch;
};

struct resnet50 {
	unsigned int batch;	/* images at a time */
	unsigned int ops;
	unsigned int tensors;
	unsigned int input;
	unsigned int output;
	struct operator op[RESNET50_OPS];
	struct tensor tensor[RESNET50_TENSORS];
	size_t weights;		/* bytes of all parameters */
};

static unsigned int add_tensor(struct resnet50 *net, size_t size)
{
	struct tensor *t = &net->tensor[net->tensors];

	t->size = size;
	t->first = net->ops;
	t->last = net->ops;
	return net->tensors++;
}

static size_t image_size(const struct resnet50 *net, size_t channels,
			 size_t side)
{
	return net->batch * channels * side * side * RESNET50_BYTES;
}

static unsigned int add_op(struct resnet50 *net, unsigned int a, unsigned int b,
			   size_t out, size_t scratch)
{
	struct operator *op = &net->op[net->ops];

	op->in[0] = a;
	op->in[1] = b;
	op->out = add_tensor(net, out);
	op->scratch = scratch ? add_tensor(net, scratch) : NO_TENSOR;
	net->tensor[a].last = net->ops;
	if (b != NO_TENSOR)
		net->tensor[b].last = net->ops;
	net->ops++;
	return op->out;
}

/* @side: of the output */
static unsigned int add_conv(struct resnet50 *net, unsigned int in,
			     size_t channels_in, size_t channels, size_t kernel,
			     size_t side)
{
	size_t unfolded = kernel == 1 ? 0 : channels_in * kernel * kernel *
					    side * side * RESNET50_BYTES;

	net->weights += (channels_in * kernel * kernel + 2) * channels *
			RESNET50_BYTES;
	return add_op(net, in, NO_TENSOR, image_size(net, channels, side),
		      unfolded);
}

/* Add three convolutions and a shortcut around them. */
static unsigned int add_bottleneck(struct resnet50 *net, unsigned int in,
				   size_t channels_in, size_t width,
				   size_t side)
{
	unsigned int around = in, at;
	size_t channels = 4 * width;

	if (channels_in != channels)
		around = add_conv(net, in, channels_in, channels, 1, side);
	at = add_conv(net, in, channels_in, width, 1,
		      channels_in == channels || side == 56 ? side : 2 * side);
	at = add_conv(net, at, width, width, 3, side);
	at = add_conv(net, at, width, channels, 1, side);
	return add_op(net, at, around, image_size(net, channels, side), 0);
}

static void resnet50_build(struct resnet50 *net, unsigned int batch)
{
	static const unsigned int blocks[] = { 3, 4, 6, 3 };
	size_t channels = 64, width = 64, side = 56;
	unsigned int at, stage, i;

	*net = (struct resnet50){ .batch = batch };
	net->input = at = add_tensor(net, image_size(net, 3, 224));
	at = add_conv(net, at, 3, 64, 7, 112);
	at = add_op(net, at, NO_TENSOR, image_size(net, 64, 56), 0);
	for (stage = 0; stage < 4; stage++) {
		for (i = 0; i < blocks[stage]; i++) {
			at = add_bottleneck(net, at, channels, width, side);
			channels = 4 * width;
		}
		width *= 2;
		side /= 2;
	}
	at = add_op(net, at, NO_TENSOR, image_size(net, channels, 1), 0);
	net->weights += (channels + 1) * RESNET50_CLASSES * RESNET50_BYTES;
	net->output = add_op(net, at, NO_TENSOR,
			     image_size(net, RESNET50_CLASSES, 1), 0);
}

#endif
