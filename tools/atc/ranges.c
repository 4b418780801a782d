// SPDX-License-Identifier: GPL-2.0-only
/* Ranges of sizes. See ranges.h. */
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "ranges.h"

/**
 * struct range - the sizes of an input
 * @shape: the least sizes
 * @most: the largest ones
 */
struct range {
	struct compile_shape shape;
	int64_t most[VNPU_TENSOR_DIMS];
};

/**
 * struct ranges - the option as it is read
 * @option: its name
 * @text: all of it
 * @inputs: the inputs
 * @count: their number
 * @shapes: number of combinations so far
 */
struct ranges {
	const char *option;
	const char *text;
	struct range *inputs;
	unsigned int count;
	uint64_t shapes;
};

static void read_size(struct ranges *r, struct range *to, const char **at)
{
	unsigned int dim = to->shape.rank++;

	if (!strncmp(*at, "-1", 2))
		die("--%s: '%s' has a size without a limit; give the least and the largest one, as 1~8",
		    r->option, r->text);
	to->shape.dims[dim] = shapes_size(at, r->option, false);
	to->most[dim] = to->shape.dims[dim];
	if (**at == '~') {
		++*at;
		to->most[dim] = shapes_size(at, r->option, false);
	}
	if (to->most[dim] < to->shape.dims[dim])
		die("--%s: the range %lld~%lld is empty", r->option,
		    (long long)to->shape.dims[dim], (long long)to->most[dim]);
	if (__builtin_mul_overflow(r->shapes, to->most[dim] -
				   to->shape.dims[dim] + 1, &r->shapes) ||
	    r->shapes > SHAPES_GEARS)
		die("--%s: '%s' has more than %d shapes; give smaller ranges, or the shapes as gears by --dynamic_dims",
		    r->option, r->text, SHAPES_GEARS);
}

/* Read the sizes behind the name of an input. */
static void read_sizes(struct ranges *r, struct range *to, const char *text)
{
	bool has_brackets = *text == '[';
	const char *at = text + has_brackets;
	bool is_last_missing;

	while (*at && *at != ']') {
		if (to->shape.rank == VNPU_TENSOR_DIMS)
			die("--%s: '%s' has more than %d sizes", r->option,
			    text, VNPU_TENSOR_DIMS);
		read_size(r, to, &at);
		if (*at != ',')
			break;
		at++;
	}
	is_last_missing = to->shape.rank && at[-1] == ',';
	if (has_brackets && *at++ != ']')
		die("--%s: '%s' is not closed by ]", r->option, text);
	if (*at || is_last_missing)
		die("--%s: '%s' is not [N,N~N,...]", r->option, text);
}

static void read_input(struct ranges *r, char *part)
{
	char *colon = strrchr(part, ':');
	struct range *to;
	unsigned int i;

	if (!colon || colon == part)
		die("--%s: '%s' is not NAME:[N,N~N,...]", r->option, part);
	r->inputs = reallocarray(r->inputs, r->count + 1, sizeof(*r->inputs));
	if (!r->inputs)
		die("out of memory");
	*colon = '\0';
	to = &r->inputs[r->count++];
	*to = (struct range){ .shape.name = part };
	for (i = 0; i + 1 < r->count; i++)
		if (!strcmp(r->inputs[i].shape.name, part))
			die("--%s: input '%s' is given twice", r->option, part);
	read_sizes(r, to, colon + 1);
}

/* Make the next combination of sizes, the last size first. */
static void advance(const struct ranges *r, struct compile_shape *now)
{
	unsigned int i, k;

	for (i = r->count; i--;)
		for (k = now[i].rank; k--;) {
			if (now[i].dims[k]++ < r->inputs[i].most[k])
				return;
			now[i].dims[k] = r->inputs[i].shape.dims[k];
		}
}

void ranges_read(struct shapes *s, const char *option, const char *text)
{
	struct ranges r = { .option = option, .text = text, .shapes = 1 };
	struct compile_shape *now;
	char *part, *rest;
	unsigned int i;

	s->text = strdup(text);
	if (!s->text)
		die("out of memory");
	for (part = strtok_r(s->text, ";", &rest); part;
	     part = strtok_r(NULL, ";", &rest))
		read_input(&r, part);
	if (!r.count)
		die("--%s has no input", option);
	s->inputs = r.count;
	s->gears = r.shapes;
	s->has_ranges = s->gears > 1;
	s->all = calloc(r.shapes * r.count, sizeof(*s->all));
	now = calloc(r.count, sizeof(*now));
	if (!s->all || !now)
		die("out of memory");
	for (i = 0; i < r.count; i++)
		now[i] = r.inputs[i].shape;
	for (i = 0; i < s->gears; i++) {
		memcpy(s->all + (size_t)i * r.count, now,
		       r.count * sizeof(*now));
		advance(&r, now);
	}
	free(now);
	free(r.inputs);
}
