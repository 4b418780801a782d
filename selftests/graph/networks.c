// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small networks with the structures of well-known ones and seeded weights. Each
 * gives the same result with and without every pass, views, and reuse of memory.
 */
#include <math.h>
#include <stdarg.h>

#include "model.h"

/* Compose a name, which lasts for the next thousand. */
static const char *name_of(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static const char *name_of(const char *format, ...)
{
	static char names[1024][128];
	static unsigned int next;
	char *name = names[next++ % 1024];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(names[0]), format, args);
	va_end(args);
	return name;
}

/* A name that no other value has. */
static const char *fresh(struct model *m)
{
	return name_of("v%u", m->names++);
}

/**
 * struct conv - a convolution
 * @out: output channels
 * @kernel: size of the kernel
 * @stride: distance of positions
 * @pad: padding
 * @groups: groups
 * @has_bias: there is a bias
 */
struct conv {
	int64_t out, kernel, stride, pad, groups;
	bool has_bias;
};

static const char *conv(struct model *m, const char *x, int64_t in,
			struct conv c)
{
	const char *y = fresh(m), *w = fresh(m), *bias = c.has_bias ? fresh(m) : "";
	int64_t groups = c.groups ? c.groups : 1;
	int64_t dims[] = { c.out, in / groups, c.kernel, c.kernel };
	int64_t pads[] = { c.pad, c.pad, c.pad, c.pad };
	int64_t stride[] = { c.stride, c.stride };
	double range = 1.7 / sqrt(in / groups * c.kernel * c.kernel);

	model_random(m, w, 4, dims, -range, range);
	if (c.has_bias)
		model_random(m, bias, 1, dims, -0.1, 0.1);
	model_node(m, "Conv", name_of("%s %s%s%s", x, w, *bias ? " " : "", bias),
		   y, "pads", "l", 4, pads, "strides", "l", 2, stride, "group",
		   "i", (int)groups, "kernel_shape", "l", 2, &dims[2], NULL);
	return y;
}

static const char *norm(struct model *m, const char *x, int64_t channels)
{
	const char *y = fresh(m), *p[4];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		p[i] = fresh(m);
		model_random(m, p[i], 1, &channels, i == 3 ? 0.5 : -0.3, 1);
	}
	model_node(m, "BatchNormalization",
		   name_of("%s %s %s %s %s", x, p[0], p[1], p[2], p[3]), y,
		   "epsilon", "f", 1e-5, NULL);
	return y;
}

static const char *one(struct model *m, const char *type, const char *x)
{
	const char *y = fresh(m);

	model_node(m, type, x, y, NULL);
	return y;
}

static const char *two(struct model *m, const char *type, const char *x,
		       const char *z)
{
	const char *y = fresh(m);

	model_node(m, type, name_of("%s %s", x, z), y, NULL);
	return y;
}

static const char *pool(struct model *m, const char *type, const char *x,
			int64_t kernel, int64_t stride, int64_t pad)
{
	int64_t kernels[] = { kernel, kernel }, strides[] = { stride, stride };
	int64_t pads[] = { pad, pad, pad, pad };
	const char *y = fresh(m);

	model_node(m, type, x, y, "kernel_shape", "l", 2, kernels, "strides",
		   "l", 2, strides, "pads", "l", 4, pads, NULL);
	return y;
}

static const char *concat(struct model *m, const char *names)
{
	const char *y = fresh(m);

	model_node(m, "Concat", names, y, "axis", "i", 1, NULL);
	return y;
}

static const char *reshape(struct model *m, const char *x, unsigned int rank,
			   const int64_t *dims)
{
	const char *shape = fresh(m);

	model_ints(m, shape, rank, dims);
	return two(m, "Reshape", x, shape);
}

