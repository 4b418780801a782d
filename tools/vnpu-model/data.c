// SPDX-License-Identifier: GPL-2.0-only
/* Elements of inputs, and comparisons of outputs. See run.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* xorshift64*: a random number from 0 to 1. */
static double uniform(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return (*seed * UINT64_C(2685821657736338717) >> 11) * 0x1p-53;
}

bool run_random(unsigned int dtype, uint64_t bytes, void *data, uint64_t *seed)
{
	size_t count = bytes / (vnpu_dtype_bits(dtype) / 8), i;
	int64_t dims[] = { count };
	struct vnpu_op_launch l;
	double *numbers = calloc(count + 1, sizeof(*numbers));
	int err;

	if (!numbers)
		return false;
	/* Integers are often indices: 0 and 1 are valid for most. */
	for (i = 0; i < count; i++) {
		numbers[i] = uniform(seed);
		if (dtype == VNPU_DT_U8)
			numbers[i] = floor(numbers[i] * 256);
		else if (!vnpu_dtype_is_float(dtype))
			numbers[i] = numbers[i] < 0.5;
	}
	vnpu_op_init(&l, VNPU_OP_COPY, 1, 1);
	vnpu_tensor_init(&l.tensor[0], VNPU_DT_F64, 1, dims, numbers);
	vnpu_tensor_init(&l.tensor[1], dtype, 1, dims, data);
	err = vnpu_op_compute(&l, NULL);
	free(numbers);
	return !err;
}

char *run_fill(struct run *r, unsigned int input, uint64_t *seed)
{
	const struct program_tensor *t = &r->p->tensors[input];

	if (t->frozen_at != PROGRAM_NONE) {
		memcpy(r->io[input], (const char *)r->p->weights + t->frozen_at,
		       t->bytes);
		return NULL;
	}
	return run_random(t->dtype, t->bytes, r->io[input], seed) ? NULL :
		tensor_message("input '%s' cannot be filled",
			       tensor_name(r->p, input));
}

static char *describe(unsigned int dtype, unsigned int rank,
		      const int64_t *dims, char *text, size_t size)
{
	size_t at = snprintf(text, size, "%s", dtype ? vnpu_dtype_name(dtype) :
			     "bytes");
	unsigned int i;

	for (i = 0; i < rank && at < size - 24; i++)
		at += snprintf(text + at, size - at, "%s%" PRId64,
			       i ? "," : " ", dims[i]);
	return text;
}
#define DESCRIBE(t) describe((t)->dtype, (t)->rank, (t)->dims,		\
			     (char[256]){ 0 }, 256)

char *run_take(struct run *r, unsigned int input, const struct tensor *given,
	       const char *from)
{
	const struct program_tensor *t = &r->p->tensors[input];

	if (given->bytes != t->bytes ||
	    (given->dtype && given->dtype != t->dtype))
		return tensor_message("'%s' has %s, %zu bytes; input '%s' is %s, %" PRIu64 " bytes",
				      from, DESCRIBE(given), given->bytes,
				      tensor_name(r->p, input), DESCRIBE(t),
				      t->bytes);
	memcpy(r->io[input], given->data, t->bytes);
	return NULL;
}

char *run_load(struct run *r, unsigned int input, const char *path)
{
	struct tensor given;
	char *message;

	message = tensor_read(&given, path);
	if (message)
		return message;
	message = run_take(r, input, &given, path);
	tensor_free(&given);
	return message;
}

static void compare_element(struct comparison *c, size_t i, double given,
			    double expected, double bound, bool is_same)
{
	double difference = fabs(given - expected);

	if (is_same || (isnan(given) && isnan(expected)))
		return;
	if (difference > c->largest)
		c->largest = difference;
	/* Different integers may be one double, and a NaN is within no bound. */
	if (difference <= bound && difference > 0)
		return;
	if (!c->wrong++) {
		c->first = i;
		c->expected = expected;
		c->given = given;
	}
}

static char *compare(struct comparison *c, const struct tensor *output,
		     const struct tensor *expected, double rtol, double atol)
{
	size_t size = vnpu_dtype_bits(output->dtype) / 8, i;
	bool is_float = vnpu_dtype_is_float(output->dtype);
	double *x, *y;

	c->count = output->bytes / size;
	x = tensor_numbers(output->dtype, output->data, c->count);
	y = tensor_numbers(output->dtype, expected->data, c->count);
	/* The bits of 0 and -0 differ, but they are equal. */
	for (i = 0; x && y && i < c->count; i++)
		compare_element(c, i, x[i], y[i], atol + rtol * fabs(y[i]),
				(is_float && x[i] == y[i]) ||
				!memcmp((char *)output->data + i * size,
					(char *)expected->data + i * size,
					size));
	if (!x || !y) {
		free(x);
		free(y);
		return tensor_message("out of memory");
	}
	free(x);
	free(y);
	return NULL;
}

char *compare_output(struct comparison *c, const struct tensor *output,
		     const char *path, double rtol, double atol)
{
	struct tensor expected;
	char *message;

	*c = (struct comparison){ 0 };
	message = tensor_read(&expected, path);
	if (message)
		return message;
	if (expected.bytes != output->bytes ||
	    (expected.dtype && expected.dtype != output->dtype))
		message = tensor_message("'%s' has %s, %zu bytes; the output is %s, %zu bytes",
					 path, DESCRIBE(&expected),
					 expected.bytes, DESCRIBE(output),
					 output->bytes);
	else
		message = compare(c, output, &expected, rtol, atol);
	tensor_free(&expected);
	return message;
}
