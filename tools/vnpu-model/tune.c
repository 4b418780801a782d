// SPDX-License-Identifier: GPL-2.0-only
/* The command tune: precisions for the weights of a model. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "out.h"
#include "tune.h"

#define RANDOM_SAMPLES	4
#define DEFAULT_LOSS	0.01

/* A weight with less than 1 / SHARE of all bytes is a small one. */
#define SHARE		100
#define SMALL_WEIGHTS	"(small weights)"

/**
 * struct options - the command line
 * @files: the values of --input
 * @file_count: their number
 * @parts: the values of --part
 * @part_count: their number
 * @output: where the model goes, or NULL
 * @loss: the bound
 * @seed: of random numbers
 * @is_json: print JSON
 */
struct options {
	const char **files;
	size_t file_count;
	char **parts;
	size_t part_count;
	const char *output;
	double loss;
	uint64_t seed;
	bool is_json;
};

static void *memory(void *pointer)
{
	if (!pointer)
		die(EXIT_FAILED, "out of memory");
	return pointer;
}

static double read_loss(const char *text)
{
	char *end;
	double value = strtod(text, &end);
	bool is_number = end != text;

	if (is_number && *end == '%') {
		value /= 100;
		end++;
	}
	if (!is_number || *end || !(value >= 0 && value < 1e30))
		die(EXIT_USAGE, "--loss=%s: must be a number that is not negative, such as 0.01 or 1%%",
		    text);
	return value;
}

static void read_options(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "loss", required_argument, NULL, 'l' },
		{ "part", required_argument, NULL, 'p' },
		{ "output", required_argument, NULL, 'o' },
		{ "seed", required_argument, NULL, 'd' },
		{ "json", no_argument, NULL, 'j' },
		{ 0 }
	};
	int c;

	*o = (struct options){ .loss = DEFAULT_LOSS, .seed = 1 };
	o->files = memory(calloc(argc + 1, sizeof(*o->files)));
	o->parts = memory(calloc(argc + 1, sizeof(*o->parts)));
	while ((c = next_option(argc, argv, options, "tune")) != -1) {
		if (c == 'i')
			o->files[o->file_count++] = optarg;
		else if (c == 'p')
			o->parts[o->part_count++] = optarg;
		else if (c == 'l')
			o->loss = read_loss(optarg);
		else if (c == 'o')
			o->output = optarg;
		else if (c == 'd')
			o->seed = whole_number("seed", optarg, UINT64_MAX);
		else
			o->is_json = true;
	}
}

/* Get the bit of a precision by its name, up to a comma or the end; or 0. */
static unsigned int precision_bit(const char *name)
{
	size_t length = strcspn(name, ",");

	for (unsigned int i = 0; i < PRECISIONS; i++)
		if (strlen(precision_name(i)) == length &&
		    !memcmp(precision_name(i), name, length))
			return 1U << i;
	return 0;
}

/* Get the precisions of an option WORD=PRECISION,...; the word is cut off. */
static unsigned int read_precisions(const struct tune *t, char *text)
{
	char *list = strrchr(text, '=');
	unsigned int bits = 0;

	if (!list || list == text)
		die(EXIT_USAGE, "--part=%s: must be WORD=PRECISION,...", text);
	for (char *at = list; at; at = strchr(at, ',')) {
		unsigned int bit = precision_bit(++at);

		if (!bit)
			die(EXIT_USAGE, "--part=%s: '%.*s' must be fp32, fp16, bf16 or int8",
			    text, (int)strcspn(at, ","), at);
		bits |= bit;
	}
	if (bits & 1U << PRECISION_BF16 && t->w.graph.opset < BF16_OPSET)
		die(EXIT_USAGE, "--part=%s: bf16 needs opset %d, and the model has opset %lld",
		    text, BF16_OPSET, (long long)t->w.graph.opset);
	*list = '\0';
	return bits;
}

static void add_weight(struct tune *t, size_t weight, size_t part)
{
	struct tune_part *p = &t->parts[part];

	t->part_of[weight] = part;
	p->weights++;
	for (unsigned int i = 0; i < PRECISIONS; i++)
		p->bytes[i] += weight_bytes(&t->w.list[weight], i);
}

/* Make the parts that options request. A weight has the first that fits. */
static void make_parts(struct tune *t, const struct options *o)
{
	t->part_count = o->part_count;
	for (size_t i = 0; i < o->part_count; i++) {
		t->parts[i].allowed = read_precisions(t, o->parts[i]);
		t->parts[i].name = o->parts[i];
	}
	for (size_t i = 0; i < t->w.count; i++) {
		size_t part = 0;

		while (part < t->part_count &&
		       !weight_has(&t->w.list[i], t->parts[part].name))
			part++;
		if (part < t->part_count)
			add_weight(t, i, part);
		else
			t->part_of[i] = part;
	}
	for (size_t i = 0; i < t->part_count; i++)
		if (!t->parts[i].weights)
			die(EXIT_USAGE, "--part=%s: no weight that is left has this word in its name or in that of a node that uses it",
			    t->parts[i].name);
}