static const char *dense(struct model *m, const char *x, int64_t in, int64_t out)
{
	int64_t flat[] = { 1, -1 }, dims[] = { out, in };
	const char *y = fresh(m), *w = fresh(m), *bias = fresh(m);

	x = reshape(m, x, 2, flat);
	model_random(m, w, 2, dims, -0.1, 0.1);
	/* Too large to be folded while shapes are inferred. */
	if (in * out * sizeof(float) > GRAPH_SMALL)
		w = one(m, "Neg", w);
	model_random(m, bias, 1, dims, -0.1, 0.1);
	model_node(m, "Gemm", name_of("%s %s %s", x, w, bias), y, "transB", "i",
		   1, NULL);
	return y;
}

static void finish(struct model *m, const char *x)
{
	model_node(m, "Softmax", x, "result", NULL);
	model_output(m, "result");
}

static const int64_t image[] = { 1, 3, 32, 32 };

/* Convolutions with LRN and groups, and dense layers. */
static void alexnet(struct model *m)
{
	const char *x;

	x = one(m, "Relu", conv(m, "x", 3, (struct conv){ 16, 5, 2, 0, 1, 1 }));
	model_node(m, "LRN", x, "lrn", "size", "i", 5, "alpha", "f", 1e-2, NULL);
	x = pool(m, "MaxPool", "lrn", 3, 2, 0);
	x = one(m, "Relu", conv(m, x, 16, (struct conv){ 34, 3, 1, 1, 2, 1 }));
	x = one(m, "Dropout", one(m, "Relu", dense(m, x, 34 * 36, 64)));
	finish(m, dense(m, x, 64, 10));
}

/* Blocks with sums. */
static void resnet(struct model *m)
{
	const char *x, *y;
	int i;

	x = conv(m, "x", 3, (struct conv){ 8, 7, 2, 3, 1, 0 });
	x = pool(m, "MaxPool", one(m, "Relu", norm(m, x, 8)), 3, 2, 1);
	for (i = 0; i < 3; i++) {
		int64_t in = i ? 32 : 8;

		y = conv(m, x, in, (struct conv){ 8, 1, 1, 0, 1, 0 });
		y = one(m, "Relu", norm(m, y, 8));
		y = conv(m, y, 8, (struct conv){ 8, 3, 1, 1, 1, 0 });
		y = one(m, "Relu", norm(m, y, 8));
		y = norm(m, conv(m, y, 8, (struct conv){ 32, 1, 1, 0, 1, 0 }), 32);
		if (!i)
			x = norm(m, conv(m, x, 8, (struct conv){ 32, 1, 1, 0, 1,
								 0 }), 32);
		x = one(m, "Relu", two(m, "Sum", y, x));
	}
	finish(m, dense(m, pool(m, "AveragePool", x, 8, 1, 0), 32, 10));
}

/* Branches that are joined. */
static void inception(struct model *m)
{
	const char *x, *y[4];
	int i;

	x = one(m, "Relu", conv(m, "x", 3, (struct conv){ 16, 3, 2, 1, 1, 1 }));
	for (i = 0; i < 2; i++) {
		int64_t in = i ? 24 : 16;

		y[0] = conv(m, x, in, (struct conv){ 8, 1, 1, 0, 1, 1 });
		y[1] = conv(m, x, in, (struct conv){ 4, 1, 1, 0, 1, 1 });
		y[1] = conv(m, one(m, "Relu", y[1]), 4,
			    (struct conv){ 8, 3, 1, 1, 1, 1 });
		y[2] = conv(m, x, in, (struct conv){ 4, 5, 1, 2, 1, 1 });
		y[3] = conv(m, pool(m, "MaxPool", x, 3, 1, 1), in,
			    (struct conv){ 4, 1, 1, 0, 1, 1 });
		x = concat(m, name_of("%s %s %s %s", one(m, "Relu", y[0]),
				      one(m, "Relu", y[1]), one(m, "Relu", y[2]),
				      one(m, "Relu", y[3])));
	}
	finish(m, dense(m, one(m, "GlobalAveragePool", x), 24, 10));
}

