// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: CSV output of a JSON document.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../common/json.h"
#include "csv.h"

/* A line end inside quotes is allowed; other control characters are not. */
static void print_char(FILE *f, const unsigned char *s, size_t length)
{
	if (!length)
		fputs("\xef\xbf\xbd", f);	/* U+FFFD, as in JSON */
	else if (*s != '\n' && json_utf8_is_control(s))
		putc('?', f);
	else
		fwrite(s, 1, length, f);
}

/* The name of a process may contain anything. */
void csv_print(FILE *f, const char *string)
{
	const unsigned char *s = (const unsigned char *)string;
	bool is_quoted = string[strcspn(string, ",\"\n")];

	if (is_quoted)
		putc('"', f);
	while (*s) {
		size_t length = json_utf8_length(s);

		if (*s == '"')
			putc('"', f);
		print_char(f, s, length);
		s += length ? length : 1;
	}
	if (is_quoted)
		putc('"', f);
}

/* Check whether @outer is the list @inner, or contains it. */
static bool is_around(const struct csv_list *outer,
		      const struct csv_list *inner)
{
	size_t length;

	if (!outer->path || outer == inner)
		return true;
	if (!inner->path)
		return false;
	length = strlen(outer->path);
	return !strncmp(outer->path, inner->path, length) &&
	       inner->path[length] == '.';
}

/*
 * Get the next word of a comma-separated list, or NULL; *@pos moves behind it.
 */
static const char *next_word(const char **pos, size_t *length)
{
	const char *word = *pos;

	if (!word)
		return NULL;
	*length = strcspn(word, ",");
	*pos = word[*length] ? word + *length + 1 : NULL;
	return word;
}

static bool add_column(struct csv *csv, const struct csv_list *list,
		       const char *key, size_t length)
{
	if (csv->column_count == CSV_MAX_COLUMNS)
		return false;
	csv->columns[csv->column_count++] = (struct csv_column){
		.list = list,
		.key = key,
		.length = length,
	};
	return true;
}

/* For a list other than the first, prepend the columns of the outer lists. */
static void add_default_columns(struct csv *csv)
{
	const struct csv_list *list, *rows = csv->rows;
	const char *keys, *key;
	size_t length, inner;

	for (inner = 0; inner < 2; inner++)
		for (list = csv->lists; list->keys; list++) {
			if ((list == rows) != inner || !is_around(list, rows))
				continue;
			keys = list->keys;
			while ((key = next_word(&keys, &length)))
				add_column(csv, list, key, length);
		}
}

static bool find_key(const struct csv_list *list, const char *name,
		     size_t length, const char **found)
{
	size_t prefix = strlen(list->prefix), key_length;
	const char *keys = list->keys, *key;

	if (length <= prefix || strncmp(name, list->prefix, prefix))
		return false;
	while ((key = next_word(&keys, &key_length)))
		if (key_length == length - prefix &&
		    !strncmp(key, name + prefix, key_length)) {
			*found = key;
			return true;
		}
	return false;
}

static enum smi_exit add_field(struct csv *csv, const char *name, size_t length)
{
	const struct csv_list *list;
	const char *key;

	for (list = csv->lists; list->keys; list++)
		if (find_key(list, name, length, &key))
			break;
	if (!list->keys)
		return fail(SMI_USAGE, "unknown field '%.*s'", (int)length,
			    name);
	if (!csv->rows || is_around(csv->rows, list))
		csv->rows = list;
	else if (!is_around(list, csv->rows))
		return fail(SMI_USAGE,
			    "field '%.*s' belongs to another list than the fields before it",
			    (int)length, name);
	if (!add_column(csv, list, key, length - strlen(list->prefix)))
		return fail(SMI_USAGE, "too many fields");
	return SMI_OK;
}

