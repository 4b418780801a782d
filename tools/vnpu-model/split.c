// SPDX-License-Identifier: GPL-2.0-only
/* The command split: smaller models, of which one is on the device at a time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "manifest.h"
#include "out.h"
#include "split.h"
#include "tensor.h"

/**
 * struct options - the command line
 * @shards: -n, or 0
 * @memory: --memory, or 0
 * @output: --output, or NULL
 * @shapes: --input_shape
 * @shape_count: number of inputs in it
 * @is_om: --om
 * @is_json: --json
 */
struct options {
	uint32_t shards;
	uint64_t memory;
	const char *output;
	struct compile_shape *shapes;
	unsigned int shape_count;
	bool is_om;
	bool is_json;
};

static void *need(void *pointer)
{
	if (!pointer)
		die(EXIT_FAILED, "out of memory");
	return pointer;
}

/* Read bytes with K, M or G behind them. */
static uint64_t read_size(const char *text)
{
	static const char units[] = "KMG";
	unsigned long long value;
	const char *unit;
	char *end;
	unsigned int shift = 0;

	errno = 0;
	value = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		shift = 10 * (unit - units + 1);
		end++;
	}
	if (*text < '0' || *text > '9' || *end || errno || !value ||
	    value > UINT64_MAX >> shift)
		die(EXIT_USAGE, "--memory=%s: must be a number of bytes, or one with K, M or G, such as 512M",
		    text);
	return value << shift;
}

/* Read the sizes of an input: "NAME:N,N". Names may contain colons. */
static void read_shape(struct compile_shape *s, char *text)
{
	char *at = strrchr(text, ':'), *end;

	if (!at || at == text)
		die(EXIT_USAGE, "--input_shape: '%s' must be NAME:N,N,...",
		    text);
	*at = '\0';
	*s = (struct compile_shape){ .name = text };
	for (end = at; *end || !s->rank; at = end) {
		long long size;

		errno = 0;
		size = strtoll(++at, &end, 10);
		if (end == at || errno || size < 1 || size > VNPU_TENSOR_MAX ||
		    (*end && *end != ',') || s->rank == VNPU_TENSOR_DIMS)
			die(EXIT_USAGE, "--input_shape: input '%s' must have up to %d sizes from 1 to %lld, with commas between them",
			    text, VNPU_TENSOR_DIMS,
			    (long long)VNPU_TENSOR_MAX);
		s->dims[s->rank++] = size;
	}
}

static void read_shapes(struct options *o, char *text)
{
	char *part, *rest;

	for (part = strtok_r(text, ";", &rest); part;
	     part = strtok_r(NULL, ";", &rest)) {
		o->shapes = need(reallocarray(o->shapes, o->shape_count + 1,
					      sizeof(*o->shapes)));
		read_shape(&o->shapes[o->shape_count++], part);
	}
}

static void read_options(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {
		{ "shards", required_argument, NULL, 'n' },
		{ "memory", required_argument, NULL, 'm' },
		{ "output", required_argument, NULL, 'o' },
		{ "input_shape", required_argument, NULL, 's' },
		{ "om", no_argument, NULL, 'c' },
		{ "json", no_argument, NULL, 'j' },
		{ 0 }
	};
	int c;

	*o = (struct options){ .shards = 0 };
	while ((c = next_letter(argc, argv, ":n:o:", options, "split")) != -1) {
		if (c == 'n')
			o->shards = whole_number("shards", optarg,
						 SPLIT_PIECES);
		else if (c == 'm')
			o->memory = read_size(optarg);
		else if (c == 'o')
			o->output = optarg;
		else if (c == 's')
			read_shapes(o, optarg);
		else
			o->is_om |= c == 'c';
		o->is_json |= c == 'j';
	}
	if (!o->shards == !o->memory)
		die(EXIT_USAGE, "split: one of --shards and --memory must be given; try vnpu-model --help");
}

/* Write and compile a shard, and set the memory that it needs. */
static void compile(const struct split *s, struct split_shard *shard,
		    struct split_file *f, struct file *om)
{
	struct compile_result r;

	die_if(EXIT_FAILED, split_write(s, shard, f));
	if (compile_model(f->data, f->size, &(struct compile_options){ 0 }, &r))
		die(EXIT_FAILED, "'%s': the shard that begins with node '%s' cannot be compiled: %s",
		    s->path, s->run[s->cuts[shard->first]]->name, r.error);
	die_if(EXIT_FAILED,
	       split_measure(r.program, r.size, om, &shard->bytes));
	compile_free(&r);
}

