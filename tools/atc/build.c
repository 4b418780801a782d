// SPDX-License-Identifier: GPL-2.0-only
/* From an ONNX file to an .om file. See build.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "edits.h"
#include "message.h"
#include "om/om.h"
#include "switches.h"

static const char *help_for(int err, const struct compile_result *r)
{
	if (*r->needs)
		return "; shapes depend on the elements of this input, so make it a constant of the model";
	if (err == -EOPNOTSUPP && strstr(r->error, "the operator"))
		return "; 'vnpu-model ops MODEL.onnx' lists the operators of the model that are missing";
	if (err == -EOPNOTSUPP && strstr(r->error, "needs opset"))
		return "; export the model with an older opset, as by torch.onnx.export(opset_version=17)";
	if (err == -EINVAL && strstr(r->error, "give its shape"))
		return ", as --input_shape=\"NAME:1,3,224,224\"";
	return "";
}

static void compile_gear(const struct built *b, const struct file *f,
			 const struct compile_options *options,
			 const char *path, unsigned int gear,
			 struct compile_result *r)
{
	int err;

	err = compile_model(f->data, f->size, options, r);
	if (!err)
		return;
	if (b->gear_count > 1)
		die("'%s', gear %u: %s%s", path, gear, r->error,
		    help_for(err, r));
	die("'%s': %s%s", path, r->error, help_for(err, r));
}

void build_model(struct built *b, const struct options *o)
{
	bool is_nhwc = o->input_format && !strcmp(o->input_format, "NHWC");
	struct edits edits = { .options = o, .built = b, .keeps_lines = true };
	struct compile_options options = {
		.edit = edits_apply, .edit_data = &edits,
		.memory = o->no_reuse ? MEMORY_NO_REUSE : 0,
	};
	struct shapes shapes;
	struct file f;
	unsigned int i;
	char *folder;

	*b = (struct built){ 0 };
	shapes_read(&shapes, o);
	if (o->insert_op_conf)
		aipp_read(&edits.aipp, o->insert_op_conf, is_nhwc);
	if (aipp_is_dynamic(&edits.aipp) &&
	    (shapes.has_ranges || o->dynamic_image_size || o->dynamic_dims))
		die("'%s': dynamic preprocessing needs a model with one image size; only its batch may be dynamic",
		    o->insert_op_conf);
	if (o->fusion_switch_file)
		b->without = switches_read(o->fusion_switch_file);
	die_if(file_read(&f, o->model));
	folder = file_folder(o->model);
	b->gears = calloc(shapes.gears, sizeof(*b->gears));
	if (!folder || !b->gears)
		die("out of memory");
	b->gear_count = shapes.gears;
	b->has_ranges = shapes.has_ranges;
	options.folder = folder;
	options.without = b->without;
	options.shape_count = shapes.inputs;
	for (i = 0; i < shapes.gears; i++) {
		options.shapes = shapes.all + (size_t)i * shapes.inputs;
		compile_gear(b, &f, &options, o->model, i, &b->gears[i]);
	}
	if (o->is_verbose || o->report) {
		options.shapes = shapes.all;
		options.without = UINT64_MAX;
		edits.keeps_lines = false;
		compile_gear(b, &f, &options, o->model, 0, &b->plain);
	}
	file_free(&f);
	free(folder);
	aipp_free(&edits.aipp);
	shapes_free(&shapes);
}

/* Set the name and the format of each input and output. */
static void describe(const struct built *b, const struct options *o,
		     const struct program_head *h, const char **names,
		     uint8_t *formats)
{
	const struct program_tensor *t = (const void *)
		((const char *)h + h->tensors_at);
	bool is_nhwc = o->input_format && !strcmp(o->input_format, "NHWC");
	bool is_nd = o->input_format && !strcmp(o->input_format, "ND");
	uint32_t i;

	for (i = 0; i < h->inputs + h->outputs; i++) {
		names[i] = i < h->inputs ?
			(const char *)h + h->text_at + t[i].name :
			b->names[i - h->inputs];
		formats[i] = OM_FORMAT_ND;
		if (i >= h->inputs || t[i].rank != 4 || is_nd)
			continue;
		/* Images that are preprocessed have their channels last. */
		formats[i] = is_nhwc || (o->insert_op_conf &&
					 t[i].dtype == VNPU_DT_U8) ?
			     OM_FORMAT_NHWC : OM_FORMAT_NCHW;
	}
}

void build_write(const struct built *b, const struct options *o)
{
	const struct program_head *h = b->gears->program;
	uint32_t count = h->inputs + h->outputs, i;
	struct program_error error;
	struct om_options options = {
		.kind = o->dynamic_batch_size ? OM_BATCH :
			o->dynamic_image_size ? OM_IMAGE :
			o->dynamic_dims ? OM_DIMS :
			b->has_ranges ? OM_RANGE : OM_STATIC,
		.gear_count = b->gear_count,
	};
	struct om_source *gears = calloc(b->gear_count, sizeof(*gears));
	const char **names = calloc(count + 1, sizeof(*names));
	uint8_t *formats = calloc(count + 1, 1);
	size_t length = strlen(o->output);
	void *data;
	size_t size;
	char *path, *info;

	if (!gears || !names || !formats ||
	    asprintf(&info, "compiler=vnpu %s\n%s", VNPU_VERSION,
		     b->lines ? b->lines : "") < 0 ||
	    asprintf(&path, "%s%s", o->output, length > 3 &&
		     !strcmp(o->output + length - 3, ".om") ? "" : ".om") < 0)
		die("out of memory");
	for (i = 0; i < b->gear_count; i++)
		gears[i] = (struct om_source){ b->gears[i].program,
					       b->gears[i].size };
	describe(b, o, h, names, formats);
	options.info = info;
	options.gears = gears;
	options.names = names;
	options.formats = formats;
	if (om_write(&options, &data, &size, &error))
		die("'%s': %s", o->model, error.text);
	die_if(file_write(path, data, size));
	free(data);
	free(path);
	free(info);
	free(formats);
	free(names);
	free(gears);
}

void build_free(struct built *b)
{
	unsigned int i;

	for (i = 0; i < b->gear_count; i++)
		compile_free(&b->gears[i]);
	compile_free(&b->plain);
	for (i = 0; i < b->name_count; i++)
		free(b->names[i]);
	free(b->names);
	free(b->lines);
	free(b->gears);
}
