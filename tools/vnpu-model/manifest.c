// SPDX-License-Identifier: GPL-2.0-only
/* Reading lists of shards. See manifest.h. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "manifest.h"

bool manifest_is(const char *path)
{
	size_t length = strlen(path);

	return length > 5 && !strcmp(path + length - 5, ".json");
}

/* Get a member of a type, or return NULL. */
static struct json_object *get(struct json_object *o, const char *key,
			       enum json_type type)
{
	struct json_object *member;

	return o && json_object_is_type(o, json_type_object) &&
	       json_object_object_get_ex(o, key, &member) &&
	       json_object_is_type(member, type) ? member : NULL;
}

/* Get a number that is not negative; false if there is none. */
static bool get_number(struct json_object *o, const char *key, uint64_t *value)
{
	struct json_object *member = get(o, key, json_type_int);

	if (!member || json_object_get_int64(member) < 0)
		return false;
	*value = json_object_get_int64(member);
	return true;
}

static bool get_names(struct json_object *o, const char *key,
		      const char ***names, uint32_t *count)
{
	struct json_object *list = get(o, key, json_type_array);
	size_t length = list ? json_object_array_length(list) : 0;

	*names = calloc(length + 1, sizeof(**names));
	for (size_t i = 0; *names && i < length; i++) {
		struct json_object *name = json_object_array_get_idx(list, i);

		if (!json_object_is_type(name, json_type_string))
			return false;
		(*names)[i] = json_object_get_string(name);
	}
	*count = length;
	return list && *names;
}

static unsigned int find_type(const char *name)
{
	for (unsigned int i = 1; i < VNPU_DT_COUNT; i++)
		if (!strcmp(vnpu_dtype_name(i), name))
			return i;
	return VNPU_DT_NONE;
}

static bool get_input(struct json_object *o, struct tensor *t,
		      const char **name)
{
	struct json_object *text = get(o, "name", json_type_string);
	struct json_object *type = get(o, "type", json_type_string);
	struct json_object *shape = get(o, "shape", json_type_array);
	size_t rank = shape ? json_object_array_length(shape) : 0;
	int64_t elements = 1;

	if (!text || !type || !shape || rank > VNPU_TENSOR_DIMS)
		return false;
	*name = json_object_get_string(text);
	t->dtype = find_type(json_object_get_string(type));
	t->rank = rank;
	for (size_t i = 0; i < rank; i++) {
		t->dims[i] = json_object_get_int64(
			json_object_array_get_idx(shape, i));
		if (t->dims[i] < 0 ||
		    __builtin_mul_overflow(elements, t->dims[i], &elements) ||
		    elements > VNPU_TENSOR_MAX)
			return false;
	}
	t->bytes = elements * (vnpu_dtype_bits(t->dtype) / 8);
	return t->dtype != VNPU_DT_NONE;
}

static bool get_inputs(struct manifest *m)
{
	struct json_object *list = get(m->json, "inputs", json_type_array);
	size_t count = list ? json_object_array_length(list) : 0;

	m->inputs = calloc(count + 1, sizeof(*m->inputs));
	m->input_names = calloc(count + 1, sizeof(*m->input_names));
	if (!list || !m->inputs || !m->input_names)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!get_input(json_object_array_get_idx(list, i),
			       &m->inputs[i], &m->input_names[i]))
			return false;
	m->input_count = count;
	return true;
}

/* Get a shard; its file is one in the folder, without a way out of it. */
static bool get_shard(struct json_object *o, struct manifest_shard *s,
		      const char *folder)
{
	struct json_object *file = get(o, "file", json_type_string);
	const char *name = file ? json_object_get_string(file) : "";

	if (!*name || strchr(name, '/') ||
	    asprintf(&s->file, "%s/%s", folder, name) < 0)
		return false;
	return get_number(o, "bytes", &s->bytes) &&
	       get_names(o, "inputs", &s->in, &s->ins) &&
	       get_names(o, "outputs", &s->out, &s->outs);
}

static bool get_shards(struct manifest *m, const char *folder)
{
	struct json_object *list = get(m->json, "shards", json_type_array);
	size_t count = list ? json_object_array_length(list) : 0;

	m->shards = calloc(count + 1, sizeof(*m->shards));
	if (!count || !m->shards || !folder)
		return false;
	m->shard_count = count;
	for (size_t i = 0; i < count; i++)
		if (!get_shard(json_object_array_get_idx(list, i),
			       &m->shards[i], folder))
			return false;
	return true;
}

char *manifest_read(struct manifest *m, const char *path)
{
	char *message, *folder = file_folder(path);
	uint64_t version = 0;
	struct file f;

	*m = (struct manifest){ 0 };
	message = file_read(&f, path);
	if (message) {
		free(folder);
		return message;
	}
	m->json = json_tokener_parse(f.data);
	file_free(&f);
	if (!get_number(m->json, "version", &version) ||
	    version != MANIFEST_VERSION ||
	    !get_number(m->json, "whole_bytes", &m->whole) ||
	    !get_inputs(m) || !get_shards(m, folder) ||
	    !get_names(m->json, "outputs", &m->outputs, &m->output_count)) {
		message = tensor_message("'%s' is no list of shards of version %d, as 'vnpu-model split' writes it",
					 path, MANIFEST_VERSION);
		manifest_free(m);
	}
	free(folder);
	return message;
}

void manifest_free(struct manifest *m)
{
	for (uint32_t i = 0; i < m->shard_count; i++) {
		free(m->shards[i].file);
		free(m->shards[i].in);
		free(m->shards[i].out);
	}
	free(m->shards);
	free(m->inputs);
	free(m->input_names);
	free(m->outputs);
	json_object_put(m->json);
	*m = (struct manifest){ 0 };
}
