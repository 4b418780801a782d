// SPDX-License-Identifier: GPL-2.0-only
/* Models as files: gears, shared weights, and files that are refused. */
#include "model.h"
#include "om/image.h"

#define GEARS 3

/**
 * struct gears - a model that is compiled for several batches
 * @results: what the compiler made
 * @sources: the same, for the writer
 * @options: for the writer
 * @data: the file
 * @size: its bytes
 * @error: the reason of an error
 */
struct gears {
	struct compile_result results[GEARS];
	struct om_source sources[GEARS];
	struct om_options options;
	void *data;
	size_t size;
	struct program_error error;
};

/* Compile y = relu(x w) + batch for batches of 1, 2 and 4. */
static bool compile(struct gears *g)
{
	static const int64_t open[] = { -1, 64 }, square[] = { 64, 64 };
	struct compile_shape shape = { "x", 2, { 1, 64 } };
	struct compile_options options = { .shapes = &shape, .shape_count = 1 };
	struct bytes model;
	struct model m;
	unsigned int i;

	*g = (struct gears){ 0 };
	model_begin(&m);
	model_input(&m, "x", 2, open);
	model_random(&m, "w", 2, square, -1, 1);
	model_node(&m, "MatMul", "x w", "y", NULL);
	model_node(&m, "Relu", "y", "z", NULL);
	model_node(&m, "Shape", "z", "s", NULL);
	model_node(&m, "Cast", "s", "f", "to", "i", 1, NULL);
	model_node(&m, "ReduceProd", "f", "p", "keepdims", "i", 0, NULL);
	model_node(&m, "Add", "z p", "result", NULL);
	model_output(&m, "result");
	model = model_end(&m);
	for (i = 0; i < GEARS; i++) {
		shape.dims[0] = 1 << i;
		EXPECT(!compile_model(model.data, model.size, &options,
				      &g->results[i]));
		g->sources[i].program = g->results[i].program;
		g->sources[i].size = g->results[i].size;
	}
	free(model.data);
	g->options = (struct om_options){
		.kind = OM_BATCH,
		.gears = g->sources,
		.gear_count = GEARS,
	};
	return true;
}

static void drop(struct gears *g)
{
	unsigned int i;

	for (i = 0; i < GEARS; i++)
		compile_free(&g->results[i]);
	free(g->data);
	g->data = NULL;
}

static bool write_gears(struct gears *g)
{
	int err = om_write(&g->options, &g->data, &g->size, &g->error);

	if (err)
		printf("# %d: %s\n", err, g->error.text);
	return !err;
}

/* Each gear computes what its own program does, with the shared weights. */
static bool same_results(const struct om *om, struct gears *g)
{
	float x[4 * 64], y[2][4 * 64];
	struct program_error error;
	unsigned int i, k;

	for (i = 0; i < 4 * 64; i++)
		x[i] = model_uniform() - 0.5;
	for (i = 0; i < GEARS; i++) {
		for (k = 0; k < 2; k++) {
			void *io[] = { x, y[k] }, *work;
			struct program p;

			if (k)
				om_program(om, i, &p);
			else
				EXPECT(!program_open(&p, g->sources[i].program,
						     g->sources[i].size,
						     &error));
			EXPECT(!program_verify(&p, &error));
			EXPECT(p.tensors[1].dims[0] == 1 << i);
			work = aligned_alloc(PROGRAM_ALIGN,
					     p.head->work + PROGRAM_ALIGN);
			EXPECT(!program_run(&p, work, io, &error));
			free(work);
		}
		EXPECT(!memcmp(y[0], y[1], (64 << i) * sizeof(float)));
	}
	return true;
}

