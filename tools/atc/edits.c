// SPDX-License-Identifier: GPL-2.0-only
/* Options that change the graph. See edits.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edits.h"
#include "message.h"

static const struct {
	const char *name;
	unsigned int dtype;
} types[] = {
	{ "FP32", VNPU_DT_F32 }, { "FP16", VNPU_DT_F16 },
	{ "UINT8", VNPU_DT_U8 }, { "INT8", VNPU_DT_I8 },
};

static unsigned int type_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		if (!strcasecmp(types[i].name, name))
			return types[i].dtype;
	return VNPU_DT_NONE;
}

/* Call a function for each part of a list with semicolons. */
static int for_each(struct graph *g, const char *list,
		    int (*function)(struct graph *g, char *part))
{
	char *copy = strdup(list), *part, *rest;
	int err = 0;

	if (!copy)
		return graph_fail(g, -ENOMEM, "out of memory");
	for (part = strtok_r(copy, ";", &rest); part && !err;
	     part = strtok_r(NULL, ";", &rest))
		err = function(g, part);
	free(copy);
	return err;
}

static int set_output_type(struct graph *g, char *part)
{
	char *colon = strrchr(part, ':');
	unsigned int dtype = colon ? type_of(colon + 1) : VNPU_DT_NONE;

	if (!dtype)
		return graph_fail(g, -EINVAL, "--output_type: '%.60s' is neither FP32, FP16, UINT8 or INT8, nor NODE:INDEX with one of these behind a colon",
				  part);
	*colon = '\0';
	return edit_output_type(g, part, dtype);
}

static int set_output_types(struct graph *g, const char *list)
{
	unsigned int dtype = type_of(list);

	if (dtype)
		return edit_output_type(g, NULL, dtype);
	return for_each(g, list, set_output_type);
}

static int set_fp16(struct graph *g, char *name)
{
	return edit_input_type(g, name, VNPU_DT_F16);
}

static int set_outputs(struct graph *g, const char *list)
{
	char *copy = strdup(list), *part, *rest;
	const char **names = calloc(strlen(list) + 1, sizeof(*names));
	unsigned int count = 0;
	int err;

	if (copy && names)
		for (part = strtok_r(copy, ";", &rest); part;
		     part = strtok_r(NULL, ";", &rest))
			names[count++] = part;
	if (!copy || !names)
		err = graph_fail(g, -ENOMEM, "out of memory");
	else if (!count)
		err = graph_fail(g, -EINVAL, "--out_nodes has no name");
	else
		err = edit_outputs(g, names, count);
	free(names);
	free(copy);
	return err;
}

/* Keep the names of outputs, which are those of CANN: "NODE:INDEX:TENSOR". */
static int keep_names(struct graph *g, struct built *b)
{
	unsigned int i;

	if (b->names)
		return 0;
	b->names = calloc(g->output_count + 1, sizeof(*b->names));
	for (i = 0; b->names && i < g->output_count; i++) {
		const struct graph_value *v = g->outputs[i];
		const char *node = v->node && *v->node->name ?
				   v->node->name : v->name;

		if (asprintf(&b->names[i], "%s:%u:%s", node, v->output,
			     v->name) < 0)
			break;
		b->name_count++;
	}
	if (!b->names || i < g->output_count)
		return graph_fail(g, -ENOMEM, "out of memory");
	return 0;
}

/* Append lines about an image; the first is the same in all gears. */
static int keep_lines(struct graph *g, struct built *b,
		      const struct om_image *image, const int64_t *shape)
{
	char line[OM_IMAGE_LINE], shape_line[OM_IMAGE_LINE], *lines;
	const char *before = b->lines ? b->lines : "";

	om_image_print(line, image);
	om_image_print_shape(shape_line, image->input, shape);
	if (asprintf(&lines, "%s%s%s", before,
		     strstr(before, line) ? "" : line, shape_line) < 0)
		return graph_fail(g, -ENOMEM, "out of memory");
	free(b->lines);
	b->lines = lines;
	return 0;
}

static int add_images(struct graph *g, const struct edits *e)
{
	struct om_image image;
	int64_t shape[4];
	unsigned int i;

	for (i = 0; i < e->aipp.count; i++)
		if (edit_aipp(g, &e->aipp.ops[i], &image, shape) ||
		    (e->keeps_lines && keep_lines(g, e->built, &image, shape)))
			return g->err;
	return 0;
}

int edits_apply(struct graph *g, const void *data)
{
	const struct edits *e = data;
	const struct options *o = e->options;

	if (o->out_nodes && set_outputs(g, o->out_nodes))
		return g->err;
	if (keep_names(g, e->built))
		return g->err;
	if (o->output_type && set_output_types(g, o->output_type))
		return g->err;
	if (add_images(g, e))
		return g->err;
	if (o->input_fp16_nodes)
		return for_each(g, o->input_fp16_nodes, set_fp16);
	return 0;
}