/* Convolutions in groups, whose channels are shuffled. */
static void shufflenet(struct model *m)
{
	int64_t split[] = { 1, 4, 6, 16, 16 }, joined[] = { 1, 24, 16, 16 };
	int64_t perm[] = { 0, 2, 1, 3, 4 };
	const char *x, *y, *t;

	x = norm(m, conv(m, "x", 3, (struct conv){ 24, 3, 2, 1, 1, 0 }), 24);
	y = conv(m, x, 24, (struct conv){ 24, 1, 1, 0, 4, 0 });
	y = reshape(m, one(m, "Relu", norm(m, y, 24)), 5, split);
	t = fresh(m);
	model_node(m, "Transpose", y, t, "perm", "l", 5, perm, NULL);
	y = reshape(m, t, 4, joined);
	y = norm(m, conv(m, y, 24, (struct conv){ 24, 3, 1, 1, 24, 0 }), 24);
	x = one(m, "Relu", two(m, "Add", x, y));
	finish(m, dense(m, one(m, "GlobalAveragePool", x), 24, 10));
}

/* Fire modules, and a padding of its own. */
static void squeezenet(struct model *m)
{
	int64_t pads[] = { 0, 0, 1, 1, 0, 0, 1, 1 }, flat[] = { 1, 10 };
	const char *x, *y, *z;
	int i;

	model_ints(m, "pads", 8, pads);
	x = conv(m, two(m, "Pad", "x", "pads"), 3,
		 (struct conv){ 16, 3, 2, 0, 1, 1 });
	x = one(m, "Relu", x);
	for (i = 0; i < 2; i++) {
		y = conv(m, x, 16, (struct conv){ 4, 1, 1, 0, 1, 1 });
		y = one(m, "Relu", y);
		z = conv(m, y, 4, (struct conv){ 8, 3, 1, 1, 1, 1 });
		y = conv(m, y, 4, (struct conv){ 8, 1, 1, 0, 1, 1 });
		x = concat(m, name_of("%s %s", one(m, "Relu", y),
				      one(m, "Relu", z)));
	}
	x = conv(m, x, 16, (struct conv){ 10, 1, 1, 0, 1, 1 });
	x = one(m, "GlobalAveragePool", one(m, "Relu", x));
	finish(m, reshape(m, x, 2, flat));
}

/* A normalisation in its parts. */
static const char *layer_norm(struct model *m, const char *x)
{
	int64_t last[] = { -1 }, size[] = { 64 };
	const char *mean = fresh(m), *var = fresh(m), *d, *y;
	float power = 2, eps = 1e-5f;

	model_floats(m, "two", 0, NULL, &power);
	model_floats(m, "eps", 0, NULL, &eps);
	model_random(m, "gamma", 1, size, 0.5, 1.5);
	model_random(m, "beta", 1, size, -0.5, 0.5);
	model_node(m, "ReduceMean", x, mean, "axes", "l", 1, last, NULL);
	d = two(m, "Sub", x, mean);
	model_node(m, "ReduceMean", two(m, "Pow", d, "two"), var, "axes", "l",
		   1, last, NULL);
	y = two(m, "Div", d, one(m, "Sqrt", two(m, "Add", var, "eps")));
	return two(m, "Add", two(m, "Mul", y, "gamma"), "beta");
}

/* An encoder: gates, GELU by parts, products with biases, equal nodes, casts. */
static void encoder(struct model *m)
{
	int64_t rows[] = { 48, 64 }, square[] = { 64, 64 }, perm[] = { 1, 0 };
	float half = 0.5f, root = sqrtf(2), unit = 1;
	const char *x, *y, *z, *t, *u;

	model_floats(m, "half", 0, NULL, &half);
	model_floats(m, "root", 0, NULL, &root);
	model_floats(m, "unit", 0, NULL, &unit);
	model_random(m, "w", 2, square, -0.2, 0.2);
	model_random(m, "bias", 1, square, -0.2, 0.2);
	x = reshape(m, "x", 2, rows);
	y = two(m, "Add", two(m, "MatMul", x, "w"), "bias");
	z = two(m, "Add", two(m, "MatMul", x, "w"), "bias");
	y = two(m, "Mul", y, one(m, "Sigmoid", z));
	z = two(m, "Add", one(m, "Erf", two(m, "Div", y, "root")), "unit");
	y = two(m, "Mul", two(m, "Mul", y, "half"), z);
	t = fresh(m);
	u = fresh(m);
	model_node(m, "Transpose", one(m, "Identity", y), t, "perm", "l", 2,
		   perm, NULL);
	model_node(m, "Transpose", t, u, "perm", "l", 2, perm, NULL);
	t = fresh(m);
	model_node(m, "Cast", u, t, "to", "i", 11, NULL);
	u = fresh(m);
	model_node(m, "Cast", t, u, "to", "i", 1, NULL);
	y = layer_norm(m, two(m, "Add", two(m, "Mul", u, y), x));
	finish(m, y);
}

