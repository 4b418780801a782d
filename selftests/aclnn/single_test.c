// SPDX-License-Identifier: GPL-2.0-only
/* Single operators: the table of types, values, errors, and anything. */
#include "aclnn_test.h"
#include "single.h"

static float a[24], c[24], out[48];

static struct vnpu_single_tensor single(aclDataType type, void *data,
					unsigned int rank, const int64_t *dims)
{
	struct vnpu_single_tensor t = { .type = type, .rank = rank,
					.data = data, .size = sizeof(a) };

	for (unsigned int i = 0; i < rank; i++)
		t.dims[i] = dims[i];
	return t;
}

#define ONE(data, ...)	single(ACL_FLOAT, data, SHAPE(__VA_ARGS__))

/* Run a type with up to two inputs, and an attribute. */
static aclError run(const char *type, const struct vnpu_single_tensor *input,
		    unsigned int inputs, struct vnpu_single_tensor output,
		    const struct vnpu_attr *attr)
{
	struct vnpu_single op = {
		.type = type, .inputs = inputs, .outputs = 1, .input = input,
		.output = &output, .attr = attr,
	};

	return vnpu_single_execute(&op, NULL);
}

static bool types(void)
{
	for (unsigned int i = 0; i < aclnn_single_count; i++) {
		const struct aclnn_single_type *t = &aclnn_single_types[i];
		const struct aclnn_op *op = aclnn_single_op(t);
		unsigned int words = 1;

		for (unsigned int k = 0; k < i; k++)
			EXPECT(strcmp(t->type, aclnn_single_types[k].type));
		if (!op) {
			note("%s: there is no %s", t->type, t->op);
			return false;
		}
		for (const char *at = t->args; *at; at++)
			words += *at == ' ';
		if (words != op->count) {
			note("%s: %u arguments, but %s has %u", t->type, words,
			     t->op, op->count);
			return false;
		}
		EXPECT(aclnn_single_find(t->type) == t);
	}
	return true;
}

static bool values(void)
{
	struct vnpu_single_tensor input[2] = { ONE(a, 2, 3), ONE(c, 2, 3) };
	int64_t yes = 1, axes[] = { 0 };
	struct vnpu_attr swap = { .name = "transpose_x2",
		.kind = VNPU_ATTR_INTS, .count = 1, .i = &yes };
	struct vnpu_attr list = { .name = "axes", .kind = VNPU_ATTR_INTS,
		.is_list = true, .count = 1, .i = axes };

	numbers(a, 24, 1);
	numbers(c, 24, 2);
	EXPECT(!run("Sub", input, 2, ONE(out, 2, 3), NULL));
	for (unsigned int i = 0; i < 6; i++)
		EXPECT(out[i] == a[i] - c[i]);
	EXPECT(!run("MatMul", input, 2, ONE(out, 2, 2), &swap));
	EXPECT(near(out[1], (double)a[0] * c[3] + (double)a[1] * c[4] +
			    (double)a[2] * c[5]));
	EXPECT(!run("ReduceSumD", input, 1, ONE(out, 3), &list));
	EXPECT(near(out[2], (double)a[2] + a[5]));
	EXPECT(!run("ReduceMaxD", input, 1, ONE(out, 1), NULL));
	EXPECT(out[0] == fmaxf(fmaxf(fmaxf(a[0], a[1]), fmaxf(a[2], a[3])),
			       fmaxf(a[4], a[5])));
	/* Of several steps, which need memory. */
	EXPECT(!run("AddN", (struct vnpu_single_tensor[]){
			ONE(a, 4), ONE(c, 4), ONE(a, 4) }, 3, ONE(out, 4),
		    NULL));
	EXPECT(near(out[3], 2.0 * a[3] + c[3]));
	return true;
}

/* A shape: the rank, then the sizes. */
#define DIMS(...)	{ sizeof((int[]){ __VA_ARGS__ }) / sizeof(int), __VA_ARGS__ }
#define NO_DIMS		{ 0 }
#define NO_INPUT	{ 9 }

