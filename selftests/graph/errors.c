// SPDX-License-Identifier: GPL-2.0-only
/* Messages name the node, its operator, and the values expected and given. */
#include "model.h"
#include "op/op.h"

static const int64_t plane[] = { 2, 8 }, cube[] = { 1, 3, 4, 4 };

static void inner_sizes(struct model *m)
{
	int64_t dims[] = { 7, 3 };

	model_random(m, "w", 2, dims, -1, 1);
	model_node(m, "MatMul", "x w", "result", NULL);
}

static void unknown_operator(struct model *m)
{
	model_node(m, "Frobnicate", "x", "result", NULL);
}

static void missing_value(struct model *m)
{
	model_node(m, "Add", "x nothing", "result", NULL);
}

static void wrong_axis(struct model *m)
{
	model_node(m, "Softmax", "x", "result", "axis", "i", 5, NULL);
}

static void wrong_shape(struct model *m)
{
	int64_t shape[] = { 3, 5 };

	model_ints(m, "shape", 2, shape);
	model_node(m, "Reshape", "x shape", "result", NULL);
}

static void no_broadcast(struct model *m)
{
	int64_t dims[] = { 3, 8 };

	model_random(m, "w", 2, dims, -1, 1);
	model_node(m, "Add", "x w", "result", NULL);
}

static void wrong_channels(struct model *m)
{
	int64_t dims[] = { 4, 2, 3, 3 };

	model_random(m, "w", 4, dims, -1, 1);
	model_node(m, "Conv", "x w", "result", NULL);
}

static void types(struct model *m)
{
	int64_t one = 1;

	model_ints(m, "w", 1, &one);
	model_node(m, "Add", "x w", "result", NULL);
}

static void too_many_inputs(struct model *m)
{
	model_node(m, "Relu", "x x", "result", NULL);
}

static const struct {
	void (*make)(struct model *m);
	const int64_t *dims;
	unsigned int rank;
	int err;
	const char *text;
} cases[] = {
	{ inner_sizes, plane, 2, -EINVAL,
	  "node 'result' (MatMul): inner dimensions of 8 and 7 differ" },
	{ unknown_operator, plane, 2, -EOPNOTSUPP,
	  "node 'result' (Frobnicate): the operator is not supported in opset 13 of 'ai.onnx'" },
	{ missing_value, plane, 2, -EINVAL,
	  "node 'result' (Add): input 1, 'nothing', is made by no node before it" },
	{ wrong_axis, plane, 2, -EINVAL,
	  "node 'result' (Softmax): axis 5: expected -2 to 1" },
	{ wrong_shape, plane, 2, -EINVAL,
	  "node 'result' (Reshape): 16 elements do not fit into a shape of 15" },
	{ no_broadcast, plane, 2, -EINVAL,
	  "node 'result' (Add): shapes [2, 8] and [3, 8] of inputs cannot be broadcast" },
	{ wrong_channels, cube, 4, -EINVAL,
	  "node 'result' (Conv): 3 channels in 1 groups do not fit to a weight of 4 x 2" },
	{ types, plane, 2, -EINVAL,
	  "node 'result' (Add): expected inputs of one type, given f32 and i64" },
	{ too_many_inputs, plane, 2, -EINVAL,
	  "node 'result' (Relu): expected 1 to 1 inputs, given 2" },
};

static bool messages(void)
{
	struct compile_options options = { 0 };
	struct compile_result r;
	struct bytes model;
	struct model m;
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		model_begin(&m);
		model_input(&m, "x", cases[i].rank, cases[i].dims);
		cases[i].make(&m);
		model_output(&m, "result");
		model = model_end(&m);
		err = compile_model(model.data, model.size, &options, &r);
		if (err != cases[i].err || strcmp(r.error, cases[i].text)) {
			printf("# %d: %s\n# expected %d: %s\n", err, r.error,
			       cases[i].err, cases[i].text);
			return false;
		}
		compile_free(&r);
		free(model.data);
	}
	return true;
}

/* Sizes that the model leaves open are asked for, and must fit. */
static bool shapes(void)
{
	static const int64_t open[] = { -1, 8 };
	struct compile_shape shape = { "x", 2, { 5, 8 } };
	struct compile_options options = { 0 };
	struct compile_result r;
	struct program_error error;
	struct program p;
	struct bytes model;
	struct model m;

	model_begin(&m);
	model_input(&m, "x", 2, open);
	model_node(&m, "Relu", "x", "result", NULL);
	model_output(&m, "result");
	model = model_end(&m);
	EXPECT(compile_model(model.data, model.size, &options, &r) == -EINVAL);
	EXPECT(!strcmp(r.error, "input 'x' is f32 [?, 8]: give its shape"));
	options.shapes = &shape;
	options.shape_count = 1;
	EXPECT(!compile_model(model.data, model.size, &options, &r));
	EXPECT(!program_open(&p, r.program, r.size, &error));
	EXPECT(p.tensors[1].dims[0] == 5 && p.tensors[1].dims[1] == 8);
	compile_free(&r);
	shape.dims[1] = 9;
	EXPECT(compile_model(model.data, model.size, &options, &r) == -EINVAL);
	shape.name = "y";
	EXPECT(compile_model(model.data, model.size, &options, &r) == -EINVAL);
	EXPECT(!strcmp(r.error, "the model has no input 'y'"));
	free(model.data);
	return true;
}

/* A frozen input must keep its elements. */
static bool frozen(void)
{
	static const int64_t two[] = { 2 };
	float values[] = { 0, 0 };
	struct bytes x = model_tensor(1, two, values), model;
	struct compile_frozen f = { "x", x.data, x.size };
	struct compile_options options = { .frozen = &f, .frozen_count = 1 };
	float out[2], other[] = { 1, 2 };
	void *io[] = { values, out };
	struct program_error error;
	struct compile_result r;
	struct program p;
	struct model m;

	model_begin(&m);
	model_input(&m, "x", 1, two);
	model_node(&m, "Cos", "x", "result", NULL);
	model_output(&m, "result");
	model = model_end(&m);
	EXPECT(!compile_model(model.data, model.size, &options, &r));
	EXPECT(!program_open(&p, r.program, r.size, &error));
	EXPECT(!program_run(&p, NULL, io, &error));
	EXPECT(out[0] == 1 && out[1] == 1);
	io[0] = other;
	EXPECT(program_run(&p, NULL, io, &error) == -ESTALE);
	EXPECT(strstr(error.text, "'x'"));
	compile_free(&r);
	free(model.data);
	free(x.data);
	return true;
}

/* The table is in the order of names, by which it is searched. */
static bool table(void)
{
	const struct op_row *row, *last = NULL;
	unsigned int i;

	for (i = 0; (row = op_at(i)); i++) {
		EXPECT(!last || strcmp(last->name, row->name) < 0);
		EXPECT(op_find("", row->name, row->until) == row);
		EXPECT(!op_find("", row->name, row->until + 1));
		EXPECT(row->min_in <= row->max_in);
		last = row;
	}
	EXPECT(i > 140);
	EXPECT(!op_find("other", "Add", 13));
	return true;
}

const struct test error_tests[] = {
	{ "errors: table of operators", table },
	{ "errors: messages", messages },
	{ "errors: shapes", shapes },
	{ "errors: frozen inputs", frozen },
	{ 0 },
};
