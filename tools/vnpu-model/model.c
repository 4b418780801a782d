// SPDX-License-Identifier: GPL-2.0-only
/* Compiled models. See model.h. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* The first bytes of CANN's files. */
static const char cann_magic[] = { 'I', 'M', 'O', 'D' };

static char *refuse(struct model *m, const char *path, const char *reason)
{
	char *message;

	if (asprintf(&message, "'%s' is no valid model: %s", path, reason) < 0)
		message = strdup("out of memory");
	model_close(m);
	return message;
}

char *model_open(struct model *m, const char *path)
{
	struct file file;
	char *message = file_read(&file, path);

	*m = (struct model){ 0 };
	return message ? message : model_take(m, path, &file);
}

char *model_take(struct model *m, const char *path, struct file *file)
{
	struct program_error error;
	unsigned int i;

	*m = (struct model){ .file = *file };
	*file = (struct file){ 0 };
	if (m->file.size >= sizeof(cann_magic) &&
	    !memcmp(m->file.data, cann_magic, sizeof(cann_magic)))
		return refuse(m, path, "it was compiled for a card; compile the ONNX model by this atc");
	if (om_open(&m->om, m->file.data, m->file.size, &error))
		return refuse(m, path, error.text);
	m->gears = calloc(m->om.head->gears, sizeof(*m->gears));
	if (!m->gears)
		return refuse(m, path, "out of memory");
	m->gear_count = m->om.head->gears;
	for (i = 0; i < m->gear_count; i++)
		om_program(&m->om, i, &m->gears[i]);
	return NULL;
}

void model_close(struct model *m)
{
	free(m->gears);
	file_free(&m->file);
	*m = (struct model){ 0 };
}

/* Get the name of a format of aclFormat. */
static const char *format_name(unsigned int format)
{
	return format == OM_FORMAT_NCHW ? "NCHW" :
	       format == OM_FORMAT_NHWC ? "NHWC" : "ND";
}

static void print_tensors(struct out *o, const struct model *m, bool outputs)
{
	static const struct out_column columns[] = {
		{ "nr", 3 }, { "type", -4 }, { "bytes", 11 }, { "shape", -22 },
		{ "name", 0 },
	};
	uint32_t first = outputs ? m->om.head->inputs : 0, i;
	uint32_t count = outputs ? m->om.head->outputs : m->om.head->inputs;
	const char *title = outputs ? "outputs" : "inputs";

	out_list(o, title, title, columns);
	for (i = 0; i < count; i++) {
		const struct om_tensor *t = &m->om.tensors[first + i];
		const struct program_tensor *p = &m->gears->tensors[first + i];

		out_row(o);
		out_uint(o, "index", "", i);
		out_text(o, "type", "", vnpu_dtype_name(t->dtype));
		out_uint(o, "size_bytes", "", t->bytes);
		out_dims(o, "shape", "", t->rank, t->dims);
		out_text(o, "name", "", m->om.text + t->name);
		out_text(o, "format", NULL, format_name(t->format));
		out_bool(o, "frozen", NULL, p->frozen_at != PROGRAM_NONE);
		out_bool(o, "data_dependent", NULL, p->count_at != PROGRAM_NONE);
		out_row_end(o);
	}
	out_list_end(o);
}

static void print_gears(struct out *o, const struct model *m)
{
	static const struct out_column columns[] = {
		{ "gear", 4 }, { "steps", 6 }, { "work memory", 12 },
		{ "without reuse", 14 }, { "sizes", 0 },
	};
	int64_t values[OM_VALUES];
	unsigned int i, count;

	out_list(o, "gears", "gears", columns);
	for (i = 0; i < m->gear_count; i++) {
		const struct program_head *h = m->gears[i].head;

		count = m->gear_count > 1 ? om_values(&m->om, i, values) : 0;
		out_row(o);
		out_uint(o, "index", "", i);
		out_uint(o, "steps", "", h->steps);
		out_bytes(o, "work_bytes", "", h->work);
		out_bytes(o, "work_without_reuse_bytes", "", h->work_plain);
		out_dims(o, "sizes", "", count, values);
		out_row_end(o);
	}
	out_list_end(o);
}

void model_print(struct out *o, const struct model *m)
{
	const struct om_head *h = m->om.head;

	out_text(o, "name", "name", m->om.text + h->name);
	out_bytes(o, "size_bytes", "file", m->file.size);
	out_bytes(o, "weights_bytes", "weights", h->weights_size);
	out_bytes(o, "work_bytes", "work memory", om_work(&m->om));
	print_tensors(o, m, false);
	print_tensors(o, m, true);
	print_gears(o, m);
}
