// SPDX-License-Identifier: MIT
/*
 * The configuration of a dump, see config.h.
 *
 * A member that CANN does not document has no effect but a line in the log, since
 * a later version of CANN may define it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "config.h"
#include "file.h"

#define RANGES_MAX	100
#define NAMES_MAX	1024	/* models, or layers of one */
#define SHOWN_MAX	200	/* bytes of a value in a message */

/**
 * struct reader - a configuration that is being read
 * @file: name of the file
 * @dump: the result
 * @result: code of the first error, which was reported
 * @members: number of members of the object
 * @has_scene: the dump is one of operators that fail
 */
struct reader {
	const char *file;
	struct vnpu_dump *dump;
	aclError result;
	unsigned int members;
	bool has_scene;
};

static aclError no_memory(void)
{
	return vnpu_error(ACL_ERROR_BAD_ALLOC,
			  "no host memory for the configuration of a dump");
}

/* Refuse a value, and name the innermost member of an object that contains it. */
static aclError refuse(const struct reader *r,
		       const struct vnpu_json_value *value,
		       const char *allowed)
{
	const struct vnpu_json_step *key = &value->path[value->depth - 1];
	const char *text = value->text;
	size_t length = value->length;

	while (!key->name)
		key--;
	if (value->kind <= VNPU_JSON_ARRAY) {
		text = value->kind == VNPU_JSON_ARRAY ? "[...]" : "{...}";
		length = 5;
	}
	return vnpu_error(ACL_ERROR_INVALID_DUMP_CONFIG,
		"%.*s = %.*s in \"%s\" is not valid; use %s",
		(int)key->length, key->name,
		(int)(length < SHOWN_MAX ? length : SHOWN_MAX), text, r->file,
		allowed);
}

/* Decode a string into memory that replaces @string, or report an error. */
static aclError set_string(const struct reader *r,
			   const struct vnpu_json_value *value, char **string)
{
	if (value->kind != VNPU_JSON_STRING || !value->length)
		return refuse(r, value, "a string that is not empty");
	if (memmem(value->text, value->length, "\\u0000", 6))
		return refuse(r, value, "a string without \\u0000");
	free(*string);
	*string = vnpu_json_decode(value);
	return *string ? ACL_SUCCESS : no_memory();
}

/* Find a string in a list, or report an error with the list. */
static aclError choose(const struct reader *r,
		       const struct vnpu_json_value *value,
		       const char *const names[], size_t count, size_t *index)
{
	char allowed[256] = "";
	size_t length = 0;

	for (*index = 0; *index < count; ++*index)
		if (value->kind == VNPU_JSON_STRING &&
		    strlen(names[*index]) == value->length &&
		    !memcmp(names[*index], value->text, value->length))
			return ACL_SUCCESS;
	for (size_t i = 0; i < count; i++)
		length += snprintf(allowed + length, sizeof(allowed) - length,
				   "%s\"%s\"", !i ? "" : i + 1 < count ?
				   ", " : " or ", names[i]);
	return refuse(r, value, allowed);
}

static aclError set_path(struct reader *r, const struct vnpu_json_value *value)
{
	char *given = NULL;
	aclError ret = set_string(r, value, &given);

	if (ret)
		return ret;
	free(r->dump->path);
	r->dump->path = vnpu_dump_find_folder(given);
	free(given);
	if (r->dump->path)
		return ACL_SUCCESS;
	return errno == ENOMEM ? no_memory() : refuse(r, value,
		"a folder that exists, and that this user may write to");
}

static aclError set_mode(struct reader *r, const struct vnpu_json_value *value)
{
	static const char *const modes[] = { "input", "output", "all" };
	size_t mode;
	aclError ret = choose(r, value, modes, ARRAY_SIZE(modes), &mode);

	r->dump->inputs = mode != 1;
	r->dump->outputs = mode != 0;
	return ret;
}

/* The levels are the same here: an operator runs as one kernel. */
static aclError set_level(struct reader *r,
			  const struct vnpu_json_value *value)
{
	static const char *const levels[] = { "op", "kernel", "all" };
	size_t level;

	return choose(r, value, levels, ARRAY_SIZE(levels), &level);
}

static aclError set_data(struct reader *r, const struct vnpu_json_value *value)
{
	static const char *const kinds[] = { "tensor", "stats" };
	size_t kind;
	aclError ret = choose(r, value, kinds, ARRAY_SIZE(kinds), &kind);

	r->dump->stats = kind == 1;
	return ret;
}

static aclError set_operators(struct reader *r,
			      const struct vnpu_json_value *value)
{
	static const char *const states[] = { "off", "on" };
	size_t state;
	aclError ret = choose(r, value, states, ARRAY_SIZE(states), &state);

	r->dump->operators = state == 1;
	return ret;
}

static aclError set_debug(struct reader *r,
			  const struct vnpu_json_value *value)
{
	static const char *const states[] = { "off", "on" };
	size_t state;
	aclError ret = choose(r, value, states, ARRAY_SIZE(states), &state);

	if (ret || !state)
		return ret;
	return refuse(r, value,
		      "\"off\": operators that overflow are not dumped; aclrtGetOverflowStatus finds overflows");
}

