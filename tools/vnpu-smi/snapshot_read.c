// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: read a snapshot from its file.
 *
 * Additions of later versions are ignored.  The file is not trusted: neither
 * its size, nor its depth, nor the range of its numbers.
 */
#include <errno.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "answer.h"
#include "snapshot.h"

#define MAX_FILE	(32 << 20)
#define MAX_DEPTH	16

/* No snapshot of that size has more of them. */
#define MAX_CONTAINERS	(1 << 18)	/* 800 bytes each for json-c */
#define MAX_VALUES	(1 << 21)

/*
 * Whole numbers that are not negative.  json-c gives the largest for one that
 * is larger still, and no field of ours comes to that.
 */
static bool read_uint(const struct json_object *object, uint64_t *value)
{
	if (!json_object_is_type(object, json_type_int) ||
	    json_object_get_int64(object) < 0)
		return false;
	*value = json_object_get_uint64(object);
	return *value != UINT64_MAX;
}

/* Read a name, cutting it to the size of the row's. */
static void read_name(struct json_object *object, struct snapshot_row *row)
{
	if (json_object_is_type(object, json_type_string))
		snprintf(row->name, sizeof(row->name), "%s",
			 json_object_get_string(object));
}

/* These return 0, -EINVAL for what is not a snapshot, or -ENOMEM. */

static int read_row(struct json_object *object,
		    const struct snapshot_table *table,
		    struct snapshot_list *list)
{
	struct snapshot_row *row = LIST_ADD(list->rows, list->count);
	size_t i;

	if (!row)
		return -ENOMEM;
	for (i = 0; table->fields[i].key; i++)
		if (!read_uint(json_object_object_get(object,
						      table->fields[i].key),
			       &row->values[i]))
			return -EINVAL;
	if (table->has_name)
		read_name(json_object_object_get(object, "name"), row);
	return 0;
}

static int read_table(struct json_object *object,
		      const struct snapshot_table *table,
		      struct snapshot_list *list)
{
	size_t i;
	int ret;

	if (!json_object_is_type(object, json_type_array))
		return -EINVAL;
	for (i = 0; i < json_object_array_length(object); i++) {
		ret = read_row(json_object_array_get_idx(object, i), table,
			       list);
		if (ret)
			return ret;
	}
	return 0;
}

static int read_snapshot(struct json_object *object, struct snapshot *s)
{
	enum snapshot_kind kind;
	uint64_t version;
	int ret = 0;

	if (!read_uint(json_object_object_get(object, "snapshot_version"),
		       &version) || version != 1)
		return -EINVAL;
	for (kind = 0; !ret && kind < SNAPSHOT_KINDS; kind++)
		ret = read_table(json_object_object_get(object,
							snapshot_tables[kind].key),
				 &snapshot_tables[kind], &s->lists[kind]);
	return ret;
}

/* A tree of the smallest values takes hundreds of times what its text does. */
static bool is_too_much(const char *text, size_t length)
{
	size_t containers = 0, values = 0, i;
	bool is_string = false;

	for (i = 0; i < length; i++) {
		if (text[i] == '"')
			is_string = !is_string;
		else if (is_string)
			i += text[i] == '\\';
		else if (text[i] == '{' || text[i] == '[')
			containers++;
		else if (text[i] == ',')
			values++;
	}
	return containers > MAX_CONTAINERS || values > MAX_VALUES;
}

static int parse(struct snapshot *s, const char *text, size_t length)
{
	struct json_tokener *tokener = json_tokener_new_ex(MAX_DEPTH);
	struct json_object *object;
	int ret = -EINVAL;

	if (!tokener)
		return -ENOMEM;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	object = json_tokener_parse_ex(tokener, text, (int)length);
	/* It takes a NUL for the end. */
	if (object && json_tokener_get_parse_end(tokener) == length)
		ret = read_snapshot(object, s);
	json_object_put(object);
	json_tokener_free(tokener);
	return ret;
}

/* The text of a file, to be freed, and its length; NULL with errno. */
static char *load(const char *file, size_t *length)
{
	FILE *f = fopen(file, "re");
	char *text = f ? malloc(MAX_FILE) : NULL;
	int error = 0;

	if (text) {
		*length = fread(text, 1, MAX_FILE, f);
		if (ferror(f))
			error = errno;
		else if (*length == MAX_FILE)
			error = EFBIG;
	}
	if (f)
		fclose(f);
	if (error) {
		free(text);
		errno = error;
		return NULL;
	}
	return text;
}

enum smi_exit snapshot_read(struct snapshot *s, const char *file)
{
	enum smi_exit status = SMI_OK;
	size_t length = 0;
	char *text;
	int ret;

	*s = (struct snapshot){ 0 };
	text = load(file, &length);
	if (!text)
		return fail(SMI_FAILED, "cannot read '%s': %s", file,
			    strerror(errno));
	ret = is_too_much(text, length) ? -EINVAL : parse(s, text, length);
	if (ret)
		status = ret == -ENOMEM ? fail_memory() :
			 fail(SMI_FAILED, "'%s' is not a snapshot of vnpu-smi",
			      file);
	free(text);
	snapshot_sort(s);
	return status;
}