/* Types, their inputs, an attribute of integers, and the sizes of the output. */
static const struct {
	const char *type;
	int first[5], second[5];
	const char *attr;
	int values[5];		/* their number, then the values */
	int out[5];
} shapes[] = {
	{ "Relu", DIMS(2, 3), NO_INPUT, NULL, NO_DIMS, DIMS(2, 3) },
	{ "Cast", NO_DIMS, NO_INPUT, NULL, NO_DIMS, NO_DIMS },
	{ "Add", DIMS(2, 3), DIMS(3), NULL, NO_DIMS, DIMS(2, 3) },
	{ "Mul", DIMS(2, 1, 3), DIMS(4, 1), NULL, NO_DIMS, DIMS(2, 4, 3) },
	{ "Less", DIMS(1), DIMS(0, 2), NULL, NO_DIMS, DIMS(0, 2) },
	{ "MatMul", DIMS(2, 3), DIMS(3, 4), NULL, NO_DIMS, DIMS(2, 4) },
	{ "MatMul", DIMS(3, 2), DIMS(3, 4), "transpose_x1", DIMS(1), DIMS(2, 4) },
	{ "MatMul", DIMS(2, 3), DIMS(4, 3), "transpose_x2", DIMS(1), DIMS(2, 4) },
	{ "BatchMatMul", DIMS(2, 2, 3), DIMS(2, 3, 1), NULL, NO_DIMS,
	  DIMS(2, 2, 1) },
	{ "BatchMatMul", DIMS(2, 2, 3), DIMS(1, 1, 3), "adj_x2", DIMS(1),
	  DIMS(2, 2, 1) },
	{ "ReduceMaxD", DIMS(2, 3, 4), NO_INPUT, "axes", DIMS(1), DIMS(2, 4) },
	{ "ReduceMaxD", DIMS(2, 3, 4), NO_INPUT, "axes", DIMS(-1, 0), DIMS(3) },
	{ "ReduceSumD", DIMS(2, 3), NO_INPUT, NULL, NO_DIMS, NO_DIMS },
	{ "ReduceSumD", DIMS(2, 3), NO_INPUT, "keep_dims", DIMS(1), DIMS(1, 1) },
	{ "ArgMaxD", DIMS(2, 3, 4), NO_INPUT, "dimension", DIMS(1), DIMS(2, 4) },
	{ "TransposeD", DIMS(2, 3, 4), NO_INPUT, "perm", DIMS(2, 0, 1),
	  DIMS(4, 2, 3) },
	{ "ConcatD", DIMS(2, 3), DIMS(2, 2), "concat_dim", DIMS(1), DIMS(2, 5) },
	{ "Pack", DIMS(2, 3), DIMS(2, 3), "axis", DIMS(-1), DIMS(2, 3, 2) },
	{ "Gather", DIMS(4, 3), DIMS(2, 2), NULL, NO_DIMS, DIMS(2, 2, 3) },
	{ "GatherV2D", DIMS(4, 3), DIMS(2), "axis", DIMS(1), DIMS(4, 2) },
	{ "GatherElements", DIMS(4, 3), DIMS(2, 3), NULL, NO_DIMS, DIMS(2, 3) },
	{ "BroadcastToD", DIMS(3, 1), NO_INPUT, "shape", DIMS(2, -1, 4),
	  DIMS(2, 3, 4) },
	{ "TileD", DIMS(2, 3), NO_INPUT, "multiples", DIMS(2, 1, 2),
	  DIMS(2, 2, 6) },
	{ "CumsumD", DIMS(2, 3), NO_INPUT, "axis", DIMS(1), DIMS(2, 3) },
};

static struct vnpu_single_tensor of_shape(aclDataType type, const int *shape)
{
	struct vnpu_single_tensor t = { .type = type, .rank = shape[0] };

	for (int i = 0; i < shape[0]; i++)
		t.dims[i] = shape[1 + i];
	return t;
}

static bool is_shape(const struct vnpu_single_tensor *t, const int *shape)
{
	if ((int)t->rank != shape[0])
		return false;
	for (int i = 0; i < shape[0]; i++)
		if (t->dims[i] != shape[1 + i])
			return false;
	return true;
}