/* Kernels that fail cause messages, but no such files. */
static aclError set_scene(struct reader *r,
			  const struct vnpu_json_value *value)
{
	static const char *const scenes[] = {
		"normal", "lite_exception", "aic_err_brief_dump",
		"aic_err_norm_dump", "aic_err_detail_dump", "watcher",
	};
	size_t scene;
	aclError ret = choose(r, value, scenes, ARRAY_SIZE(scenes), &scene);

	r->has_scene = scene != 0;
	return ret;
}

/* Read a number of digits; false without any, or for too many. */
static bool read_number(const char **at, uint64_t *number)
{
	const char *start = *at;

	*number = 0;
	for (; **at >= '0' && **at <= '9'; ++*at)
		*number = *number * 10 + (**at - '0');
	return *at > start && *at - start < 19;
}

/* Read the ranges of a text like "0|3-5|10"; false for any other text. */
static bool read_ranges(struct vnpu_dump *dump, const char *at)
{
	for (dump->nr_ranges = 0; dump->nr_ranges < RANGES_MAX; at++) {
		struct vnpu_dump_range *range =
			&dump->ranges[dump->nr_ranges++];

		if (!read_number(&at, &range->first))
			return false;
		range->last = range->first;
		if (*at == '-') {
			at++;
			if (!read_number(&at, &range->last) ||
			    range->last < range->first)
				return false;
		}
		if (*at != '|')
			return !*at;
	}
	return false;
}

static aclError set_step(struct reader *r, const struct vnpu_json_value *value)
{
	struct vnpu_dump *dump = r->dump;
	char *text = NULL;
	bool is_valid;
	aclError ret;

	if (value->kind == VNPU_JSON_STRING && !value->length)
		return ACL_SUCCESS;
	ret = set_string(r, value, &text);
	if (ret)
		return ret;
	if (!dump->ranges)
		dump->ranges = calloc(RANGES_MAX, sizeof(*dump->ranges));
	is_valid = dump->ranges && read_ranges(dump, text);
	free(text);
	if (!dump->ranges)
		return no_memory();
	return is_valid ? ACL_SUCCESS :
		refuse(r, value, "up to 100 runs or ranges, such as \"0|3-5|10\"");
}

static aclError begin_list(struct reader *r,
			   const struct vnpu_json_value *value)
{
	return value->kind == VNPU_JSON_ARRAY ? ACL_SUCCESS :
		refuse(r, value, "a list in brackets");
}

static aclError begin_stats(struct reader *r,
			    const struct vnpu_json_value *value)
{
	r->dump->columns = 0;
	return begin_list(r, value);
}

/* Read a value of the object itself. */
static aclError read_member(struct reader *r,
			    const struct vnpu_json_value *value)
{
	static const struct {
		const char *name;
		aclError (*set)(struct reader *r,
				const struct vnpu_json_value *value);
	} members[] = {
		{ "dump_path", set_path }, { "dump_mode", set_mode },
		{ "dump_level", set_level }, { "dump_data", set_data },
		{ "dump_op_switch", set_operators },
		{ "dump_debug", set_debug }, { "dump_scene", set_scene },
		{ "dump_step", set_step }, { "dump_list", begin_list },
		{ "dump_stats", begin_stats },
	};

	r->members++;
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (vnpu_json_is(value, 1, members[i].name))
			return members[i].set(r, value);
	vnpu_log(ACL_WARNING, __func__, "\"%.*s\" in \"%s\" has no effect",
		 (int)value->path[1].length, value->path[1].name, r->file);
	return ACL_SUCCESS;
}

/* Limit the elements of a list of names: each one is compared with all others. */
static aclError check_room(const struct reader *r,
			   const struct vnpu_json_value *value, size_t count)
{
	return count < NAMES_MAX ? ACL_SUCCESS :
		refuse(r, value, "at most 1024 elements");
}

static aclError add_model(struct reader *r,
			  const struct vnpu_json_value *value)
{
	struct vnpu_dump *dump = r->dump;
	struct vnpu_dump_model *more;
	aclError ret = check_room(r, value, dump->nr_models);

	if (ret)
		return ret;
	if (value->kind != VNPU_JSON_OBJECT)
		return refuse(r, value,
			      "objects such as {\"model_name\": \"NAME\"}");
	more = reallocarray(dump->models, dump->nr_models + 1, sizeof(*more));
	if (!more)
		return no_memory();
	dump->models = more;
	more[dump->nr_models++] = (struct vnpu_dump_model){ 0 };
	return ACL_SUCCESS;
}

static aclError add_layer(struct reader *r,
			  const struct vnpu_json_value *value)
{
	struct vnpu_dump_model *model =
		&r->dump->models[r->dump->nr_models - 1];
	aclError ret = check_room(r, value, model->count);
	char **more;

	if (ret)
		return ret;
	more = reallocarray(model->layers, model->count + 1, sizeof(*more));
	if (!more)
		return no_memory();
	model->layers = more;
	more[model->count] = NULL;
	/* It is freed with the others, also after an error. */
	return set_string(r, value, &more[model->count++]);
}

