// SPDX-License-Identifier: GPL-2.0-only
/* Reading and compiling a model that is split. See split.h. */
#include <stdlib.h>
#include <string.h>

#include "om/om.h"
#include "onnx/onnx.h"
#include "op/op.h"
#include "rewrite.h"
#include "split.h"
#include "tensor.h"

struct proto split_graph(const struct split *s)
{
	return rewrite_find(proto_open(s->file.data, s->file.size),
			    MODEL_GRAPH);
}

char *split_measure(const void *program, size_t size, struct file *om,
		    struct split_bytes *bytes)
{
	struct om_source gear = { program, size };
	struct om_options options = { .gears = &gear, .gear_count = 1,
				      .info = "compiler=vnpu " VNPU_VERSION "\n" };
	const struct program_head *h = program;
	const struct program_tensor *t = (const void *)
		((const char *)program + h->tensors_at);
	struct program_error error;

	if (om_write(&options, &om->data, &om->size, &error))
		return tensor_message("%s", error.text);
	/* Constants that are equal are once in the file. */
	*bytes = (struct split_bytes){
		.weights = ((const struct om_head *)om->data)->weights_size,
		.work = h->work,
	};
	for (uint32_t i = 0; i < h->inputs + h->outputs; i++)
		*(i < h->inputs ? &bytes->in : &bytes->out) += t[i].bytes;
	return NULL;
}

/* Plan the memory of the whole model. */
static char *measure(struct split *s)
{
	struct memory_report report = { 0 };
	void *program = NULL;
	struct file om = { 0 };
	char *message;
	size_t size;

	if (memory_write(&s->b, 0, &report, &program, &size))
		return tensor_message("'%s': %s", s->path, s->g.error);
	message = split_measure(program, size, &om, &s->whole);
	free(program);
	file_free(&om);
	return message;
}

/* Run the passes; those that come first put values in the place of others. */
static int run_passes(struct split *s)
{
	static const char *const names[] = {
		"constant-folding", "identity", "common-subexpressions",
	};
	uint32_t changes[PASS_MAX] = { 0 };
	uint64_t first = 0;

	for (unsigned int i = 0; i < 3; i++)
		first |= UINT64_C(1) << pass_find(names[i]);
	if (pass_run(&s->g, ~first, changes))
		return s->g.err;
	split_replace(s);
	return pass_run(&s->g, first, changes);
}

/* Compile the model, but keep the graph and its steps. */
static char *compile(struct split *s, const struct compile_options *options)
{
	uint32_t changes[PASS_MAX] = { 0 };
	struct graph *g = &s->g;

	if (compile_prepare(g, options) || op_infer(g) || run_passes(s) ||
	    compile_lower(&s->b, options, changes))
		return tensor_message("'%s': %s%s", s->path, g->error,
				      strstr(g->error, "give its shape") ?
				      ", as --input_shape=\"NAME:1,3,224,224\"" :
				      "");
	return measure(s);
}

char *split_open(struct split *s, const char *path,
		 const struct compile_shape *shapes, unsigned int shape_count)
{
	struct compile_options options = { .shapes = shapes,
					   .shape_count = shape_count };
	char *message;

	*s = (struct split){ .path = path, .folder = file_folder(path) };
	s->b.g = &s->g;
	s->g.folder = s->folder;
	message = file_read(&s->file, path);
	if (!message && !s->folder)
		message = tensor_message("out of memory");
	if (!message && onnx_read_model(&s->g, s->file.data, s->file.size))
		message = tensor_message("'%s': %s", path, s->g.error);
	if (!message)
		message = split_read_units(s);
	if (!message)
		message = compile(s, &options);
	if (!message)
		message = split_find_pieces(s);
	if (message)
		split_close(s);
	return message;
}

void split_close(struct split *s)
{
	build_fini(&s->b);
	graph_free(&s->g);
	file_free(&s->file);
	free(s->folder);
	*s = (struct split){ 0 };
}