static const struct {
	const char *name;
	void (*make)(struct model *m);
	unsigned int nodes;	/* at most, after the passes */
} networks[] = {
	{ "alexnet", alexnet, 8 },
	{ "resnet", resnet, 22 },
	{ "inception", inception, 19 },
	{ "shufflenet", shufflenet, 12 },
	{ "squeezenet", squeezenet, 13 },
	{ "encoder", encoder, 7 },
};

static struct bytes make(unsigned int i)
{
	struct model m;

	model_begin(&m);
	model_input(&m, "x", 4, image);
	networks[i].make(&m);
	return model_end(&m);
}

/* Compile and run a network; compare with the elements of @want, if given. */
static bool check(const struct bytes *model, struct run *r, const struct run *want)
{
	int64_t i, n;

	if (!run_model(r, model->data, model->size)) {
		printf("# %s\n", r->error);
		return false;
	}
	if (!want)
		return true;
	n = r->program.tensors[1].bytes / sizeof(float);
	EXPECT(want->program.tensors[1].bytes == r->program.tensors[1].bytes);
	for (i = 0; i < n; i++) {
		double a = ((float *)r->outputs[0])[i];
		double b = ((float *)want->outputs[0])[i];

		if (!(fabs(a - b) <= 1e-6 + 1e-4 * fabs(b))) {
			printf("# element %lld is %g, expected %g\n",
			       (long long)i, a, b);
			return false;
		}
	}
	return true;
}

static struct bytes make_image(void)
{
	float values[3 * 32 * 32];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		values[i] = model_uniform() * 2 - 1;
	return model_tensor(4, image, values);
}

/* Run a network in one way, and compare. */
static bool variant(const struct bytes *model, const struct bytes *x,
		    const struct run *want, struct compile_options options)
{
	struct run r = { .input_count = 1, .options = options };
	bool same;

	r.inputs[0] = *x;
	same = check(model, &r, want);
	run_free(&r);
	return same;
}

static bool same_results(void)
{
	struct bytes x = make_image(), model;
	unsigned int i, pass;

	for (i = 0; i < ARRAY_SIZE(networks); i++) {
		struct run plain = { .input_count = 1 };

		model = make(i);
		plain.inputs[0] = x;
		plain.options = (struct compile_options){
			.without = UINT64_MAX, .copies = true,
			.memory = MEMORY_NO_REUSE,
		};
		EXPECT(check(&model, &plain, NULL));
		EXPECT(variant(&model, &x, &plain, (struct compile_options){ 0 }));
		EXPECT(variant(&model, &x, &plain, (struct compile_options){
			.copies = true }));
		EXPECT(variant(&model, &x, &plain, (struct compile_options){
			.memory = MEMORY_NO_REUSE }));
		EXPECT(variant(&model, &x, &plain, (struct compile_options){
			.without = UINT64_MAX }));
		for (pass = 0; pass_at(pass); pass++)
			EXPECT(variant(&model, &x, &plain,
				       (struct compile_options){
				.without = UINT64_C(1) << pass }));
		run_free(&plain);
		free(model.data);
	}
	free(x.data);
	return true;
}