static bool gears(void)
{
	int64_t values[OM_VALUES];
	struct gears g;
	struct om om;

	EXPECT(compile(&g));
	EXPECT(write_gears(&g));
	EXPECT(!om_open(&om, g.data, g.size, &g.error));
	EXPECT(om.head->gears == GEARS && om.head->inputs == 1 &&
	       om.head->outputs == 1);
	EXPECT(!strcmp(om.text + om.tensors[0].name, "x"));
	EXPECT(!strcmp(om.text + om.tensors[1].name, "result"));
	EXPECT(om.tensors[0].dims[0] == -1 && om.tensors[0].dims[1] == 64);
	EXPECT(om.tensors[1].dims[0] == -1);
	EXPECT(om.tensors[0].bytes == 4 * 64 * sizeof(float));
	EXPECT(om_values(&om, 1, values) == 1 && values[0] == 2);
	values[0] = 4;
	EXPECT(om_find(&om, values, 1) == 2 && om_largest(&om) == 2);
	values[0] = 3;
	EXPECT(om_find(&om, values, 1) == -1);
	/* The matrix is there once; the other constants are small. */
	EXPECT(om.head->weights_size >= 64 * 64 * sizeof(float));
	EXPECT(om.head->weights_size < 64 * 64 * sizeof(float) + 1024);
	EXPECT(same_results(&om, &g));
	drop(&g);
	return true;
}

/* One gear, with names, formats and information of the caller. */
static bool one_gear(void)
{
	static const char *const names[] = { "image", "Add_1:0:result" };
	static const uint8_t formats[] = { OM_FORMAT_NCHW, OM_FORMAT_ND };
	struct gears g;
	struct om om;

	EXPECT(compile(&g));
	g.options.kind = OM_STATIC;
	g.options.gear_count = 1;
	g.options.names = names;
	g.options.formats = formats;
	g.options.name = "net";
	g.options.info = "soc_version=Ascend310\n";
	EXPECT(write_gears(&g));
	EXPECT(!om_open(&om, g.data, g.size, &g.error));
	EXPECT(!strcmp(om.text + om.tensors[0].name, names[0]));
	EXPECT(!strcmp(om.text + om.tensors[1].name, names[1]));
	EXPECT(!strcmp(om.text + om.head->name, "net"));
	EXPECT(!strcmp(om.text + om.head->info, "soc_version=Ascend310\n"));
	EXPECT(om.tensors[0].format == OM_FORMAT_NCHW);
	EXPECT(om.tensors[0].dims[0] == 1);
	EXPECT(om_work(&om) == ((const struct program_head *)
				g.sources[0].program)->work);
	drop(&g);
	return true;
}

/* Gears that cannot be told apart, or do not fit together, are refused. */
static bool bad_gears(void)
{
	static const int64_t fixed[1][VNPU_TENSOR_DIMS] = { { 1, 64 } };
	struct gears g;

	EXPECT(compile(&g));
	g.options.gear_count = 0;
	EXPECT(!write_gears(&g) && !g.data);
	g.options.gear_count = 2;
	g.options.dims = fixed;
	EXPECT(!write_gears(&g) && !g.data);
	g.options.dims = NULL;
	g.options.kind = OM_STATIC;
	EXPECT(!write_gears(&g));
	g.options.kind = OM_IMAGE;
	EXPECT(!write_gears(&g));
	g.options.kind = OM_BATCH;
	g.sources[1] = g.sources[0];
	g.sources[2] = g.sources[0];
	EXPECT(!write_gears(&g));
	g.sources[1].size--;
	EXPECT(!write_gears(&g));
	EXPECT(*g.error.text);
	drop(&g);
	return true;
}

/* Set the checksums right that a change of byte @at has made wrong. */
static void mend(struct gears *g, const struct om_gear *gears)
{
	struct om_head *h = g->data;
	unsigned int i;

	for (i = 0; i < GEARS; i++) {
		struct program_head *p =
			(void *)((char *)g->data + gears[i].at);

		p->checksum = program_checksum(p, gears[i].size);
	}
	h->checksum = program_checksum(g->data, g->size);
}

/* Files with changed bytes are refused, or their programs are valid. */
static bool changed_files(void)
{
	struct om_gear gears[GEARS];
	uint64_t at, end;
	struct gears g;
	struct om om;

	EXPECT(compile(&g));
	EXPECT(write_gears(&g));
	EXPECT(!om_open(&om, g.data, g.size, &g.error));
	memcpy(gears, om.gears, sizeof(gears));
	end = om.head->weights_at;
	for (at = 0; at < g.size; at += at < 256 ? 1 : 61)
		EXPECT(om_open(&om, g.data, at, &g.error));
	for (at = 0; at < end; at++) {
		uint8_t *byte = (uint8_t *)g.data + at, old = *byte;

		*byte ^= 1 << at % 8;
		EXPECT(om_open(&om, g.data, g.size, &g.error));
		EXPECT(*g.error.text);
		mend(&g, gears);
		*g.error.text = 0;
		if (om_open(&om, g.data, g.size, &g.error))
			EXPECT(*g.error.text);
		*byte = old;
		mend(&g, gears);
	}
	EXPECT(!om_open(&om, g.data, g.size, &g.error));
	drop(&g);
	return true;
}

