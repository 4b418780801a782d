// SPDX-License-Identifier: GPL-2.0-only
/* The command run: its options, and its outputs, which are compared. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "manifest.h"
#include "parts.h"

static double tolerance(const char *option, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0 && value < 1e30))
		die(EXIT_USAGE, "--%s=%s: must be a number that is not negative",
		    option, text);
	return value;
}

static enum tensor_format format_of(const char *text)
{
	static const char *const names[] = { "bin", "npy", "txt" };
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (!strcasecmp(names[i], text))
			return i;
	die(EXIT_USAGE, "--format=%s: must be bin, npy or txt", text);
}

static void add_file(const char *option, const char **list,
		     unsigned int *count)
{
	if (*count == RUN_FILES)
		die(EXIT_USAGE, "--%s is given more than %d times", option,
		    RUN_FILES);
	list[(*count)++] = optarg;
}

static void take(struct run_options *o, int c)
{
	switch (c) {
	case 'i':
		add_file("input", o->inputs, &o->input_count);
		break;
	case 'e':
		add_file("expect", o->expects, &o->expect_count);
		break;
	case 'o':
		o->output = optarg;
		break;
	case 'f':
		o->format = format_of(optarg);
		break;
	case 's':
		o->sizes = optarg;
		break;
	case 'l':
		o->loop = whole_number("loop", optarg, 1000000);
		break;
	case 'r':
		o->rtol = tolerance("rtol", optarg);
		break;
	case 'a':
		o->atol = tolerance("atol", optarg);
		break;
	case 'd':
		o->seed = whole_number("seed", optarg, UINT64_MAX);
		break;
	case 'j':
		o->is_json = true;
		break;
	case 'h':
		o->on_host = true;
		break;
	}
}

static void read_options(struct run_options *o, int argc, char **argv)
{
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "expect", required_argument, NULL, 'e' },
		{ "output", required_argument, NULL, 'o' },
		{ "format", required_argument, NULL, 'f' },
		{ "sizes", required_argument, NULL, 's' },
		{ "loop", required_argument, NULL, 'l' },
		{ "rtol", required_argument, NULL, 'r' },
		{ "atol", required_argument, NULL, 'a' },
		{ "seed", required_argument, NULL, 'd' },
		{ "json", no_argument, NULL, 'j' },
		{ "host", no_argument, NULL, 'h' },
		{ 0 }
	};
	int c;

	*o = (struct run_options){ .format = TENSOR_NPY, .loop = 1,
				   .rtol = 1e-3, .atol = 1e-5, .seed = 1 };
	while ((c = next_option(argc, argv, options, "run")) != -1)
		take(o, c);
}

static void write_outputs(const struct outcome *out,
			  const struct run_options *o)
{
	static const char *const ends[] = { "bin", "npy", "txt" };
	uint32_t i;
	char *path;

	if (mkdir(o->output, 0777) && errno != EEXIST)
		die(EXIT_FAILED, "'%s' cannot be created: %s", o->output,
		    strerror(errno));
	for (i = 0; i < out->count; i++) {
		if (asprintf(&path, "%s/output_%u.%s", o->output, i,
			     ends[o->format]) < 0)
			die(EXIT_FAILED, "out of memory");
		die_if(EXIT_FAILED,
		       tensor_write(&out->outputs[i], path, o->format));
		free(path);
	}
}

static int by_time(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

static void print_times(struct out *out, const struct outcome *r,
			unsigned int loop)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < loop; i++)
		sum += r->ms[i];
	qsort(r->ms, loop, sizeof(*r->ms), by_time);
	out_double(out, "load_ms", "loading (ms)", r->load_ms);
	out_uint(out, "runs", "runs", loop);
	out_double(out, "mean_ms", "mean (ms)", sum / loop);
	out_double(out, "least_ms", "least (ms)", r->ms[0]);
	out_double(out, "median_ms", "median (ms)", r->ms[loop / 2]);
	out_double(out, "most_ms", "most (ms)", r->ms[loop - 1]);
}

static void print_row(struct out *out, const struct outcome *r, unsigned int i,
		      const struct comparison *c)
{
	const struct tensor *t = &r->outputs[i];

	out_row(out);
	out_uint(out, "index", "", i);
	out_text(out, "type", "", vnpu_dtype_name(t->dtype));
	out_dims(out, "shape", "", t->rank, t->dims);
	if (c) {
		out_text(out, "result", "", c->wrong ? "differs" : "equal");
		out_uint(out, "wrong", "", c->wrong);
		out_double(out, "largest_difference", "", c->largest);
	} else {
		out_none(out, "result", "");
		out_none(out, "wrong", "");
		out_none(out, "largest_difference", "");
	}
	out_text(out, "name", "", r->names[i]);
	out_row_end(out);
}

/* Print the outputs, compare them; return how many differ. */
static unsigned int print_outputs(struct out *out, const struct outcome *r,
				  const struct run_options *o)
{
	static const struct out_column columns[] = {
		{ "nr", 3 }, { "type", -4 }, { "shape", -18 },
		{ "result", -7 }, { "wrong", 8 }, { "difference", 10 },
		{ "output", 0 },
	};
	unsigned int differ = 0;
	struct comparison c;
	uint32_t i;

	out_list(out, "outputs", "outputs", columns);
	for (i = 0; i < r->count; i++) {
		bool is_compared = i < o->expect_count;

		if (is_compared)
			die_if(EXIT_REFUSED,
			       compare_output(&c, &r->outputs[i],
					      o->expects[i], o->rtol, o->atol));
		differ += is_compared && c.wrong;
		print_row(out, r, i, is_compared ? &c : NULL);
		if (is_compared && c.wrong)
			fprintf(stderr, "vnpu-model: output %u: element %zu of %zu is %.9g, expected %.9g\n",
				i, c.first, c.count, c.given, c.expected);
	}
	out_list_end(out);
	return differ;
}

