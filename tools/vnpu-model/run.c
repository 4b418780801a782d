// SPDX-License-Identifier: GPL-2.0-only
/* The command run: runs a model, or parts of one, and compares its outputs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "run.h"

#define FILES	1024

/**
 * struct options - the command line
 * @inputs: --input
 * @input_count: how often
 * @expects: --expect
 * @expect_count: how often
 * @output: --output
 * @format: --format
 * @sizes: --sizes
 * @loop: --loop
 * @rtol: --rtol
 * @atol: --atol
 * @seed: --seed
 * @is_json: --json
 * @on_host: --host
 */
struct options {
	const char *inputs[FILES];
	unsigned int input_count;
	const char *expects[FILES];
	unsigned int expect_count;
	const char *output;
	enum tensor_format format;
	const char *sizes;
	unsigned int loop;
	double rtol;
	double atol;
	uint64_t seed;
	bool is_json;
	bool on_host;
};

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
	if (*count == FILES)
		die(EXIT_USAGE, "--%s is given more than %d times", option,
		    FILES);
	list[(*count)++] = optarg;
}

static void take(struct options *o, int c)
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

static void read_options(struct options *o, int argc, char **argv)
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

	*o = (struct options){ .format = TENSOR_NPY, .loop = 1, .rtol = 1e-3,
			       .atol = 1e-5, .seed = 1 };
	while ((c = next_option(argc, argv, options, "run")) != -1)
		take(o, c);
}

/* Find the gear with these sizes of all its inputs in order; or -1. */
static int find_dims(const struct model *m, const int64_t *values,
		     unsigned int count)
{
	unsigned int gear, i, k, at;

	for (gear = 0; gear < m->gear_count; gear++) {
		const struct program *p = &m->gears[gear];
		bool fits = true;

		for (i = 0, at = 0; i < p->head->inputs; i++)
			for (k = 0; k < p->tensors[i].rank; k++, at++)
				fits &= at < count &&
					values[at] == p->tensors[i].dims[k];
		if (fits && at == count)
			return gear;
	}
	return -1;
}

/* Find the gear that --sizes chooses. */
static unsigned int choose_gear(const struct model *m, const char *text)
{
	int64_t values[OM_VALUES];
	unsigned int count = 0;
	const char *at = text;
	char *end;
	int gear;

	if (!text)
		return om_largest(&m->om);
	for (;;) {
		values[count++] = strtoll(at, &end, 10);
		if (end == at || (*end && *end != ',') || count == OM_VALUES)
			die(EXIT_USAGE, "--sizes=%s: must be numbers with commas between them",
			    text);
		if (!*end)
			break;
		at = end + 1;
	}
	gear = m->gear_count > 1 ? om_find(&m->om, values, count) : -1;
	if (gear < 0)
		gear = find_dims(m, values, count);
	if (gear < 0)
		die(EXIT_USAGE, "--sizes=%s: the model has no such gear; 'vnpu-model info' lists them",
		    text);
	return gear;
}

/**
 * struct before - a part that has run, for the part after it
 * @path: its file; NULL before the first part
 * @outputs: its outputs
 * @count: their number
 * @ms: times of the runs of all parts so far
 * @load_ms: time to load them
 */
struct before {
	const char *path;
	struct tensor *outputs;
	uint32_t count;
	double *ms;
	double load_ms;
};

/* Keep the outputs and times of a run, which is then freed. */
static void keep(struct before *b, struct run *r, const char *path)
{
	uint32_t i;

	*b = (struct before){ .path = path, .count = r->p->head->outputs,
			      .ms = r->ms, .load_ms = r->load_ms };
	b->outputs = calloc(b->count + 1, sizeof(*b->outputs));
	if (!b->outputs)
		die(EXIT_FAILED, "out of memory");
	for (i = 0; i < b->count; i++) {
		b->outputs[i] = run_output(r, i);
		r->io[r->p->head->inputs + i] = NULL;
	}
	r->ms = NULL;
}

static void drop(struct before *b)
{
	while (b->count)
		free(b->outputs[--b->count].data);
	free(b->outputs);
	free(b->ms);
	*b = (struct before){ .path = NULL };
}

/* Find the gear that takes the outputs of the part before. */
static unsigned int gear_after(const struct model *m, const struct before *b,
			       const char *path)
{
	int64_t values[OM_VALUES];
	unsigned int count = 0, i, k;
	int gear;

	if (m->gear_count == 1)
		return 0;
	for (i = 0; i < b->count; i++)
		for (k = 0; k < b->outputs[i].rank && count < OM_VALUES; k++)
			values[count++] = b->outputs[i].dims[k];
	gear = find_dims(m, values, count);
	if (gear < 0)
		die(EXIT_REFUSED, "'%s' has no gear for inputs with the sizes of the outputs of '%s'",
		    path, b->path);
	return gear;
}

static void pass_outputs(struct run *r, const struct before *b,
			 const char *path)
{
	uint32_t i;

	if (b->count != r->p->head->inputs)
		die(EXIT_REFUSED, "'%s' has %u inputs, and '%s' before it has %u outputs",
		    path, r->p->head->inputs, b->path, b->count);
	for (i = 0; i < b->count; i++)
		die_if(EXIT_REFUSED, run_take(r, i, &b->outputs[i], b->path));
}

static void fill_inputs(struct run *r, const struct options *o)
{
	uint32_t count = r->p->head->inputs, i;
	uint64_t seed = o->seed;

	if (o->input_count && o->input_count != count)
		die(EXIT_USAGE, "the model has %u inputs, given %u by --input",
		    count, o->input_count);
	for (i = 0; i < count; i++) {
		if (o->input_count)
			die_if(EXIT_REFUSED, run_load(r, i, o->inputs[i]));
		else
			die_if(EXIT_FAILED, run_fill(r, i, &seed));
	}
}

