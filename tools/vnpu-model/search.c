// SPDX-License-Identifier: GPL-2.0-only
/*
 * The search for precisions. See tune.h.
 *
 * The loss of a model is |outputs - expected| / |expected| over all outputs of all
 * samples, where |x| is the root of the sum of squares.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "run.h"
#include "tune.h"

/* A choice that may save bytes. */
struct candidate {
	size_t part;
	enum precision precision;
	double worth;		/* bytes saved for the loss */
};

/**
 * struct outputs - elements of outputs
 * @list: the elements, as numbers
 * @count: their number
 */
struct outputs {
	double *list;
	size_t count;
};

/* Compile a model for the sizes of the first sample. */
static char *compile(const struct tune *t, const void *data, size_t size,
		     struct compile_result *result)
{
	const struct graph *g = &t->w.graph;
	struct compile_shape *shapes = calloc(g->input_count + 1,
					      sizeof(*shapes));
	struct compile_options options = { .folder = t->w.folder,
					   .shapes = shapes };
	char *message = NULL;

	if (!shapes)
		return tensor_message("out of memory");
	for (uint32_t i = 0; t->inputs && i < g->input_count; i++) {
		struct compile_shape *s = &shapes[options.shape_count];

		if (!t->inputs[i].dtype)
			continue;
		s->name = g->inputs[i]->name;
		s->rank = t->inputs[i].rank;
		memcpy(s->dims, t->inputs[i].dims, sizeof(s->dims));
		options.shape_count++;
	}
	if (compile_model(data, size, &options, result))
		message = tensor_message("%s", result->error);
	free(shapes);
	return message;
}

/* Append the elements of the outputs of a run. */
static char *keep_outputs(const struct run *r, struct outputs *o)
{
	for (uint32_t i = 0; i < r->p->head->outputs; i++) {
		struct tensor out = run_output(r, i);
		size_t count = out.bytes / (vnpu_dtype_bits(out.dtype) / 8);
		double *numbers = tensor_numbers(out.dtype, out.data, count);
		double *more = reallocarray(o->list, o->count + count + 1,
					    sizeof(*more));

		if (more)
			o->list = more;
		if (more && numbers)
			memcpy(more + o->count, numbers,
			       count * sizeof(*numbers));
		free(numbers);
		if (!more || !numbers)
			return tensor_message("out of memory");
		o->count += count;
	}
	return NULL;
}

static char *run_sample(const struct tune *t, struct run *r, size_t sample,
			uint64_t *seed)
{
	uint32_t count = r->p->head->inputs;
	char *message = NULL, from[64];

	for (uint32_t i = 0; !message && i < count; i++) {
		snprintf(from, sizeof(from), "input %u of sample %zu", i,
			 sample);
		message = t->inputs ?
			run_take(r, i, &t->inputs[sample * count + i], from) :
			run_fill(r, i, seed);
	}
	return message ? message : run_on_host(r);
}

static char *run_samples(const struct tune *t, const struct program *p,
			 struct outputs *o)
{
	const struct model m = { .gears = (struct program *)(uintptr_t)p,
				 .gear_count = 1 };
	uint64_t seed = t->seed;
	struct run r;
	char *message = run_prepare(&r, &m, 0, 1);

	for (size_t i = 0; !message && i < t->samples; i++) {
		message = run_sample(t, &r, i, &seed);
		if (!message)
			message = keep_outputs(&r, o);
	}
	run_free(&r);
	return message;
}

/* Run a model on all samples; the caller frees the outputs. */
static char *run_model(const struct tune *t, const void *data, size_t size,
		       struct outputs *o)
{
	struct compile_result result = { 0 };
	struct program_error error;
	struct program p;
	char *message = compile(t, data, size, &result);

	if (!message && program_open(&p, result.program, result.size, &error))
		message = tensor_message("%s", error.text);
	if (!message)
		message = run_samples(t, &p, o);
	compile_free(&result);
	return message;
}

static double norm(const double *list, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += list[i] * list[i];
	return sqrt(sum);
}

static double loss_of(const struct tune *t, const struct outputs *o)
{
	double sum = 0;

	/* The size of an output may depend on elements. */
	if (o->count != t->expected_count)
		return INFINITY;
	for (size_t i = 0; i < o->count; i++) {
		double difference = o->list[i] - t->expected[i];

		if (o->list[i] != t->expected[i])
			sum += difference * difference;
	}
	sum = sqrt(sum) / fmax(norm(t->expected, t->expected_count), 1e-30);
	return isnan(sum) ? (double)INFINITY : sum;
}

