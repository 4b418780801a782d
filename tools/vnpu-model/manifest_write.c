// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing lists of shards. See manifest.h. The JSON writer has names that json-c,
 * which reads the lists, has too.
 */
#include <string.h>

#include "../common/json.h"
#include "file.h"
#include "manifest.h"

static void print_names(struct json *j, const char *key,
			const char *const *names, uint32_t count)
{
	json_open(j, key, '[');
	for (uint32_t i = 0; i < count; i++)
		json_string(j, NULL, names[i]);
	json_close(j, ']');
}

static void print_input(struct json *j, const char *name,
			const struct tensor *t)
{
	json_open(j, NULL, '{');
	json_string(j, "name", name);
	json_string(j, "type", vnpu_dtype_name(t->dtype));
	json_open(j, "shape", '[');
	for (unsigned int i = 0; i < t->rank; i++)
		json_uint(j, NULL, t->dims[i]);
	json_close(j, ']');
	json_close(j, '}');
}

static void print(FILE *f, const void *data)
{
	const struct manifest *m = data;
	struct json j = { .f = f, .line_depth = 2 };

	json_open(&j, NULL, '{');
	json_uint(&j, "version", MANIFEST_VERSION);
	json_uint(&j, "whole_bytes", m->whole);
	json_open(&j, "inputs", '[');
	for (uint32_t i = 0; i < m->input_count; i++)
		print_input(&j, m->input_names[i], &m->inputs[i]);
	json_close(&j, ']');
	print_names(&j, "outputs", m->outputs, m->output_count);
	json_open(&j, "shards", '[');
	for (uint32_t i = 0; i < m->shard_count; i++) {
		const struct manifest_shard *s = &m->shards[i];
		const char *slash = strrchr(s->file, '/');

		json_open(&j, NULL, '{');
		json_string(&j, "file", slash ? slash + 1 : s->file);
		json_uint(&j, "bytes", s->bytes);
		print_names(&j, "inputs", s->in, s->ins);
		print_names(&j, "outputs", s->out, s->outs);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
}

char *manifest_write(const struct manifest *m, const char *path)
{
	return file_print(path, print, m);
}