/* Weights are dropped after they were copied, so no other part may lie in them. */
static bool parts_in_weights(void)
{
	struct om_gear gears[GEARS];
	struct om_head *h;
	struct gears g;
	struct om om;
	unsigned int i;

	EXPECT(compile(&g));
	EXPECT(write_gears(&g));
	EXPECT(!om_open(&om, g.data, g.size, &g.error));
	memcpy(gears, om.gears, sizeof(gears));
	h = g.data;
	EXPECT(h->weights_at > PROGRAM_PAGE);
	h->weights_at = PROGRAM_PAGE;
	h->weights_size = g.size - PROGRAM_PAGE;
	for (i = 0; i < GEARS; i++)
		((struct program_head *)((char *)g.data +
					 gears[i].at))->weights_size =
			h->weights_size;
	mend(&g, gears);
	EXPECT(om_open(&om, g.data, g.size, &g.error) == -EINVAL);
	EXPECT(strstr(g.error.text, "gear"));
	drop(&g);
	return true;
}

/* Write lines about images to the info of a model, and open that. */
static bool open_lines(struct gears *g, struct om *om, const char *lines)
{
	free(g->data);
	g->data = NULL;
	g->options.info = lines;
	EXPECT(write_gears(g));
	EXPECT(!om_open(om, g->data, g->size, &g->error));
	return true;
}

/* Lines that are not valid are as if they were not there. */
static bool image_lines(void)
{
	const struct om_image one = { .input = 0, .parameters = -1,
				      .dtype = VNPU_DT_F32, .mean = { 1.5 } };
	const struct om_image odd[] = {
		{ .input = 1, .parameters = -1 }, { .input = 0.5 },
		{ .input = -1 }, { .parameters = 1 }, { .parameters = -2 },
		{ .dtype = VNPU_DT_COUNT }, { .dtype = -1 },
		{ .factor = { 2e9 } }, { .factor = { __builtin_nanf("") } },
	};
	const int64_t shape[] = { 2, 3, 4, 5 };
	char line[OM_IMAGE_LINE], lines[2 * OM_IMAGE_LINE] = "a=b\n";
	struct om_image image;
	struct gears g;
	int64_t got[4];
	struct om om;
	unsigned int i;

	EXPECT(compile(&g));
	om_image_print(line, &one);
	strcat(lines, line);
	om_image_print_shape(line, 0, shape);
	strcat(lines, line);
	EXPECT(open_lines(&g, &om, lines));
	EXPECT(om_image_find(&om, 0, &image));
	EXPECT(!memcmp(&image, &one, sizeof(one)));
	EXPECT(!om_image_find(&om, 1, &image));
	EXPECT(om_image_shape(&om, 0, 0, got) && !memcmp(got, shape, sizeof(got)));
	EXPECT(!om_image_shape(&om, 0, 1, got) && !om_image_shape(&om, 1, 0, got));
	for (i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		om_image_print(line, &odd[i]);
		EXPECT(open_lines(&g, &om, line));
		EXPECT(!om_image_find(&om, 0, &image));
		EXPECT(!om_image_find(&om, 1, &image));
	}
	EXPECT(open_lines(&g, &om, "image=0 1 2\nimage=\nimage_shape=0 1 2 3\n"
			  "image_shape=0 1 2 3 x\nimage_shape=0 0 1 1 1\nimage="));
	EXPECT(!om_image_find(&om, 0, &image) && !om_image_shape(&om, 0, 0, got));
	drop(&g);
	return true;
}

const struct test om_tests[] = {
	{ "om: gears share weights", gears },
	{ "om: one gear", one_gear },
	{ "om: gears that do not fit", bad_gears },
	{ "om: changed files", changed_files },
	{ "om: parts in the weights", parts_in_weights },
	{ "om: lines about images", image_lines },
	{ 0 },
};