/* Make each large weight a part, and all small ones another. */
static void make_default_parts(struct tune *t)
{
	unsigned int all = (1U << PRECISIONS) - 1;
	uint64_t total = 0;
	size_t small = 0;

	if (t->w.graph.opset < BF16_OPSET)
		all &= ~(1U << PRECISION_BF16);
	for (size_t i = 0; i < t->w.count; i++)
		total += weight_bytes(&t->w.list[i], PRECISION_FP32);
	for (size_t i = 0; i < t->w.count; i++) {
		const struct weight *w = &t->w.list[i];

		if (weight_bytes(w, PRECISION_FP32) < total / SHARE) {
			small++;
			continue;
		}
		t->parts[t->part_count].name = w->value->name;
		add_weight(t, i, t->part_count++);
	}
	for (size_t i = 0; small && i < t->w.count; i++)
		if (weight_bytes(&t->w.list[i], PRECISION_FP32) < total / SHARE)
			add_weight(t, i, t->part_count);
	if (small)
		t->parts[t->part_count++].name = SMALL_WEIGHTS;
	for (size_t i = 0; i < t->part_count; i++)
		t->parts[i].allowed = all;
}

static void read_samples(struct tune *t, const struct options *o)
{
	uint32_t inputs = t->w.graph.input_count;

	t->samples = inputs ? RANDOM_SAMPLES : 1;
	if (!o->file_count)
		return;
	if (!inputs || o->file_count % inputs)
		die(EXIT_USAGE, "the model has %u inputs, and %zu given by --input are no whole samples",
		    inputs, o->file_count);
	t->inputs = memory(calloc(o->file_count, sizeof(*t->inputs)));
	t->samples = o->file_count / inputs;
	for (size_t i = 0; i < o->file_count; i++)
		die_if(EXIT_REFUSED, tensor_read(&t->inputs[i], o->files[i]));
}

static void print_parts(struct out *out, const struct tune *t)
{
	static const struct out_column columns[] = {
		{ "weights", 7 }, { "before", 9 }, { "after", 9 },
		{ "precision", -9 }, { "loss alone", 10 }, { "part", 0 },
	};

	out_list(out, "parts", NULL, columns);
	for (size_t i = 0; i < t->part_count; i++) {
		const struct tune_part *p = &t->parts[i];

		out_row(out);
		out_uint(out, "weights", "", p->weights);
		out_bytes(out, "bytes_before", "", p->bytes[PRECISION_FP32]);
		out_bytes(out, "bytes_after", "", p->bytes[p->choice]);
		out_text(out, "precision", "", precision_name(p->choice));
		out_double(out, "loss_alone", "", p->alone[p->choice]);
		out_text(out, "name", "", p->name);
		out_row_end(out);
	}
	out_list_end(out);
}

static void print(struct out *out, const struct tune *t, size_t size)
{
	print_parts(out, t);
	out_bytes(out, "size_before", "size before", t->w.file.size);
	out_bytes(out, "size_after", "size after", size);
	out_double(out, "loss", "loss", t->loss);
	out_double(out, "bound", "bound", t->bound);
	out_uint(out, "samples", "samples", t->samples);
	out_uint(out, "measured", "models measured", t->measured);
}

static void finish(struct tune *t, const struct options *o)
{
	for (size_t i = 0; t->inputs && i < o->file_count; i++)
		tensor_free(&t->inputs[i]);
	free(t->inputs);
	free(t->expected);
	free(t->parts);
	free(t->part_of);
	weights_close(&t->w);
	free(o->files);
	free(o->parts);
}

int command_tune(int argc, char **argv)
{
	struct tune t = { 0 };
	struct options o;
	struct out out;
	size_t size;
	char *data;
	bool is_good;

	read_options(&o, argc, argv);
	die_if(EXIT_REFUSED,
	       weights_open(&t.w, only_operand(argc, argv, "tune")));
	t.bound = o.loss;
	t.seed = o.seed;
	t.parts = memory(calloc(t.w.count + o.part_count + 1,
				sizeof(*t.parts)));
	t.part_of = memory(calloc(t.w.count, sizeof(*t.part_of)));
	read_samples(&t, &o);
	if (o.part_count)
		make_parts(&t, &o);
	else
		make_default_parts(&t);
	die_if(EXIT_REFUSED, tune_begin(&t));
	die_if(EXIT_FAILED, tune_search(&t));
	die_if(EXIT_FAILED, tune_result(&t, &data, &size));
	is_good = t.loss <= t.bound;
	if (is_good && o.output)
		die_if(EXIT_FAILED, file_write(o.output, data, size));
	out_begin(&out, stdout, o.is_json);
	print(&out, &t, size);
	free(data);
	if (out_end(&out))
		die(EXIT_FAILED, "standard output cannot be written");
	if (!is_good)
		fprintf(stderr, "vnpu-model: the precisions that are allowed lose %.3g, more than the bound %.3g; allow more precise ones, or raise --loss\n",
			t.loss, t.bound);
	finish(&t, &o);
	return is_good ? EXIT_DONE : EXIT_DIFFERS;
}