static void write_outputs(const struct run *r, const struct options *o)
{
	static const char *const ends[] = { "bin", "npy", "txt" };
	uint32_t i;
	char *path;

	if (mkdir(o->output, 0777) && errno != EEXIST)
		die(EXIT_FAILED, "'%s' cannot be created: %s", o->output,
		    strerror(errno));
	for (i = 0; i < r->p->head->outputs; i++) {
		struct tensor t = run_output(r, i);

		if (asprintf(&path, "%s/output_%u.%s", o->output, i,
			     ends[o->format]) < 0)
			die(EXIT_FAILED, "out of memory");
		die_if(EXIT_FAILED, tensor_write(&t, path, o->format));
		free(path);
	}
}

static int by_time(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

static void print_times(struct out *out, const struct run *r)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < r->loop; i++)
		sum += r->ms[i];
	qsort(r->ms, r->loop, sizeof(*r->ms), by_time);
	out_double(out, "load_ms", "loading (ms)", r->load_ms);
	out_uint(out, "runs", "runs", r->loop);
	out_double(out, "mean_ms", "mean (ms)", sum / r->loop);
	out_double(out, "least_ms", "least (ms)", r->ms[0]);
	out_double(out, "median_ms", "median (ms)", r->ms[r->loop / 2]);
	out_double(out, "most_ms", "most (ms)", r->ms[r->loop - 1]);
}

static void print_row(struct out *out, const struct run *r, unsigned int i,
		      const struct comparison *c)
{
	struct tensor t = run_output(r, i);

	out_row(out);
	out_uint(out, "index", "", i);
	out_text(out, "type", "", vnpu_dtype_name(t.dtype));
	out_dims(out, "shape", "", t.rank, t.dims);
	if (c) {
		out_text(out, "result", "", c->wrong ? "differs" : "equal");
		out_uint(out, "wrong", "", c->wrong);
		out_double(out, "largest_difference", "", c->largest);
	} else {
		out_none(out, "result", "");
		out_none(out, "wrong", "");
		out_none(out, "largest_difference", "");
	}
	out_text(out, "name", "", r->m->om.text +
		 r->m->om.tensors[r->p->head->inputs + i].name);
	out_row_end(out);
}

/* Print the outputs, compare them; return how many differ. */
static unsigned int print_outputs(struct out *out, const struct run *r,
				  const struct options *o)
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
	for (i = 0; i < r->p->head->outputs; i++) {
		struct tensor t = run_output(r, i);
		bool is_compared = i < o->expect_count;

		if (is_compared)
			die_if(EXIT_REFUSED,
			       compare_output(&c, &t, o->expects[i], o->rtol,
					      o->atol));
		differ += is_compared && c.wrong;
		print_row(out, r, i, is_compared ? &c : NULL);
		if (is_compared && c.wrong)
			fprintf(stderr, "vnpu-model: output %u: element %zu of %zu is %.9g, expected %.9g\n",
				i, c.first, c.count, c.given, c.expected);
	}
	out_list_end(out);
	return differ;
}

/* Run a model after @b, which is over then. */
static void run_part(struct run *r, const struct model *m,
		     const struct options *o, struct before *b,
		     const char *path, bool is_last)
{
	unsigned int i;

	die_if(EXIT_FAILED,
	       run_prepare(r, m, b->path ? gear_after(m, b, path) :
				 choose_gear(m, o->sizes), o->loop));
	if (is_last && o->expect_count > r->p->head->outputs)
		die(EXIT_USAGE, "the model has %u outputs, given %u by --expect",
		    r->p->head->outputs, o->expect_count);
	if (b->path)
		pass_outputs(r, b, path);
	else
		fill_inputs(r, o);
	die_if(EXIT_FAILED, o->on_host ? run_on_host(r) : run_on_device(r));
	for (i = 0; b->path && i < r->loop; i++)
		r->ms[i] += b->ms[i];
	r->load_ms += b->load_ms;
	drop(b);
}

/* Run all parts but the last, and free each before the next. */
static void run_parts(const struct options *o, struct before *b,
		      char *const *paths, unsigned int count)
{
	struct model m;
	struct run r;
	unsigned int i;

	for (i = 0; i < count; i++) {
		die_if(EXIT_REFUSED, model_open(&m, paths[i]));
		run_part(&r, &m, o, b, paths[i], false);
		keep(b, &r, paths[i]);
		run_free(&r);
		model_close(&m);
	}
}

int command_run(int argc, char **argv)
{
	struct before before = { .path = NULL };
	const char *last;
	struct options o;
	struct model m;
	struct run r;
	struct out out;
	unsigned int differ;

	read_options(&o, argc, argv);
	if (optind == argc)
		die(EXIT_USAGE, "run: the model is missing; try vnpu-model --help");
	last = argv[argc - 1];
	run_parts(&o, &before, argv + optind, argc - 1 - optind);
	die_if(EXIT_REFUSED, model_open(&m, last));
	run_part(&r, &m, &o, &before, last, true);
	if (o.output)
		write_outputs(&r, &o);
	out_begin(&out, stdout, o.is_json);
	out_text(&out, "place", "place", o.on_host ? "host" : "device 0");
	out_uint(&out, "gear", "gear", r.gear);
	print_times(&out, &r);
	out_double(&out, "rtol", "relative tolerance", o.rtol);
	out_double(&out, "atol", "absolute tolerance", o.atol);
	differ = print_outputs(&out, &r, &o);
	if (out_end(&out))
		die(EXIT_FAILED, "standard output cannot be written");
	run_free(&r);
	model_close(&m);
	return differ ? EXIT_DIFFERS : EXIT_DONE;
}