/* Read a value within dump_list. */
static aclError read_list(struct reader *r,
			  const struct vnpu_json_value *value)
{
	struct vnpu_dump *dump = r->dump;

	if (value->depth == 3)
		return add_model(r, value);
	if (vnpu_json_is(value, 3, "layer"))
		return value->depth == 4 ? begin_list(r, value) :
					   add_layer(r, value);
	if (vnpu_json_is(value, 3, "model_name"))
		return set_string(r, value,
				  &dump->models[dump->nr_models - 1].name);
	if (value->depth == 4)
		vnpu_log(ACL_WARNING, __func__,
			 "\"%.*s\" in \"%s\" has no effect",
			 (int)value->path[3].length, value->path[3].name,
			 r->file);
	return ACL_SUCCESS;
}

/* Read a value within dump_stats. */
static aclError read_stats(struct reader *r,
			   const struct vnpu_json_value *value)
{
	static const char *const names[] = { VNPU_DUMP_COLUMN_NAMES };
	size_t column;
	aclError ret = choose(r, value, names, ARRAY_SIZE(names), &column);

	if (!ret)
		r->dump->columns |= 1U << column;
	return ret;
}

static int read_value(void *data, const struct vnpu_json_value *value)
{
	struct reader *r = data;

	if (!vnpu_json_is(value, 0, "dump"))
		return 0;
	if (value->depth == 1 && value->kind != VNPU_JSON_OBJECT)
		r->result = refuse(r, value, "an object in braces");
	else if (value->depth == 2)
		r->result = read_member(r, value);
	else if (vnpu_json_is(value, 1, "dump_list"))
		r->result = read_list(r, value);
	else if (vnpu_json_is(value, 1, "dump_stats"))
		r->result = read_stats(r, value);
	return r->result;
}

/* Refuse two elements of dump_list for one model. */
static aclError check_names(const struct reader *r)
{
	const struct vnpu_dump_model *models = r->dump->models;

	for (size_t i = 0; i < r->dump->nr_models; i++)
		for (size_t j = 0; j < i; j++)
			if (models[i].name && models[j].name &&
			    !strcmp(models[i].name, models[j].name))
				return vnpu_error(ACL_ERROR_INVALID_DUMP_CONFIG,
					"model_name = %s is twice in dump_list of \"%s\"; use one element with all layers",
					models[i].name, r->file);
	return ACL_SUCCESS;
}

/* Check the members together. */
static aclError check(const struct reader *r)
{
	const struct vnpu_dump *dump = r->dump;

	if (!dump->path)
		return vnpu_error(ACL_ERROR_INVALID_DUMP_CONFIG,
			"\"%s\" has no dump_path; name a folder that exists",
			r->file);
	if (!dump->nr_models && !dump->operators)
		return vnpu_error(ACL_ERROR_INVALID_DUMP_CONFIG,
			"dump_list in \"%s\" is missing or empty; use [{\"model_name\": \"NAME\"}], [{}] for all models, or dump_op_switch = \"on\"",
			r->file);
	return check_names(r);
}

static struct vnpu_dump *dump_alloc(void)
{
	struct vnpu_dump *dump = calloc(1, sizeof(*dump));
	time_t now = time(NULL);
	struct tm local;

	if (!dump)
		return NULL;
	atomic_init(&dump->refs, 1);
	dump->outputs = true;
	dump->columns = (1U << VNPU_DUMP_COLUMNS) - 1;
	if (localtime_r(&now, &local))
		strftime(dump->date, sizeof(dump->date), "%Y%m%d%H%M%S",
			 &local);
	return dump;
}

void vnpu_dump_free(struct vnpu_dump *dump)
{
	for (size_t i = 0; i < dump->nr_models; i++) {
		struct vnpu_dump_model *model = &dump->models[i];

		for (size_t j = 0; j < model->count; j++)
			free(model->layers[j]);
		free(model->layers);
		free(model->name);
	}
	free(dump->models);
	free(dump->ranges);
	free(dump->path);
	free(dump);
}

aclError vnpu_dump_parse(const char *file, const char *text,
			 struct vnpu_dump **dump)
{
	struct reader r = { .file = file, .dump = dump_alloc() };

	if (!r.dump)
		return no_memory();
	if (vnpu_json_walk(text, strlen(text), read_value, &r) && !r.result)
		r.result = vnpu_error(ACL_ERROR_PARSE_FILE,
			"\"%s\" does not contain a JSON object (nested at most ten deep); correct it",
			file);
	if (!r.result && r.members && !r.has_scene)
		r.result = check(&r);
	if (!r.result && r.members && !r.has_scene) {
		*dump = r.dump;
		return ACL_SUCCESS;
	}
	*dump = NULL;
	vnpu_dump_free(r.dump);
	return r.result;
}