static void print_shards(struct out *out, const struct outcome *r)
{
	out_uint(out, "shards", "shards", r->shards);
	out_bytes(out, "peak_bytes", "peak memory", r->peak);
	out_bytes(out, "whole_bytes", "memory of the whole", r->whole);
}

/* Run what operands name. */
static void run(struct outcome *r, const struct run_options *o, int count,
		char *const *paths)
{
	if (!count)
		die(EXIT_USAGE, "run: the model is missing; try vnpu-model --help");
	if (!manifest_is(paths[0])) {
		parts_run(r, o, paths, count);
		return;
	}
	if (count > 1)
		die(EXIT_USAGE, "run: '%s' is a list of shards, and only one operand can be given then",
		    paths[0]);
	if (o->sizes)
		die(EXIT_USAGE, "run: --sizes=%s: shards have no gears",
		    o->sizes);
	shards_run(r, o, paths[0]);
}

int command_run(int argc, char **argv)
{
	struct run_options o;
	struct outcome r;
	struct out out;
	unsigned int differ;

	read_options(&o, argc, argv);
	run(&r, &o, argc - optind, argv + optind);
	if (o.output)
		write_outputs(&r, &o);
	out_begin(&out, stdout, o.is_json);
	out_text(&out, "place", "place", o.on_host ? "host" : "device 0");
	out_uint(&out, "gear", "gear", r.gear);
	if (r.shards)
		print_shards(&out, &r);
	print_times(&out, &r, o.loop);
	out_double(&out, "rtol", "relative tolerance", o.rtol);
	out_double(&out, "atol", "absolute tolerance", o.atol);
	differ = print_outputs(&out, &r, &o);
	if (out_end(&out))
		die(EXIT_FAILED, "standard output cannot be written");
	outcome_free(&r);
	return differ ? EXIT_DIFFERS : EXIT_DONE;
}
