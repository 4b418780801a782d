// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs of shards. See parts.h.
 *
 * Values between shards are in host memory, from the shard that makes them to the
 * last one that uses them. A shard is unloaded before the next one is loaded.
 */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "compile/compile.h"
#include "manifest.h"
#include "parts.h"

/**
 * struct held - a value that is held
 * @name: its name, in the list of shards
 * @tensor: the value
 */
struct held {
	const char *name;
	struct tensor tensor;
};

/**
 * struct holder - all values that are held
 * @m: the shards
 * @path: their list
 * @values: the values
 * @count: their number
 */
struct holder {
	const struct manifest *m;
	const char *path;
	struct held *values;
	size_t count;
};

static struct held *find(const struct holder *h, const char *name)
{
	for (size_t i = 0; i < h->count; i++)
		if (!strcmp(h->values[i].name, name))
			return &h->values[i];
	return NULL;
}

/* Hold a value; the holder takes over its memory. */
static void hold(struct holder *h, const char *name, const struct tensor *t)
{
	struct held *more;

	if (find(h, name))
		die(EXIT_REFUSED, "'%s': '%s' is made twice", h->path, name);
	more = reallocarray(h->values, h->count + 1, sizeof(*more));
	if (!more)
		die(EXIT_FAILED, "out of memory");
	h->values = more;
	more[h->count++] = (struct held){ name, *t };
}

static bool has_name(const char *const *names, uint32_t count,
		     const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* Free the values that neither shards from @next on nor the caller need. */
static void release(struct holder *h, uint32_t next)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->count; i++) {
		const char *name = h->values[i].name;
		bool is_needed = has_name(h->m->outputs, h->m->output_count,
					  name);

		for (uint32_t k = next; !is_needed && k < h->m->shard_count;
		     k++)
			is_needed = has_name(h->m->shards[k].in,
					     h->m->shards[k].ins, name);
		if (is_needed)
			h->values[kept++] = h->values[i];
		else
			tensor_free(&h->values[i].tensor);
	}
	h->count = kept;
}

static void read_inputs(struct holder *h, const struct run_options *o)
{
	const struct manifest *m = h->m;
	uint64_t seed = o->seed;

	if (o->input_count && o->input_count != m->input_count)
		die(EXIT_USAGE, "the model has %u inputs, given %u by --input",
		    m->input_count, o->input_count);
	for (uint32_t i = 0; i < m->input_count; i++) {
		struct tensor t = m->inputs[i];

		if (o->input_count) {
			die_if(EXIT_REFUSED, tensor_read(&t, o->inputs[i]));
		} else {
			t.data = calloc(t.bytes + 1, 1);
			if (!t.data ||
			    !run_random(t.dtype, t.bytes, t.data, &seed))
				die(EXIT_FAILED, "input '%s' cannot be filled",
				    m->input_names[i]);
		}
		hold(h, m->input_names[i], &t);
	}
}

static char *compile(struct model *m, const char *path)
{
	char *folder = file_folder(path), *message;
	struct compile_options options = { .folder = folder };
	struct compile_result result = { 0 };
	struct om_source gear;
	struct om_options om = { .gears = &gear, .gear_count = 1 };
	struct program_error error;
	struct file onnx, f = { 0 };

	message = file_read(&onnx, path);
	if (!message && compile_model(onnx.data, onnx.size, &options, &result))
		message = tensor_message("'%s': %s", path, result.error);
	gear = (struct om_source){ result.program, result.size };
	if (!message && om_write(&om, &f.data, &f.size, &error))
		message = tensor_message("'%s': %s", path, error.text);
	compile_free(&result);
	file_free(&onnx);
	free(folder);
	return message ? message : model_take(m, path, &f);
}