/* Measure the loss with a precision for each part. */
static char *measure(struct tune *t, const enum precision *choices,
		     double *loss)
{
	enum precision *precisions = calloc(t->w.count, sizeof(*precisions));
	struct outputs o = { 0 };
	char *data = NULL, *message;
	size_t size;

	if (!precisions)
		return tensor_message("out of memory");
	for (size_t i = 0; i < t->w.count; i++)
		if (t->part_of[i] < t->part_count)
			precisions[i] = choices[t->part_of[i]];
	message = weights_convert(&t->w, precisions, &data, &size);
	if (!message) {
		message = run_model(t, data, size, &o);
		free(data);
	}
	if (!message)
		*loss = loss_of(t, &o);
	t->measured++;
	free(o.list);
	free(precisions);
	return message;
}

char *tune_begin(struct tune *t)
{
	struct outputs o = { 0 };
	char *message = run_model(t, t->w.file.data, t->w.file.size, &o);

	t->expected = o.list;
	t->expected_count = o.count;
	if (message || isfinite(norm(o.list, o.count)))
		return message;
	return tensor_message("outputs of the model are infinite or no numbers for these samples, so that nothing can be compared with them");
}

/* Measure a precision of a part alone. */
static char *measure_alone(struct tune *t, size_t part,
			   enum precision precision)
{
	enum precision *choices = calloc(t->part_count, sizeof(*choices));
	char *message;

	if (!choices)
		return tensor_message("out of memory");
	choices[part] = precision;
	message = measure(t, choices, &t->parts[part].alone[precision]);
	free(choices);
	return message;
}

/* Add a candidate, unless it is the start or saves nothing. */
static void add(const struct tune *t, size_t part, enum precision precision,
		struct candidate *list, size_t *count)
{
	const struct tune_part *p = &t->parts[part];
	uint64_t before = p->bytes[p->choice], after = p->bytes[precision];

	if (precision != p->choice && after < before)
		list[(*count)++] = (struct candidate){
			part, precision,
			(before - after) / fmax(p->alone[precision], 1e-12),
		};
}

static int by_worth(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->worth != b->worth)
		return a->worth < b->worth ? 1 : -1;
	if (a->part != b->part)
		return a->part > b->part ? 1 : -1;
	return (int)a->precision - (int)b->precision;
}

/* Measure all parts, which begin with the most precise type that they may have. */
static char *find_candidates(struct tune *t, struct candidate *list,
			     size_t *count)
{
	char *message = NULL;

	for (size_t i = 0; i < t->part_count; i++) {
		struct tune_part *part = &t->parts[i];

		part->choice = __builtin_ctz(part->allowed);
		for (enum precision p = PRECISION_FP16;
		     !message && p < PRECISIONS; p++) {
			if (!(part->allowed & 1U << p))
				continue;
			message = measure_alone(t, i, p);
			add(t, i, p, list, count);
		}
	}
	return message;
}

/* Lower parts one by one, as long as the whole model stays within the bound. */
static char *choose(struct tune *t, const struct candidate *list, size_t count,
		    enum precision *choices)
{
	char *message;

	for (size_t i = 0; i < t->part_count; i++)
		choices[i] = t->parts[i].choice;
	message = measure(t, choices, &t->loss);
	for (size_t i = 0; !message && i < count; i++) {
		const struct candidate *c = &list[i];
		struct tune_part *part = &t->parts[c->part];
		double loss = INFINITY;

		if (part->bytes[c->precision] >= part->bytes[part->choice])
			continue;
		choices[c->part] = c->precision;
		message = measure(t, choices, &loss);
		if (loss <= t->bound) {
			part->choice = c->precision;
			t->loss = loss;
		}
		choices[c->part] = part->choice;
	}
	return message;
}

char *tune_search(struct tune *t)
{
	struct candidate *list = calloc(t->part_count * PRECISIONS + 1,
					sizeof(*list));
	enum precision *choices = calloc(t->part_count + 1, sizeof(*choices));
	size_t count = 0;
	char *message = list && choices ? find_candidates(t, list, &count) :
		tensor_message("out of memory");

	if (!message) {
		qsort(list, count, sizeof(*list), by_worth);
		message = choose(t, list, count, choices);
	}
	free(choices);
	free(list);
	return message;
}

char *tune_result(const struct tune *t, char **data, size_t *size)
{
	enum precision *precisions = calloc(t->w.count, sizeof(*precisions));
	char *message;

	if (!precisions)
		return tensor_message("out of memory");
	for (size_t i = 0; i < t->w.count; i++)
		if (t->part_of[i] < t->part_count)
			precisions[i] = t->parts[t->part_of[i]].choice;
	message = weights_convert(&t->w, precisions, data, size);
	free(precisions);
	return message;
}
