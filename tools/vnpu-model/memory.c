// SPDX-License-Identifier: GPL-2.0-only
/* The command memory: planned memory of each tensor. */
#include <errno.h>
#include <stdlib.h>

#include "command.h"
#include "model.h"
#include "usage.h"

/* What is drawn. */
struct drawing {
	const struct program *p;
	const struct usage_tensor *tensors;
	size_t count;
};

static void draw(FILE *f, const void *data)
{
	const struct drawing *d = data;

	usage_draw(f, d->p, d->tensors, d->count);
}

static void print_tensors(struct out *o, const struct usage_tensor *t,
			  size_t count)
{
	static const struct out_column columns[] = {
		{ "offset", 12 }, { "bytes", 12 }, { "first", 6 },
		{ "last", 6 }, { "in place", -8 }, { "type", -18 },
		{ "node", 0 },
	};
	size_t i;

	out_list(o, "tensors", "tensors by the first step that uses them",
		 columns);
	for (i = 0; i < count; i++, t++) {
		out_row(o);
		out_uint(o, "offset_bytes", "", t->offset);
		out_uint(o, "size_bytes", "", t->bytes);
		out_uint(o, "first_step", "", t->first);
		out_uint(o, "last_step", "", t->last);
		out_bool(o, "in_place", "", t->in_place);
		out_text(o, "type", "", t->type);
		out_text(o, "node", "", t->name);
		out_row_end(o);
	}
	out_list_end(o);
}

static unsigned int gear_of(const struct model *m, const char *text)
{
	unsigned long gear;
	char *end;

	if (!text)
		return om_largest(&m->om);
	gear = strtoul(text, &end, 10);
	if (end == text || *end || gear >= m->gear_count)
		die(EXIT_USAGE, "--gear=%s: the model has gears 0 to %u", text,
		    m->gear_count - 1);
	return gear;
}

int command_memory(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "gear", required_argument, NULL, 'g' },
		{ "svg", required_argument, NULL, 's' },
		{ 0 }
	};
	const char *svg = NULL, *gear = NULL;
	struct usage_tensor *tensors;
	bool is_json = false;
	struct model m;
	struct program *p;
	struct out o;
	size_t count;
	int c;

	while ((c = next_option(argc, argv, options, "memory")) != -1) {
		is_json |= c == 'j';
		gear = c == 'g' ? optarg : gear;
		svg = c == 's' ? optarg : svg;
	}
	die_if(EXIT_REFUSED,
	       model_open(&m, only_operand(argc, argv, "memory")));
	p = &m.gears[gear_of(&m, gear)];
	tensors = usage_find(p, &count);
	if (!tensors)
		die(EXIT_FAILED, "out of memory");
	out_begin(&o, stdout, is_json);
	out_bytes(&o, "work_bytes", "work memory", p->head->work);
	out_bytes(&o, "work_without_reuse_bytes", "without reuse",
		  p->head->work_plain);
	out_bytes(&o, "weights_bytes", "weights", p->head->weights_size);
	out_uint(&o, "steps", "steps", p->head->steps);
	print_tensors(&o, tensors, count);
	if (svg)
		die_if(EXIT_FAILED,
		       file_print(svg, draw, &(struct drawing){ p, tensors,
								count }));
	if (out_end(&o))
		die(EXIT_FAILED, "standard output cannot be written");
	free(tensors);
	model_close(&m);
	return EXIT_DONE;
}