enum smi_exit csv_init(struct csv *csv, FILE *f, const struct csv_list *lists,
		       const char *fields)
{
	enum smi_exit status = SMI_OK;
	const char *name;
	size_t length;

	*csv = (struct csv){ .f = f, .lists = lists };
	if (!fields) {
		csv->rows = lists;
		add_default_columns(csv);
		return SMI_OK;
	}
	while (!status && (name = next_word(&fields, &length)))
		status = add_field(csv, name, length);
	return status;
}

void csv_fini(struct csv *csv)
{
	size_t i;

	for (i = 0; i < csv->column_count; i++)
		free(csv->columns[i].value);
	csv->column_count = 0;
}

static bool is_current(const struct csv *csv, const struct csv_list *list)
{
	return !strcmp(list->path ? list->path : "", csv->list);
}

static void print_head(struct csv *csv)
{
	size_t i;

	for (i = 0; i < csv->column_count; i++) {
		const struct csv_column *c = &csv->columns[i];

		fprintf(csv->f, "%s%s%.*s", i ? "," : "", c->list->prefix,
			(int)c->length, c->key);
	}
	putc('\n', csv->f);
}

static void print_row(struct csv *csv)
{
	size_t i;

	for (i = 0; i < csv->column_count; i++) {
		if (i)
			putc(',', csv->f);
		if (csv->columns[i].value)
			csv_print(csv->f, csv->columns[i].value);
	}
	putc('\n', csv->f);
}

/* All keys are constants, and short. */
static void append(char path[CSV_PATH], size_t *length, const char *word)
{
	size_t more = strlen(word);

	if (*length + more + 2 > CSV_PATH)
		return;
	if (*length)
		path[(*length)++] = '.';
	memcpy(path + *length, word, more + 1);
	*length += more;
}

void csv_open(struct csv *csv, const char *key, char bracket)
{
	struct csv_frame *frame = &csv->frames[csv->depth];

	if (!csv->depth)
		print_head(csv);
	*frame = (struct csv_frame){
		.list_length = csv->list_length,
		.key_length = csv->key_length,
		.is_list = bracket == '[',
		.is_row = bracket == '{' && !key && is_current(csv, csv->rows),
	};
	csv->depth++;
	if (frame->is_list) {
		append(csv->list, &csv->list_length, key);
	} else if (key) {
		append(csv->key, &csv->key_length, key);
	}
}

/* The next object of the list need not have all values of this one. */
static void forget_values(struct csv *csv)
{
	size_t i;

	for (i = 0; i < csv->column_count; i++)
		if (is_current(csv, csv->columns[i].list)) {
			free(csv->columns[i].value);
			csv->columns[i].value = NULL;
		}
}

void csv_close(struct csv *csv)
{
	const struct csv_frame *frame = &csv->frames[--csv->depth];

	if (frame->is_row)
		print_row(csv);
	if (!frame->is_list && frame->key_length == csv->key_length)
		forget_values(csv);
	csv->list_length = frame->list_length;
	csv->list[csv->list_length] = '\0';
	csv->key_length = frame->key_length;
}

static bool is_of(const struct csv *csv, const struct csv_column *c,
		  const char *key)
{
	size_t outer = csv->key_length;
	const char *rest = c->key + (outer ? outer + 1 : 0);

	if (!is_current(csv, c->list))
		return false;
	if (outer && (c->length <= outer || c->key[outer] != '.' ||
		      strncmp(c->key, csv->key, outer)))
		return false;
	return strlen(key) == c->length - (size_t)(rest - c->key) &&
	       !strncmp(rest, key, strlen(key));
}

void csv_string(struct csv *csv, const char *key, const char *value)
{
	size_t i;

	for (i = 0; i < csv->column_count; i++) {
		struct csv_column *c = &csv->columns[i];

		if (!is_of(csv, c, key))
			continue;
		free(c->value);
		c->value = strdup(value);
		if (!c->value)
			csv->has_failed = true;
	}
}

void csv_uint(struct csv *csv, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	csv_string(csv, key, text);
}
