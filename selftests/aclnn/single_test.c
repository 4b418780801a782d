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
	EXPECT(strstr(last_text, "input 1 is missing: 1 were given"));
	EXPECT(run("Muls", input, 1, ONE(out, 2, 3), NULL) ==
	       ACL_ERROR_OP_ATTR_NOT_MATCH);
	EXPECT(strstr(last_text, "attribute value is missing"));
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
	}
	return true;
}

const struct test single_tests[] = {
	{ "types of single operators", types },
	{ "single operators", values },
	{ "errors of single operators", errors },
	{ "single operators with anything", anything },
	{ 0 }
};
