// SPDX-License-Identifier: GPL-2.0-only
/* Shapes of inputs. See shapes.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "ranges.h"
#include "shapes.h"

static void *need_memory(void *p)
{
	if (!p)
		die("out of memory");
	return p;
}

int64_t shapes_size(const char **at, const char *option, bool may_be_free)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(*at, &end, 10);
	if (end == *at || errno || value > VNPU_TENSOR_MAX ||
	    (value < 1 && !(may_be_free && value == -1)))
		die("--%s: '%.40s' does not begin with a size from 1 to %lld%s",
		    option, *at, (long long)VNPU_TENSOR_MAX,
		    may_be_free ? ", or -1 for one that gears decide" : "");
	*at = end;
	return value;
}

/* Read sizes with commas between them. */
static void read_dims(struct compile_shape *s, const char *text)
{
	const char *at = text;

	while (*at) {
		if (s->rank == VNPU_TENSOR_DIMS)
			break;
		s->dims[s->rank++] = shapes_size(&at, "input_shape", true);
		if (*at != ',')
			break;
		at++;
	}
	if (*at || (*text && at[-1] == ','))
		die("--input_shape: '%s' is no list of at most %d sizes with commas between them",
		    text, VNPU_TENSOR_DIMS);
}

/*
 * Read "NAME:N,N;NAME:N". Names may contain colons; the text stays as long as
 * the shapes.
 */
static void read_inputs(struct shapes *s, char *text)
{
	char *part, *rest, *colon;
	unsigned int i;

	for (part = strtok_r(text, ";", &rest); part;
	     part = strtok_r(NULL, ";", &rest)) {
		struct compile_shape *shape;

		colon = strrchr(part, ':');
		if (!colon || colon == part)
			die("--input_shape: '%s' is not NAME:N,N,...", part);
		s->all = need_memory(reallocarray(s->all, s->inputs + 1,
						  sizeof(*s->all)));
		shape = &s->all[s->inputs++];
		*colon = '\0';
		*shape = (struct compile_shape){ .name = part };
		read_dims(shape, colon + 1);
		for (i = 0; i + 1 < s->inputs; i++)
			if (!strcmp(s->all[i].name, part))
				die("--input_shape: input '%s' is given twice",
				    part);
		for (i = 0; i < shape->rank; i++)
			s->free += shape->dims[i] < 0;
	}
}

/* Give the sizes that are free in all inputs the values of a gear. */
static void set_gear(struct compile_shape *shapes, unsigned int inputs,
		     const int64_t *values, unsigned int step)
{
	unsigned int i, k, next = 0;

	for (i = 0; i < inputs; i++)
		for (k = 0; k < shapes[i].rank; k++)
			if (shapes[i].dims[k] < 0)
				shapes[i].dims[k] = values[step * next++];
}

static bool is_same(const struct compile_shape *a,
		    const struct compile_shape *b, unsigned int inputs)
{
	unsigned int i;

	for (i = 0; i < inputs; i++)
		if (memcmp(a[i].dims, b[i].dims, a[i].rank * sizeof(*a->dims)))
			return false;
	return true;
}

static void add_gear(struct shapes *s, const struct compile_shape *template,
		     const int64_t *values, unsigned int step,
		     const char *option)
{
	struct compile_shape *to;
	unsigned int i;

	if (s->gears == SHAPES_GEARS)
		die("--%s has more than %d gears", option, SHAPES_GEARS);
	s->all = need_memory(reallocarray(s->all,
					  (size_t)(s->gears + 1) * s->inputs,
					  sizeof(*s->all)));
	to = s->all + (size_t)s->gears * s->inputs;
	memcpy(to, template, s->inputs * sizeof(*to));
	set_gear(to, s->inputs, values, step);
	for (i = 0; i < s->gears; i++)
		if (is_same(s->all + (size_t)i * s->inputs, to, s->inputs))
			die("--%s: gears %u and %u are the same", option, i,
			    s->gears);
	s->gears++;
}