static bool sizes(void)
{
	for (unsigned int n = 0; n < sizeof(shapes) / sizeof(*shapes); n++) {
		bool indexes = !strncmp(shapes[n].type, "Gather", 6);
		bool is_arg = !strncmp(shapes[n].type, "Arg", 3);
		struct vnpu_single_tensor input[2] = {
			of_shape(ACL_FLOAT, shapes[n].first),
		}, y = { .type = is_arg ? ACL_INT32 : ACL_FLOAT };
		int64_t values[4];
		struct vnpu_attr attr = {
			.name = (char *)shapes[n].attr, .kind = VNPU_ATTR_INTS,
			.is_list = true, .count = shapes[n].values[0],
			.i = values,
		};
		struct vnpu_single op = {
			.type = shapes[n].type, .outputs = 1, .input = input,
			.inputs = shapes[n].second[0] == 9 ? 1 : 2,
			.output = &y, .attr = attr.name ? &attr : NULL,
		};

		if (op.inputs == 2)
			input[1] = of_shape(indexes ? ACL_INT64 : ACL_FLOAT,
					    shapes[n].second);
		for (int i = 0; i < shapes[n].values[0]; i++)
			values[i] = shapes[n].values[1 + i];
		if (vnpu_single_infer(&op, &y) ||
		    !is_shape(&y, shapes[n].out)) {
			note("%s, row %u: %s", op.type, n, last_text);
			return false;
		}
	}
	return true;
}

/* The second output of a norm, parts, and inputs that determine no sizes. */
static bool more_sizes(void)
{
	struct vnpu_single_tensor input[2] = { ONE(a, 2, 5), ONE(c, 5) }, y[2] = {
		{ .type = ACL_FLOAT }, { .type = ACL_FLOAT },
	};
	int64_t parts[] = { 2, 3 };
	struct vnpu_attr dim = { .name = "split_dim", .kind = VNPU_ATTR_INTS,
		.count = 1, .i = (int64_t[]){ 1 } };
	struct vnpu_attr attr = { .next = &dim, .name = "size_splits",
		.kind = VNPU_ATTR_INTS, .is_list = true, .count = 2, .i = parts };
	struct vnpu_single op = { .type = "RmsNorm", .inputs = 2, .outputs = 2,
		.input = input, .output = y };

	EXPECT(!vnpu_single_infer(&op, y));
	EXPECT(y[0].rank == 2 && y[0].dims[1] == 5);
	EXPECT(y[1].rank == 2 && y[1].dims[0] == 2 && y[1].dims[1] == 1);
	op.type = "SplitVD";
	op.inputs = 1;
	op.attr = &attr;
	EXPECT(!vnpu_single_infer(&op, y));
	EXPECT(y[0].rank == 2 && y[0].dims[0] == 2 && y[0].dims[1] == 2);
	EXPECT(y[1].rank == 2 && y[1].dims[1] == 3);
	parts[1] = 4;
	EXPECT(vnpu_single_infer(&op, y) == ACL_ERROR_INVALID_PARAM);
	op.outputs = 1;
	EXPECT(vnpu_single_infer(&op, y));
	op.type = "Add";
	op.inputs = 2;
	input[1].dims[0] = 4;
	EXPECT(vnpu_single_infer(&op, y) == ACL_ERROR_INVALID_PARAM);
	TEXT("[4]");
	op.type = "Nothing";
	EXPECT(vnpu_single_infer(&op, y) == ACL_ERROR_OP_NOT_FOUND);
	return true;
}

/* As of BLAS: a C that beta = 0 excludes may hold anything. */
static bool gemm_without_c(void)
{
	static const float one = 1, none = 0;
	float nan[4] = { NAN, INFINITY, -INFINITY, NAN };
	struct vnpu_single_tensor input[5] = {
		ONE(a, 2, 3), ONE(c, 3, 2), ONE(nan, 2, 2),
		ONE((void *)&one, 1), ONE((void *)&none, 1),
	};

	input[2].size = sizeof(nan);
	input[3].size = input[4].size = sizeof(one);
	EXPECT(!run("GEMM", input, 5, ONE(out, 2, 2), NULL));
	EXPECT(near(out[1], (double)a[0] * c[1] + (double)a[1] * c[3] +
			    (double)a[2] * c[5]));
	EXPECT(isfinite(out[0]) && isfinite(out[2]) && isfinite(out[3]));
	return true;
}