/* Chains of elementwise steps change no bit, and need no more memory. */
static bool chains(void)
{
	uint64_t bit = UINT64_C(1) << pass_find(PASS_CHAINS);
	struct bytes x = make_image(), model;
	unsigned int i, joined = 0;

	for (i = 0; i < ARRAY_SIZE(networks); i++) {
		struct run apart = {
			.input_count = 1, .options.without = bit,
			.inputs[0] = x,
		}, together = { .input_count = 1, .inputs[0] = x };

		model = make(i);
		EXPECT(check(&model, &apart, NULL));
		EXPECT(check(&model, &together, NULL));
		EXPECT(!memcmp(apart.outputs[0], together.outputs[0],
			       apart.program.tensors[1].bytes));
		EXPECT(together.program.head->work <=
		       apart.program.head->work);
		joined += apart.program.head->steps -
			  together.program.head->steps;
		run_free(&apart);
		run_free(&together);
		free(model.data);
	}
	EXPECT(joined);
	free(x.data);
	return true;
}

/* Packed weights change no bit, and are at most 1/16 larger. */
static bool packed(void)
{
	uint64_t bit = UINT64_C(1) << pass_find(PASS_PACKED);
	struct bytes x = make_image(), model;
	unsigned int i, larger = 0;

	for (i = 0; i < ARRAY_SIZE(networks); i++) {
		struct run plain = {
			.input_count = 1, .options.without = bit,
			.inputs[0] = x,
		}, fast = { .input_count = 1, .inputs[0] = x };
		uint64_t size, least;

		model = make(i);
		EXPECT(check(&model, &plain, NULL));
		EXPECT(check(&model, &fast, NULL));
		EXPECT(!memcmp(plain.outputs[0], fast.outputs[0],
			       plain.program.tensors[1].bytes));
		least = plain.program.head->weights_size;
		size = fast.program.head->weights_size;
		EXPECT(size >= least && size - least <= least / 16);
		larger += size > least;
		run_free(&plain);
		run_free(&fast);
		free(model.data);
	}
	EXPECT(larger);
	free(x.data);
	return true;
}

/* Passes leave few nodes, and memory is shared. */
static bool gains(void)
{
	struct compile_options options = { 0 };
	struct compile_result r;
	struct bytes model;
	unsigned int i, in_place = 0;

	for (i = 0; i < ARRAY_SIZE(networks); i++) {
		model = make(i);
		EXPECT(!compile_model(model.data, model.size, &options, &r));
		printf("# %s: %u nodes of %u, %llu bytes of %llu\n",
		       networks[i].name, r.nodes_left, r.nodes_read,
		       (unsigned long long)r.memory.peak,
		       (unsigned long long)r.memory.plain);
		EXPECT(r.nodes_left <= networks[i].nodes);
		EXPECT(r.memory.peak < r.memory.plain);
		in_place += r.memory.in_place;
		compile_free(&r);
		free(model.data);
	}
	EXPECT(in_place);
	return true;
}

/* Each pass has something to do in one of the networks. */
static bool all_passes(void)
{
	struct compile_options options = { 0 };
	uint32_t changes[PASS_MAX] = { 0 };
	struct compile_result r;
	struct bytes model;
	unsigned int i, pass;

	for (i = 0; i < ARRAY_SIZE(networks); i++) {
		model = make(i);
		EXPECT(!compile_model(model.data, model.size, &options, &r));
		for (pass = 0; pass_at(pass); pass++)
			changes[pass] += r.changes[pass];
		compile_free(&r);
		free(model.data);
	}
	for (pass = 0; pass_at(pass); pass++) {
		printf("# %s: %u\n", pass_at(pass)->name, changes[pass]);
		EXPECT(pass_find(pass_at(pass)->name) == (int)pass);
		EXPECT(changes[pass]);
	}
	EXPECT(pass_find("none") == -ENOENT);
	return true;
}

const struct test network_tests[] = {
	{ "networks: same results", same_results },
	{ "networks: chains", chains },
	{ "networks: packed weights", packed },
	{ "networks: gains", gains },
	{ "networks: passes", all_passes },
	{ 0 },
};
