// SPDX-License-Identifier: GPL-2.0-only
/* Runs of a model, or of its parts. See parts.h. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "parts.h"

void outcome_init(struct outcome *out, const struct run_options *o,
		  uint32_t count)
{
	*out = (struct outcome){
		.outputs = calloc(count + 1, sizeof(*out->outputs)),
		.names = calloc(count + 1, sizeof(*out->names)),
		.count = count, .ms = calloc(o->loop, sizeof(*out->ms)),
	};
	if (!out->outputs || !out->names || !out->ms)
		die(EXIT_FAILED, "out of memory");
}

static void drop_outputs(struct outcome *out)
{
	for (uint32_t i = 0; i < out->count; i++) {
		tensor_free(&out->outputs[i]);
		free(out->names[i]);
	}
	free(out->outputs);
	free(out->names);
}

void outcome_free(struct outcome *out)
{
	drop_outputs(out);
	free(out->ms);
	*out = (struct outcome){ .outputs = NULL };
}

void outcome_check(const struct run_options *o, uint32_t count)
{
	if (o->expect_count > count)
		die(EXIT_USAGE, "the model has %u outputs, given %u by --expect",
		    count, o->expect_count);
}

void outcome_add(struct outcome *out, const struct run *r)
{
	for (unsigned int i = 0; i < r->loop; i++)
		out->ms[i] += r->ms[i];
	out->load_ms += r->load_ms;
}

/* Find the gear with these sizes of all its inputs in order; or -1. */
static int find_dims(const struct model *m, const int64_t *values,
		     unsigned int count)
{
	unsigned int gear, i, k, at;

	for (gear = 0; gear < m->gear_count; gear++) {
		const struct program *p = &m->gears[gear];
		bool fits = true;

		for (i = 0, at = 0; i < p->head->inputs; i++)
			for (k = 0; k < p->tensors[i].rank; k++, at++)
				fits &= at < count &&
					values[at] == p->tensors[i].dims[k];
		if (fits && at == count)
			return gear;
	}
	return -1;
}

/* Find the gear that --sizes chooses. */
static unsigned int choose_gear(const struct model *m, const char *text)
{
	int64_t values[OM_VALUES];
	unsigned int count = 0;
	const char *at = text;
	char *end;
	int gear;

	if (!text)
		return om_largest(&m->om);
	for (;;) {
		values[count++] = strtoll(at, &end, 10);
		if (end == at || (*end && *end != ',') || count == OM_VALUES)
			die(EXIT_USAGE, "--sizes=%s: must be numbers with commas between them",
			    text);
		if (!*end)
			break;
		at = end + 1;
	}
	gear = m->gear_count > 1 ? om_find(&m->om, values, count) : -1;
	if (gear < 0)
		gear = find_dims(m, values, count);
	if (gear < 0)
		die(EXIT_USAGE, "--sizes=%s: the model has no such gear; 'vnpu-model info' lists them",
		    text);
	return gear;
}

/* Take the outputs of a part, which are those of the run then. */
static void take_outputs(struct outcome *out, struct run *r)
{
	uint32_t first = r->p->head->inputs, count = r->p->head->outputs;
	const struct om *om = &r->m->om;

	drop_outputs(out);
	out->count = count;
	out->outputs = calloc(count + 1, sizeof(*out->outputs));
	out->names = calloc(count + 1, sizeof(*out->names));
	if (!out->outputs || !out->names)
		die(EXIT_FAILED, "out of memory");
	for (uint32_t i = 0; i < count; i++) {
		out->outputs[i] = run_output(r, i);
		out->names[i] = tensor_message("%s", om->text +
					       om->tensors[first + i].name);
		r->io[first + i] = NULL;
	}
	out->gear = r->gear;
}

/* Find the gear that takes the outputs of the part before. */
static unsigned int gear_after(const struct model *m, const struct outcome *b,
			       const char *path, const char *before)
{
	int64_t values[OM_VALUES];
	unsigned int count = 0, i, k;
	int gear;

	if (m->gear_count == 1)
		return 0;
	for (i = 0; i < b->count; i++)
		for (k = 0; k < b->outputs[i].rank && count < OM_VALUES; k++)
			values[count++] = b->outputs[i].dims[k];
	gear = find_dims(m, values, count);
	if (gear < 0)
		die(EXIT_REFUSED, "'%s' has no gear for inputs with the sizes of the outputs of '%s'",
		    path, before);
	return gear;
}

static void pass_outputs(struct run *r, const struct outcome *b,
			 const char *path, const char *before)
{
	if (b->count != r->p->head->inputs)
		die(EXIT_REFUSED, "'%s' has %u inputs, and '%s' before it has %u outputs",
		    path, r->p->head->inputs, before, b->count);
	for (uint32_t i = 0; i < b->count; i++)
		die_if(EXIT_REFUSED, run_take(r, i, &b->outputs[i], before));
}

static void fill_inputs(struct run *r, const struct run_options *o)
{
	uint32_t count = r->p->head->inputs, i;
	uint64_t seed = o->seed;

	if (o->input_count && o->input_count != count)
		die(EXIT_USAGE, "the model has %u inputs, given %u by --input",
		    count, o->input_count);
	for (i = 0; i < count; i++) {
		if (o->input_count)
			die_if(EXIT_REFUSED, run_load(r, i, o->inputs[i]));
		else
			die_if(EXIT_FAILED, run_fill(r, i, &seed));
	}
}

/* Run a part; @before is the path of the part before, or NULL. */
static void run_part(struct outcome *out, const struct run_options *o,
		     const char *path, const char *before, bool is_last)
{
	struct model m;
	struct run r;

	die_if(EXIT_REFUSED, model_open(&m, path));
	die_if(EXIT_FAILED,
	       run_prepare(&r, &m, before ? gear_after(&m, out, path, before) :
				   choose_gear(&m, o->sizes), o->loop));
	if (is_last)
		outcome_check(o, r.p->head->outputs);
	if (before)
		pass_outputs(&r, out, path, before);
	else
		fill_inputs(&r, o);
	die_if(EXIT_FAILED, o->on_host ? run_on_host(&r) : run_on_device(&r));
	outcome_add(out, &r);
	take_outputs(out, &r);
	run_free(&r);
	model_close(&m);
}

void parts_run(struct outcome *out, const struct run_options *o,
	       char *const *paths, unsigned int count)
{
	outcome_init(out, o, 0);
	for (unsigned int i = 0; i < count; i++)
		run_part(out, o, paths[i], i ? paths[i - 1] : NULL,
			 i + 1 == count);
}