static bool errors(void)
{
	struct vnpu_single_tensor input[2] = { ONE(a, 2, 3), ONE(c, 2, 4) };

	EXPECT(run("Nothing", input, 1, ONE(out, 2, 3), NULL) ==
	       ACL_ERROR_OP_NOT_FOUND);
	EXPECT(!strcmp(last_name, "Nothing"));
	EXPECT(run("Add", input, 2, ONE(out, 2, 3), NULL) ==
	       ACL_ERROR_INVALID_PARAM);
	EXPECT(!strcmp(last_name, "Add") && strstr(last_text, "[2, 4]"));
	EXPECT(run("Add", input, 1, ONE(out, 2, 3), NULL) ==
	       ACL_ERROR_OP_INPUT_NOT_MATCH);
	TEXT("input 1 is missing: 1 were given");
	EXPECT(run("Muls", input, 1, ONE(out, 2, 3), NULL) ==
	       ACL_ERROR_OP_ATTR_NOT_MATCH);
	TEXT("attribute value is missing");
	return true;
}

static uint32_t below(uint64_t *state, uint32_t limit)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % limit;
}

/* Descriptions and attributes that are anything, also in each check. */
static bool anything(void)
{
	static const aclDataType kinds[] = {
		ACL_FLOAT, ACL_FLOAT16, ACL_INT32, ACL_INT8, ACL_BOOL,
		ACL_INT64, ACL_DOUBLE, ACL_DT_UNDEFINED, ACL_INT4, ACL_STRING,
	};
	static const char *const names[] = { "axes", "axis", "value", "perm",
					     "shape", "size_splits" };
	uint64_t state = 1;

	for (unsigned int n = 0; n < 20000; n++) {
		struct vnpu_single_tensor t[6];
		int64_t ints[3];
		float number = below(&state, 100) - 50.0f;
		struct vnpu_attr attr = {
			.name = (char *)names[below(&state, 6)],
			.kind = below(&state, 4) ? VNPU_ATTR_INTS :
						   VNPU_ATTR_FLOATS,
			.is_list = true,
		};
		struct vnpu_single op = {
			.type = aclnn_single_types[below(&state,
					aclnn_single_count)].type,
			.inputs = below(&state, 4),
			.outputs = below(&state, 3),
			.input = t, .output = t + 4, .attr = &attr,
		};

		for (unsigned int i = 0; i < 6; i++) {
			int64_t dims[4];

			for (unsigned int k = 0; k < 4; k++)
				dims[k] = below(&state, 50) ?
					below(&state, 4) : INT64_MAX / 2;
			t[i] = single(kinds[below(&state, 10)],
				      i < 4 ? (void *)a : (void *)out,
				      below(&state, 4), dims);
			t[i].size = below(&state, 96);
		}
		for (unsigned int k = 0; k < 3; k++)
			ints[k] = (int64_t)below(&state, 6) - 2;
		attr.count = below(&state, 4);
		attr.i = ints;
		if (attr.kind == VNPU_ATTR_FLOATS) {
			attr.count = below(&state, 2);
			attr.f = &number;
		}
		vnpu_single_check(&op, NULL);
		vnpu_single_execute(&op, NULL);
		if (!vnpu_single_infer(&op, t + 4))
			EXPECT(!vnpu_single_check(&op, NULL));
	}
	return true;
}

const struct test single_tests[] = {
	{ "types of single operators", types },
	{ "single operators", values },
	{ "GEMM without C", gemm_without_c },
	{ "sizes of outputs", sizes },
	{ "sizes of several outputs", more_sizes },
	{ "errors of single operators", errors },
	{ "single operators with anything", anything },
	{ 0 }
};