/* Measure a shard, unless that was done before; return its memory. */
static uint64_t measure(const struct split *s, struct split_table *t,
			struct split_shard *shard)
{
	size_t at = split_at(t, shard->first, shard->end);
	struct split_file f;
	struct file om;

	if (t->is_exact[at])
		return t->need[at];
	compile(s, shard, &f, &om);
	file_free(&om);
	split_file_free(&f);
	t->need[at] = split_sum(&shard->bytes);
	t->is_exact[at] = true;
	return t->need[at];
}

/* End the program, as nodes that cannot be cut apart need too much memory. */
static void refuse(const struct split *s, const struct split_shard *shard,
		   uint64_t bound)
{
	uint32_t first = s->cuts[shard->first], last = s->cuts[shard->end] - 1;
	const struct split_unit *a = s->run[first], *b = s->run[last];
	const struct split_bytes *n = &shard->bytes;
	char *nodes = first == last ?
		tensor_message("node '%s' (%s) needs", a->name, a->type) :
		tensor_message("nodes '%s' (%s) to '%s' (%s), which cannot be cut apart, need",
			       a->name, a->type, b->name, b->type);

	die(EXIT_DIFFERS, "'%s': %s %llu bytes: %llu of weights, %llu of work memory, %llu of inputs and %llu of outputs; --memory allows %llu: raise it, or %s",
	    s->path, nodes, (unsigned long long)split_sum(n),
	    (unsigned long long)n->weights, (unsigned long long)n->work,
	    (unsigned long long)n->in, (unsigned long long)n->out,
	    (unsigned long long)bound,
	    n->weights > split_sum(n) / 2 ?
	    "divide the weights among several nodes in the model" :
	    "give smaller sizes by --input_shape");
}

/* A sequence that is too large makes all that contain it too large. */
static void forbid(struct split_table *t, const struct split_shard *shard)
{
	for (uint32_t i = 0; i <= shard->first; i++)
		if (t->reach[i] >= shard->end)
			t->reach[i] = shard->end - 1;
}

/* Check whether all shards are within the bound, by compiling them. */
static bool are_within(const struct split *s, struct split_table *t,
		       struct split_shard *shards, uint32_t count,
		       uint64_t bound)
{
	bool is_good = true;

	for (uint32_t i = 0; i < count; i++) {
		if (measure(s, t, &shards[i]) <= bound)
			continue;
		is_good = false;
		if (shards[i].end - shards[i].first == 1)
			refuse(s, &shards[i], bound);
		forbid(t, &shards[i]);
	}
	return is_good;
}

/*
 * Without a choice, a piece seems too large. Measure these pieces, and end the
 * program if one is.
 */
static void measure_pieces(const struct split *s, struct split_table *t,
			   uint64_t bound)
{
	for (uint32_t i = 0; i < s->pieces; i++) {
		struct split_shard piece = { .first = i, .end = i + 1 };

		if (t->need[split_at(t, i, i + 1)] > bound &&
		    measure(s, t, &piece) > bound)
			refuse(s, &piece, bound);
	}
}

static uint32_t choose(const struct split *s, const struct options *o,
		       struct split_shard *shards)
{
	struct split_table t;
	uint32_t count = o->shards;

	die_if(EXIT_FAILED, split_table_make(&t, s, !o->shards));
	if (o->shards) {
		die_if(EXIT_FAILED, split_choose_equal(&t, count, shards));
	} else {
		do {
			die_if(EXIT_FAILED,
			       split_choose(&t, o->memory, shards, &count));
			if (!count)
				measure_pieces(s, &t, o->memory);
		} while (!count ||
			 !are_within(s, &t, shards, count, o->memory));
	}
	split_table_free(&t);
	return count;
}

/* Get PREFIX of the files: by default the name of the model in this folder. */
static char *prefix_of(const char *path, const struct options *o)
{
	const char *slash = strrchr(path, '/');
	size_t length;

	if (o->output)
		return need(strdup(o->output));
	path = slash ? slash + 1 : path;
	length = strlen(path);
	if (length > 5 && !strcmp(path + length - 5, ".onnx"))
		length -= 5;
	return need(strndup(path, length));
}

static const char **names_of(const struct graph_value *const *values,
			     uint32_t count)
{
	const char **names = need(calloc(count + 1, sizeof(*names)));

	for (uint32_t i = 0; i < count; i++)
		names[i] = values[i]->name;
	return names;
}

static void write_shard(const struct split *s, const struct options *o,
			struct split_shard *shard, struct manifest_shard *m)
{
	struct split_file f;
	struct file om;