/*
 * Read the gears. @width: values of each; 0: as many as sizes are free. With
 * @shared, gears are one value for all free sizes, with commas between them.
 */
static void read_gears(struct shapes *s, const char *option, const char *text,
		       unsigned int width, bool shared)
{
	struct compile_shape *template = s->all;
	int64_t *values = need_memory(calloc(width + 1, sizeof(*values)));
	const char *at = text, *separator = shared ? "," : ";";
	unsigned int i;

	s->all = NULL;
	s->gears = 0;
	do {
		for (i = 0; i < width; i++) {
			values[i] = shapes_size(&at, option, false);
			if (i + 1 < width && *at++ != ',')
				die("--%s: each gear has %u sizes with commas between them, given '%s'",
				    option, width, text);
		}
		add_gear(s, template, values, !shared, option);
		if (*at && *at != *separator)
			die("--%s: '%.20s' follows a gear, expected '%s'",
			    option, at, separator);
	} while (*at++ && *at);
	if (s->gears < 2)
		die("--%s needs at least two gears; one shape is given by --input_shape alone",
		    option);
	free(values);
	free(template);
}

/* Check that the sizes that are free are those that the gears are for. */
static void check_free(const struct shapes *s, const char *option,
		       unsigned int first, unsigned int last)
{
	unsigned int i, k;

	for (i = 0; i < s->inputs; i++)
		for (k = 0; k < s->all[i].rank; k++)
			if (s->all[i].dims[k] < 0 && (k < first || k > last))
				die("--%s: dimension %u of input '%s' is -1 in --input_shape, but these gears are for dimension %u%s",
				    option, k, s->all[i].name, first,
				    last > first ? " and the next one" : "");
}

static void take_gears(struct shapes *s, const struct options *o)
{
	bool is_nhwc = o->input_format && !strcmp(o->input_format, "NHWC");

	if (o->dynamic_batch_size) {
		check_free(s, "dynamic_batch_size", 0, 0);
		read_gears(s, "dynamic_batch_size", o->dynamic_batch_size, 1,
			   true);
	} else if (o->dynamic_image_size) {
		check_free(s, "dynamic_image_size", is_nhwc ? 1 : 2,
			   is_nhwc ? 2 : 3);
		if (s->free != 2)
			die("--dynamic_image_size needs one input with -1 for its height and its width");
		read_gears(s, "dynamic_image_size", o->dynamic_image_size, 2,
			   false);
	} else {
		read_gears(s, "dynamic_dims", o->dynamic_dims, s->free, false);
	}
}

void shapes_read(struct shapes *s, const struct options *o)
{
	unsigned int kinds = !!o->dynamic_batch_size +
			     !!o->dynamic_image_size + !!o->dynamic_dims;
	const char *range = o->input_shape_range;

	*s = (struct shapes){ .gears = 1 };
	if (!range && o->input_shape && strchr(o->input_shape, '~'))
		range = o->input_shape;
	if (kinds > 1)
		die("--dynamic_batch_size, --dynamic_image_size and --dynamic_dims exclude each other");
	if (range && kinds)
		die("ranges of sizes and gears exclude each other: give either --input_shape_range or --dynamic_batch_size, --dynamic_image_size or --dynamic_dims");
	if (o->input_shape_range && o->input_shape)
		die("--input_shape and --input_shape_range exclude each other: give all shapes by one of them");
	if (range) {
		ranges_read(s, o->input_shape_range ? "input_shape_range" :
						      "input_shape", range);
		return;
	}
	if (o->input_shape) {
		s->text = need_memory(strdup(o->input_shape));
		read_inputs(s, s->text);
	}
	if (kinds && !s->free)
		die("gears need --input_shape with -1 for each size that differs, as --input_shape=\"x:-1,3,224,224\"");
	if (!kinds && s->free)
		die("--input_shape has -1 for a size: give it, a range as 1~8, or gears by --dynamic_batch_size, --dynamic_image_size or --dynamic_dims");
	if (kinds)
		take_gears(s, o);
}

void shapes_free(struct shapes *s)
{
	free(s->all);
	free(s->text);
}
