/* SPDX-License-Identifier: MIT */
/*
 * A batch of images in the example of ResNet-50: its tensors, the streams that it
 * runs on, the work of the operators, and the check of the result.
 */
#ifndef RESNET50_LANE_H
#define RESNET50_LANE_H

#include "acl/acl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "resnet50.h"
#include "try.h"

/* The tensors of a batch, and the streams that it runs on. */
struct lane {
	char *at[RESNET50_TENSORS];
	char *base;		/* of all, with a plan */
	aclrtStream in, run, out;
	aclrtEvent full, done, free;
	char *input, *output;	/* on the host */
};

static struct resnet50 net;
static char *model;		/* the expected result */

static size_t used_now(void)
{
	size_t free, total;

	TRY(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
	return total - free;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* Submit the work of an operator. */
static void run_op(const struct lane *l, unsigned int i)
{
	const struct operator *op = &net.op[i];
	size_t out = net.tensor[op->out].size, in = net.tensor[op->in[0]].size;
	size_t copied = in < out ? in : out;

	if (op->scratch != NO_TENSOR)
		TRY(aclrtMemsetAsync(l->at[op->scratch],
				     net.tensor[op->scratch].size, i,
				     net.tensor[op->scratch].size, l->run));
	TRY(aclrtMemcpyAsync(l->at[op->out], out, l->at[op->in[0]], copied,
			     ACL_MEMCPY_DEVICE_TO_DEVICE, l->run));
	if (copied < out)
		TRY(aclrtMemsetAsync(l->at[op->out] + copied, out - copied, i,
				     out - copied, l->run));
}

/* Do the same on the host, for the part of a tensor that reaches the result. */
static void make_model(const char *input)
{
	size_t size = net.tensor[net.output].size, i;
	unsigned int at = net.output, op;
	size_t reach = size;

	model = malloc(size);
	if (!model)
		fail("malloc", 0);
	/* Follow the copies back from the output; @reach bytes come from the input. */
	memset(model, 0, size);
	while (at != net.input) {
		for (op = 0; net.op[op].out != at; op++)
			;
		at = net.op[op].in[0];
		i = net.tensor[at].size;
		if (i < reach) {
			memset(model + i, (int)op, reach - i);
			reach = i;
		}
	}
	memcpy(model, input, reach);
}

static void check(const struct lane *l, const char *way)
{
	if (!memcmp(l->output, model, net.tensor[net.output].size))
		return;
	fprintf(stderr, "%s: a tensor was overwritten too early\n", way);
	exit(1);
}

static void lane_setup(struct lane *l)
{
	size_t size = net.tensor[net.input].size, i;

	l->input = malloc(size);
	l->output = malloc(net.tensor[net.output].size);
	if (!l->input || !l->output)
		fail("malloc", 0);
	for (i = 0; i < size; i++)
		l->input[i] = (char)(i ^ i >> 8);
	TRY(aclrtCreateStream(&l->in));
	TRY(aclrtCreateStream(&l->run));
	TRY(aclrtCreateStream(&l->out));
	TRY(aclrtCreateEventExWithFlag(&l->full, ACL_EVENT_SYNC));
	TRY(aclrtCreateEventExWithFlag(&l->done, ACL_EVENT_SYNC));
	TRY(aclrtCreateEventExWithFlag(&l->free, ACL_EVENT_SYNC));
}

static void lane_end(struct lane *l)
{
	TRY(aclrtDestroyEvent(l->full));
	TRY(aclrtDestroyEvent(l->done));
	TRY(aclrtDestroyEvent(l->free));
	TRY(aclrtDestroyStream(l->in));
	TRY(aclrtDestroyStream(l->run));
	TRY(aclrtDestroyStream(l->out));
	TRY(aclrtFreeHost(l->input));
	TRY(aclrtFreeHost(l->output));
}

#endif /* RESNET50_LANE_H */