	compile(s, shard, &f, &om);
	m->bytes = split_sum(&shard->bytes);
	m->in = names_of(f.in, f.ins);
	m->ins = f.ins;
	m->out = names_of(f.out, f.outs);
	m->outs = f.outs;
	die_if(EXIT_FAILED, o->is_om ? file_write(m->file, om.data, om.size) :
				       file_write(m->file, f.data, f.size));
	file_free(&om);
	split_file_free(&f);
}

static void add_ends(const struct split *s, struct manifest *m)
{
	m->input_count = s->g.input_count;
	m->input_names = names_of((const struct graph_value *const *)
				  s->g.inputs, m->input_count);
	m->inputs = need(calloc(m->input_count + 1, sizeof(*m->inputs)));
	for (uint32_t i = 0; i < m->input_count; i++) {
		m->inputs[i].dtype = s->g.inputs[i]->dtype;
		m->inputs[i].rank = s->g.inputs[i]->rank;
		memcpy(m->inputs[i].dims, s->g.inputs[i]->dims,
		       sizeof(m->inputs[i].dims));
	}
	m->output_count = s->output_count;
	m->outputs = names_of((const struct graph_value *const *)s->outputs,
			      m->output_count);
}

/* Write all files; the list, which names them, is the last one. */
static void write_files(const struct split *s, const struct options *o,
			struct split_shard *shards, struct manifest *m)
{
	char *prefix = prefix_of(s->path, o), *path;

	add_ends(s, m);
	m->whole = split_sum(&s->whole);
	for (uint32_t i = 0; i < m->shard_count; i++) {
		m->shards[i].file = tensor_message("%s_%u.%s", prefix, i,
						   o->is_om ? "om" : "onnx");
		write_shard(s, o, &shards[i], &m->shards[i]);
	}
	path = tensor_message("%s.json", prefix);
	die_if(EXIT_FAILED, manifest_write(m, path));
	free(path);
	free(prefix);
}

static void print(struct out *out, const struct split *s,
		  const struct split_shard *shards, const struct manifest *m)
{
	static const struct out_column columns[] = {
		{ "nodes", 6 }, { "weights", 9 }, { "work", 9 },
		{ "inputs", 9 }, { "outputs", 9 }, { "memory", 9 },
		{ "file", 0 },
	};
	uint64_t peak = 0, moved = 0;

	out_list(out, "shards", NULL, columns);
	for (uint32_t i = 0; i < m->shard_count; i++) {
		const struct split_bytes *b = &shards[i].bytes;

		out_row(out);
		out_uint(out, "nodes", "", shards[i].nodes);
		out_bytes(out, "weights_bytes", "", b->weights);
		out_bytes(out, "work_bytes", "", b->work);
		out_bytes(out, "input_bytes", "", b->in);
		out_bytes(out, "output_bytes", "", b->out);
		out_bytes(out, "memory_bytes", "", split_sum(b));
		out_text(out, "file", "", m->shards[i].file);
		out_row_end(out);
		peak = split_sum(b) > peak ? split_sum(b) : peak;
		moved += b->in + b->out;
	}
	out_list_end(out);
	out_bytes(out, "peak_bytes", "peak memory", peak);
	out_bytes(out, "whole_bytes", "memory of the whole", m->whole);
	out_bytes(out, "moved_bytes", "copied in a run", moved);
	out_bytes(out, "whole_moved_bytes", "copied by the whole",
		  s->whole.in + s->whole.out);
}

int command_split(int argc, char **argv)
{
	struct split_shard *shards;
	struct manifest m = { 0 };
	struct options o;
	struct split s;
	struct out out;

	read_options(&o, argc, argv);
	die_if(EXIT_REFUSED,
	       split_open(&s, only_operand(argc, argv, "split"), o.shapes,
			  o.shape_count));
	if (o.shards > s.pieces)
		die(EXIT_DIFFERS, "'%s' can be cut into at most %u shards, given %u by --shards",
		    s.path, s.pieces, o.shards);
	shards = need(calloc(s.pieces, sizeof(*shards)));
	m.shard_count = choose(&s, &o, shards);
	m.shards = need(calloc(m.shard_count, sizeof(*m.shards)));
	write_files(&s, &o, shards, &m);
	out_begin(&out, stdout, o.is_json);
	print(&out, &s, shards, &m);
	if (out_end(&out))
		die(EXIT_FAILED, "standard output cannot be written");
	manifest_free(&m);
	split_close(&s);
	free(shards);
	free(o.shapes);
	return EXIT_DONE;
}
