// SPDX-License-Identifier: GPL-2.0-only
/* The networks of networks.h, with seeded weights. */
#include <math.h>
#include <stdarg.h>

#include "networks.h"

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

/* Make convolutions in groups, and shuffle their channels. */
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

const int64_t network_image[] = { 1, 3, 32, 32 };

const struct network networks[NETWORKS] = {
	{ "alexnet", alexnet, 8 },
	{ "resnet", resnet, 22 },
	{ "inception", inception, 19 },
	{ "shufflenet", shufflenet, 12 },
	{ "squeezenet", squeezenet, 13 },
	{ "encoder", encoder, 7 },
};

struct bytes network_make(unsigned int number)
{
	struct model m;

	model_begin(&m);
	model_input(&m, "x", 4, network_image);
	networks[number].make(&m);
	return model_end(&m);
}
