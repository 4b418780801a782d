// SPDX-License-Identifier: GPL-2.0-only
/*
 * --insert_op_conf: a text of messages
 *
 *	aipp_op { aipp_mode: static  input_format: RGB888_U8  mean_chn_0: 124 }
 *	aipp_op { aipp_mode: dynamic  max_src_image_size: 150528 }
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../vnpu-model/file.h"
#include "aipp.h"
#include "message.h"

/* The most bytes that the images of a batch have. */
#define IMAGES_MAX	(1LL << 40)

/**
 * struct text - the file as it is read
 * @path: its path
 * @at: the next byte
 * @line: its line
 */
struct text {
	const char *path;
	const char *at;
	unsigned int line;
};

enum kind { NUMBER, SIZE, SWITCH, NONE };

#define AT(member) offsetof(struct edit_aipp, member)
#define MATRIX(r, c) \
	{ "matrix_r" #r "c" #c, NUMBER, AT(matrix[r][c]) }
#define CHANNEL(n)							\
	{ "mean_chn_" #n, NUMBER, AT(mean[n]) },			\
	{ "min_chn_" #n, NUMBER, AT(min[n]) },				\
	{ "var_reci_chn_" #n, NUMBER, AT(scale[n]) }

/* Fields, and where their values go. Those of NONE must be 0 or false. */
static const struct {
	const char *name;
	enum kind kind;
	size_t at;
} fields[] = {
	MATRIX(0, 0), MATRIX(0, 1), MATRIX(0, 2), MATRIX(1, 0), MATRIX(1, 1),
	MATRIX(1, 2), MATRIX(2, 0), MATRIX(2, 1), MATRIX(2, 2),
	CHANNEL(0), CHANNEL(1), CHANNEL(2), CHANNEL(3),
	{ "input_bias_0", NUMBER, AT(bias_in[0]) },
	{ "input_bias_1", NUMBER, AT(bias_in[1]) },
	{ "input_bias_2", NUMBER, AT(bias_in[2]) },
	{ "output_bias_0", NUMBER, AT(bias_out[0]) },
	{ "output_bias_1", NUMBER, AT(bias_out[1]) },
	{ "output_bias_2", NUMBER, AT(bias_out[2]) },
	{ "padding_value", NUMBER, AT(pad_value) },
	{ "src_image_size_w", SIZE, AT(width) },
	{ "src_image_size_h", SIZE, AT(height) },
	{ "load_start_pos_w", SIZE, AT(crop_x) },
	{ "load_start_pos_h", SIZE, AT(crop_y) },
	{ "crop_size_w", SIZE, AT(crop_width) },
	{ "crop_size_h", SIZE, AT(crop_height) },
	{ "left_padding_size", SIZE, AT(pad[0]) },
	{ "right_padding_size", SIZE, AT(pad[1]) },
	{ "top_padding_size", SIZE, AT(pad[2]) },
	{ "bottom_padding_size", SIZE, AT(pad[3]) },
	{ "crop", SWITCH, AT(crops) },
	{ "csc_switch", SWITCH, AT(converts) },
	{ "rbuv_swap_switch", SWITCH, AT(swaps_rb) },
	{ "ax_swap_switch", SWITCH, AT(swaps_x) },
	{ "padding", SWITCH, AT(pads) },
	{ "resize", NONE, 0 }, { "single_line_mode", NONE, 0 },
	{ "input_edge_idx", NONE, 0 },
};
#define FIELDS (sizeof(fields) / sizeof(*fields))

static void skip_blanks(struct text *t)
{
	for (; *t->at && strchr(" \t\r\n,;#", *t->at); t->at++) {
		if (*t->at == '#')
			t->at += strcspn(t->at, "\n");
		t->line += *t->at == '\n';
		if (!*t->at)
			break;
	}
}

/* Read a word, a number, or a text in quotes; "" at the end. */
static void read_word(struct text *t, char *word, size_t size)
{
	size_t n;

	skip_blanks(t);
	if (*t->at == '"') {
		n = strcspn(++t->at, "\"\n");
		if (t->at[n] != '"')
			die("'%s', line %u: a quote is not closed: '%.20s'",
			    t->path, t->line, t->at);
		snprintf(word, size, "%.*s", (int)n, t->at);
		t->at += n + 1;
		return;
	}
	n = strcspn(t->at, " \t\r\n,;#:{}\"");
	snprintf(word, size, "%.*s", (int)n, t->at);
	t->at += n;
}

static bool take_char(struct text *t, char c)
{
	skip_blanks(t);
	if (*t->at != c)
		return false;
	t->at++;
	return true;
}

static void take_format(struct edit_aipp *a, const struct text *t,
			const char *value)
{
	static const char *const names[] = {
		[VNPU_IMAGE_YUV420] = "YUV420SP_U8",
		[VNPU_IMAGE_XRGB] = "XRGB8888_U8",
		[VNPU_IMAGE_RGB] = "RGB888_U8",
		[VNPU_IMAGE_GRAY] = "YUV400_U8",
	};
	unsigned int i;

	for (i = VNPU_IMAGE_YUV420; i <= VNPU_IMAGE_GRAY; i++) {
		if (strcmp(value, names[i]))
			continue;
		a->format = i;
		return;
	}
	die("'%s', line %u: input_format '%s' is not supported; YUV420SP_U8, RGB888_U8, XRGB8888_U8 and YUV400_U8 are",
	    t->path, t->line, value);
}

static bool take_switch(const struct text *t, const char *name,
			const char *value)
{
	if (!strcmp(value, "true") || !strcmp(value, "1"))
		return true;
	if (strcmp(value, "false") && strcmp(value, "0"))
		die("'%s', line %u: %s is '%s': must be true or false", t->path,
		    t->line, name, value);
	return false;
}

static double take_number(const struct text *t, const char *name,
			  const char *value, double least, double most)
{
	double number;
	char *end;

	number = strtod(value, &end);
	if (end == value || *end || !(number >= least && number <= most))
		die("'%s', line %u: %s is '%s': must be a number from %g to %g",
		    t->path, t->line, name, value, least, most);
	return number;
}

static int64_t take_size(const struct text *t, const char *name,
			 const char *value, long long least, long long most)
{
	long long number;
	char *end;

	errno = 0;
	number = strtoll(value, &end, 10);
	if (end == value || *end || errno || number < least || number > most)
		die("'%s', line %u: %s is '%s': must be an integer from %lld to %lld",
		    t->path, t->line, name, value, least, most);
	return number;
}

static void take_field(struct edit_aipp *a, const struct text *t,
		       const char *name, const char *value)
{
	unsigned int i;
	void *to;

	for (i = 0; i < FIELDS && strcmp(fields[i].name, name); i++)
		;
	if (i == FIELDS)
		die("'%s', line %u: field '%s' is not supported", t->path,
		    t->line, name);
	to = (char *)a + fields[i].at;
	switch (fields[i].kind) {
	case NUMBER:
		*(float *)to = take_number(t, name, value, -1e9, 1e9);
		break;
	case SIZE:
		*(int64_t *)to = take_size(t, name, value, 0, 65536);
		break;
	case SWITCH:
		*(bool *)to = take_switch(t, name, value);
		break;
	case NONE:
		if (take_switch(t, name, value))
			die("'%s', line %u: %s is not supported: change the image before",
			    t->path, t->line, name);
		break;
	}
}

static void take(struct edit_aipp *a, const struct text *t, const char *name,
		 const char *value)
{
	if (!strcmp(name, "aipp_mode")) {
		a->is_dynamic = !strcmp(value, "dynamic");
		if (!a->is_dynamic && strcmp(value, "static"))
			die("'%s', line %u: aipp_mode is '%s': must be static or dynamic",
			    t->path, t->line, value);
	} else if (!strcmp(name, "max_src_image_size")) {
		a->max_bytes = take_size(t, name, value, 1, IMAGES_MAX);
	} else if (!strcmp(name, "input_format")) {
		take_format(a, t, value);
	} else if (!strcmp(name, "related_input_name")) {
		free((char *)a->input);
		a->input = strdup(value);
		if (!a->input)
			die("out of memory");
	} else if (!strcmp(name, "related_input_rank")) {
		a->rank = take_size(t, name, value, 0, 65536);
	} else {
		take_field(a, t, name, value);
	}
}

/* Whether a field is a value of the preprocessing. */
static bool is_value(const char *name)
{
	return strcmp(name, "aipp_mode") &&
	       strcmp(name, "max_src_image_size") &&
	       strncmp(name, "related_input_", strlen("related_input_"));
}

/* Check that an entry has the fields that its mode needs. */
static void check_op(const struct edit_aipp *a, const struct text *t,
		     bool has_mode, bool has_format, bool has_values)
{
	if (!has_mode || (!a->is_dynamic && !has_format))
		die("'%s', line %u: an aipp_op needs aipp_mode and input_format",
		    t->path, t->line);
	if (a->is_dynamic && !a->max_bytes)
		die("'%s', line %u: an aipp_op with aipp_mode: dynamic needs max_src_image_size",
		    t->path, t->line);
	if (a->is_dynamic && has_values)
		note("'%s', line %u: each run gives the values of dynamic preprocessing, so those of the file have no meaning",
		     t->path, t->line);
}

static void read_op(struct edit_aipp *a, struct text *t, bool is_nhwc)
{
	char name[64], value[256];
	bool has_mode = false, has_format = false, has_values = false;
	unsigned int i;

	*a = (struct edit_aipp){ .is_nhwc = is_nhwc };
	for (i = 0; i < VNPU_IMAGE_CHANNELS; i++)
		a->scale[i] = 1;
	while (!take_char(t, '}')) {
		read_word(t, name, sizeof(name));
		if (!*name || !take_char(t, ':'))
			die("'%s', line %u: expected FIELD: VALUE or }, given '%.20s'",
			    t->path, t->line, *name ? name : t->at);
		read_word(t, value, sizeof(value));
		has_mode |= !strcmp(name, "aipp_mode");
		has_format |= !strcmp(name, "input_format");
		has_values |= is_value(name);
		take(a, t, name, value);
	}
	check_op(a, t, has_mode, has_format, has_values);
}

void aipp_read(struct aipp *a, const char *path, bool is_nhwc)
{
	struct text t = { .path = path, .line = 1 };
	struct file f;
	char word[64];

	a->count = 0;
	die_if(file_read(&f, path));
	t.at = f.data;
	if (strlen(t.at) != f.size)
		die("'%s' is no text: it has a byte 0", path);
	for (;;) {
		read_word(&t, word, sizeof(word));
		if (!*word && !*t.at)
			break;
		if (strcmp(word, "aipp_op") ||
		    (take_char(&t, ':'), !take_char(&t, '{')))
			die("'%s', line %u: expected aipp_op {, given '%.20s'",
			    path, t.line, *word ? word : t.at);
		if (a->count == AIPP_MAX)
			die("'%s' has more than %d aipp_op", path, AIPP_MAX);
		read_op(&a->ops[a->count++], &t, is_nhwc);
	}
	if (!a->count)
		die("'%s' has no aipp_op", path);
	file_free(&f);
}

bool aipp_is_dynamic(const struct aipp *a)
{
	unsigned int i;

	for (i = 0; i < a->count && !a->ops[i].is_dynamic; i++)
		;
	return i < a->count;
}

void aipp_free(struct aipp *a)
{
	while (a->count)
		free((char *)a->ops[--a->count].input);
}