static void open_shard(struct model *m, const struct holder *h,
		       const struct manifest_shard *s)
{
	size_t length = strlen(s->file);
	bool is_onnx = length > 5 && !strcmp(s->file + length - 5, ".onnx");

	die_if(EXIT_REFUSED,
	       is_onnx ? compile(m, s->file) : model_open(m, s->file));
	if (m->gear_count != 1 || m->om.head->inputs != s->ins ||
	    m->om.head->outputs != s->outs)
		die(EXIT_REFUSED, "'%s' has %u gears, %u inputs and %u outputs; by '%s' it has 1, %u and %u",
		    s->file, m->gear_count, m->om.head->inputs,
		    m->om.head->outputs, h->path, s->ins, s->outs);
}

static void pass_inputs(struct run *r, const struct holder *h,
			const struct manifest_shard *s)
{
	for (uint32_t i = 0; i < s->ins; i++) {
		const struct held *value = find(h, s->in[i]);

		if (!value)
			die(EXIT_REFUSED, "'%s': input '%s' of '%s' is made by no shard before",
			    h->path, s->in[i], s->file);
		die_if(EXIT_REFUSED,
		       run_take(r, i, &value->tensor, value->name));
	}
}

/* Hold the outputs of a shard; they are the holder's then. */
static void take_outputs(struct run *r, struct holder *h,
			 const struct manifest_shard *s)
{
	for (uint32_t i = 0; i < s->outs; i++) {
		struct tensor t = run_output(r, i);

		r->io[s->ins + i] = NULL;
		hold(h, s->out[i], &t);
	}
}

/* Get the device memory of a model that runs. */
static uint64_t memory_of(const struct run *r)
{
	uint64_t bytes = r->m->om.head->weights_size + r->p->head->work;

	for (uint32_t i = 0; i < r->p->head->inputs + r->p->head->outputs; i++)
		bytes += r->p->tensors[i].bytes;
	return bytes;
}

static void run_shard(struct outcome *out, const struct run_options *o,
		      struct holder *h, uint32_t index)
{
	const struct manifest_shard *s = &h->m->shards[index];
	struct model m;
	struct run r;
	uint64_t bytes;

	open_shard(&m, h, s);
	die_if(EXIT_FAILED, run_prepare(&r, &m, 0, o->loop));
	pass_inputs(&r, h, s);
	release(h, index + 1);
	die_if(EXIT_FAILED, o->on_host ? run_on_host(&r) : run_on_device(&r));
	outcome_add(out, &r);
	bytes = memory_of(&r);
	if (bytes > out->peak)
		out->peak = bytes;
	take_outputs(&r, h, s);
	release(h, index + 1);
	run_free(&r);
	model_close(&m);
}

/* Move the outputs of the model out of the holder; one may be there twice. */
static void finish(struct outcome *out, struct holder *h)
{
	for (uint32_t i = 0; i < out->count; i++) {
		const struct held *value = find(h, h->m->outputs[i]);
		struct tensor *t = &out->outputs[i];

		if (!value)
			die(EXIT_REFUSED, "'%s': output '%s' is made by no shard",
			    h->path, h->m->outputs[i]);
		*t = value->tensor;
		t->data = malloc(t->bytes + 1);
		if (!t->data)
			die(EXIT_FAILED, "out of memory");
		memcpy(t->data, value->tensor.data, t->bytes);
		out->names[i] = tensor_message("%s", value->name);
	}
	while (h->count)
		tensor_free(&h->values[--h->count].tensor);
	free(h->values);
}

void shards_run(struct outcome *out, const struct run_options *o,
		const char *path)
{
	struct manifest m;
	struct holder h = { .m = &m, .path = path };

	die_if(EXIT_REFUSED, manifest_read(&m, path));
	outcome_check(o, m.output_count);
	outcome_init(out, o, m.output_count);
	read_inputs(&h, o);
	for (uint32_t i = 0; i < m.shard_count; i++)
		run_shard(out, o, &h, i);
	finish(out, &h);
	out->shards = m.shard_count;
	out->whole = m.whole;
	manifest_free(&m);
}
