// SPDX-License-Identifier: GPL-2.0-only
/*
 * The models of the tests of offline models: makes NAME.om by the compiler, and
 * NAME.io with inputs and outputs of each gear, as the processor computes them.
 *
 * usage: offline_models DIRECTORY
 */
#include <sys/stat.h>

#include "../graph/model.h"
#include "edit/aipp.h"
#include "om/om.h"
#include "ops/image.h"

#define GEARS	3
#define IO	8

static const char *directory;

/* Of a model with images: the preprocessing, and what its file says about it. */
static const struct edit_aipp *preprocessing;
static char image_lines[2 * OM_IMAGE_LINE];

/* The parameters of images that equal the preprocessing of make_pictures(). */
static const struct vnpu_image record = {
	.magic = VNPU_IMAGE_MAGIC, .version = VNPU_IMAGE_VERSION,
	.format = VNPU_IMAGE_RGB, .width = 8, .height = 8,
	.flags = VNPU_IMAGE_F_CROP | VNPU_IMAGE_F_SWAP_RB,
	.crop = { 2, 1, 4, 4 }, .mean = { 10, 20, 30 },
	.factor = { 0.5, 0.5, 0.5, 0.5 },
};

static void die(const char *name, const char *why)
{
	fprintf(stderr, "offline_models: %s: %s\n", name, why);
	exit(1);
}

static void write_file(const char *name, const char *suffix, const void *data,
		       size_t size, const char *mode)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.%s", directory, name, suffix);
	f = fopen(path, mode);
	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		die(path, "cannot be written");
}

/* Fill an input: small numbers, which are valid as sizes and indices, too. */
static void fill(const struct program *p, const struct program_tensor *t,
		 void *data)
{
	size_t count = t->bytes / (vnpu_dtype_bits(t->dtype) / 8), i;

	if (t->frozen_at != PROGRAM_NONE) {
		memcpy(data, (const char *)p->weights + t->frozen_at, t->bytes);
		return;
	}
	for (i = 0; t->dtype == VNPU_DT_U8 && i < count; i++)
		((uint8_t *)data)[i] = t->rank == 2 ?
			((const uint8_t *)&record)[i % sizeof(record)] : i * 7;
	for (i = 0; t->dtype != VNPU_DT_U8 && i < count; i++) {
		if (t->dtype == VNPU_DT_F32)
			((float *)data)[i] = i % 5 ? model_uniform() - 0.5 : 0;
		else
			((int64_t *)data)[i] = i % 4;
	}
}

/* Append inputs and outputs of a program to a file. */
static void write_io(const char *name, const struct om *om, unsigned int gear)
{
	struct program_error error;
	void *io[IO], *work;
	struct program p;
	unsigned int i;

	om_program(om, gear, &p);
	work = aligned_alloc(PROGRAM_ALIGN, p.head->work + PROGRAM_ALIGN);
	for (i = 0; i < p.head->inputs + p.head->outputs; i++) {
		size_t size = (p.tensors[i].bytes + PROGRAM_ALIGN) /
			      PROGRAM_ALIGN * PROGRAM_ALIGN;

		io[i] = aligned_alloc(PROGRAM_ALIGN, size);
		memset(io[i], 0, size);
		if (i < p.head->inputs)
			fill(&p, &p.tensors[i], io[i]);
	}
	if (program_run(&p, work, io, &error))
		die(name, error.text);
	for (i = p.head->inputs; i < p.head->inputs + p.head->outputs; i++) {
		int64_t dims[VNPU_TENSOR_DIMS];

		program_dims(&p, i - p.head->inputs, work, dims);
		program_pack(&p, i - p.head->inputs, io[i], dims);
	}
	for (i = 0; i < p.head->inputs + p.head->outputs; i++) {
		write_file(name, "io", io[i], p.tensors[i].bytes, "ab");
		free(io[i]);
	}
	free(work);
}

static int add_images(struct graph *g, const void *data)
{
	char *end = image_lines + strlen(image_lines);
	struct om_image image;
	int64_t shape[4];

	(void)data;
	if (edit_aipp(g, preprocessing, &image, shape))
		return g->err;
	if (end == image_lines)
		om_image_print(end, &image);
	end += strlen(end);
	om_image_print_shape(end, image.input, shape);
	return 0;
}

/* Compile a model for shapes, and write it with the data of each gear. */
static void finish(const char *name, struct model *m, unsigned int kind,
		   const struct compile_shape (*shapes)[2], unsigned int gears,
		   const struct compile_frozen *frozen)
{
	struct om_source sources[GEARS];
	struct compile_result r[GEARS];
	struct om_options options = {
		.kind = kind, .gears = sources, .gear_count = gears,
		.name = name, .info = image_lines,
	};
	struct bytes model = model_end(m);
	struct program_error error;
	unsigned int i;
	size_t size;
	struct om om;
	void *data;

	for (i = 0; i < gears; i++) {
		struct compile_options o = {
			.shapes = shapes ? shapes[i] : NULL,
			.shape_count = shapes ? 1 + !!shapes[i][1].name : 0,
			.frozen = frozen, .frozen_count = !!frozen,
			.edit = preprocessing ? add_images : NULL,
		};

		if (compile_model(model.data, model.size, &o, &r[i]))
			die(name, r[i].error);
		sources[i].program = r[i].program;
		sources[i].size = r[i].size;
	}
	if (om_write(&options, &data, &size, &error) ||
	    om_open(&om, data, size, &error))
		die(name, error.text);
	write_file(name, "om", data, size, "wb");
	write_file(name, "io", "", 0, "wb");
	for (i = 0; i < gears; i++) {
		write_io(name, &om, i);
		compile_free(&r[i]);
	}
	free(data);
	free(model.data);
}

/* z = softmax(relu(x w) w): some nodes, weights and work memory. */
static void make_linear(void)
{
	static const int64_t in[] = { 4, 64 }, square[] = { 64, 64 };
	struct model m;

	model_begin(&m);
	model_input(&m, "x", 2, in);
	model_random(&m, "w", 2, square, -1, 1);
	model_node(&m, "MatMul", "x w", "a", NULL);
	model_node(&m, "Relu", "a", "b", NULL);
	model_node(&m, "MatMul", "b w", "c", NULL);
	model_node(&m, "Softmax", "c", "z", NULL);
	model_output(&m, "z");
	finish("linear", &m, OM_STATIC, NULL, 1, NULL);
}

/*
 * Many products, so that a run takes some time: some tenths of a second where the
 * machine is emulated.
 */
static void make_deep(void)
{
	static const int64_t in[] = { 64, 64 };
	char from[8] = "x w", to[4];
	struct model m;
	int i;

	model_begin(&m);
	model_input(&m, "x", 2, in);
	model_random(&m, "w", 2, in, -0.1, 0.1);
	for (i = 0; i < 8; i++) {
		snprintf(to, sizeof(to), "y%d", i);
		model_node(&m, "MatMul", from, to, NULL);
		snprintf(from, sizeof(from), "%s w", to);
	}
	model_output(&m, to);
	finish("deep", &m, OM_STATIC, NULL, 1, NULL);
}

static void make_batch(void)
{
	static const int64_t open[] = { -1, 64 }, square[] = { 64, 64 };
	static const struct compile_shape shapes[][2] = {
		{ { "x", 2, { 1, 64 } } }, { { "x", 2, { 4, 64 } } },
		{ { "x", 2, { 2, 64 } } },
	};
	struct model m;

	model_begin(&m);
	model_input(&m, "x", 2, open);
	model_random(&m, "w", 2, square, -1, 1);
	model_node(&m, "MatMul", "x w", "y", NULL);
	model_node(&m, "Tanh", "y", "z", NULL);
	model_output(&m, "z");
	finish("batch", &m, OM_BATCH, shapes, 3, NULL);
}

static void make_image(void)
{
	static const int64_t open[] = { 1, 3, -1, -1 };
	static const struct compile_shape shapes[][2] = {
		{ { "x", 4, { 1, 3, 8, 8 } } }, { { "x", 4, { 1, 3, 16, 12 } } },
	};
	static const int64_t two[] = { 2, 2 };
	struct model m;

	model_begin(&m);
	model_input(&m, "x", 4, open);
	model_node(&m, "MaxPool", "x", "y", "kernel_shape", "l", 2, two,
		   "strides", "l", 2, two, NULL);
	model_node(&m, "Sigmoid", "y", "z", NULL);
	model_output(&m, "z");
	finish("image", &m, OM_IMAGE, shapes, 2, NULL);
}

static void make_dims(void)
{
	static const int64_t open[] = { -1, -1 }, line[] = { -1 };
	static const struct compile_shape shapes[][2] = {
		{ { "a", 2, { 2, 8 } }, { "b", 1, { 8 } } },
		{ { "a", 2, { 5, 6 } }, { "b", 1, { 6 } } },
	};
	struct model m;

	model_begin(&m);
	model_input(&m, "a", 2, open);
	model_input(&m, "b", 1, line);
	model_node(&m, "Mul", "a b", "c", NULL);
	model_node(&m, "Exp", "c", "z", NULL);
	model_output(&m, "z");
	finish("dims", &m, OM_DIMS, shapes, 2, NULL);
}

/* The first size has a range, in which runs choose. */
static void make_range(void)
{
	static const int64_t open[] = { -1, -1 };
	static const struct compile_shape shapes[][2] = {
		{ { "x", 2, { 1, 8 } } }, { { "x", 2, { 2, 8 } } },
		{ { "x", 2, { 3, 8 } } },
	};
	struct model m;

	model_begin(&m);
	model_input(&m, "x", 2, open);
	model_node(&m, "Exp", "x", "z", NULL);
	model_output(&m, "z");
	finish("range", &m, OM_RANGE, shapes, 3, NULL);
}

/* The shape of y is the number of elements of the input that are not 0. */
static void make_count(void)
{
	static const int64_t in[] = { 6, 10 };
	struct model m;

	model_begin(&m);
	model_input(&m, "x", 2, in);
	model_node(&m, "NonZero", "x", "z", NULL);
	model_output(&m, "z");
	finish("count", &m, OM_STATIC, NULL, 1, NULL);
}

/* An input whose elements the compiler knew. */
static void make_frozen(void)
{
	static const int64_t in[] = { 4, 6 }, two[] = { 2 };
	static const float values[] = { 2, 3 };
	struct bytes y = model_tensor(1, two, values);
	struct compile_frozen frozen = { "y", y.data, y.size };
	struct model m;

	model_begin(&m);
	model_input(&m, "x", 2, in);
	model_input(&m, "y", 1, two);
	model_node(&m, "ReduceSum", "y", "s", "keepdims", "i", 0, NULL);
	model_node(&m, "Mul", "x s", "z", NULL);
	model_output(&m, "z");
	finish("frozen", &m, OM_STATIC, NULL, 1, &frozen);
	free(y.data);
}

/* Indices of the caller, which may be out of range. */
static void make_gather(void)
{
	static const int64_t in[] = { 4, 8 }, line[] = { 8 };
	struct model m;

	model_begin(&m);
	model_input(&m, "x", 2, in);
	model_input(&m, "i", 1, line);
	model_node(&m, "Cast", "i", "j", "to", "i", 7, NULL);
	model_node(&m, "Gather", "x j", "picked", NULL);
	model_node(&m, "Neg", "picked", "z", NULL);
	model_output(&m, "z");
	finish("gather", &m, OM_STATIC, NULL, 1, NULL);
}

/*
 * Images of 8 x 8, of which 4 x 4 pixels are used: "picture" with values in the
 * file, and "pictures" with those of each run, for one or two images.
 */
static void make_pictures(bool is_dynamic)
{
	static const int64_t open[] = { -1, 3, 4, 4 };
	static const struct compile_shape shapes[][2] = {
		{ { "x", 4, { 1, 3, 4, 4 } } }, { { "x", 4, { 2, 3, 4, 4 } } },
	};
	struct edit_aipp a = {
		.is_dynamic = is_dynamic, .max_bytes = 384,
		.format = VNPU_IMAGE_RGB, .width = 8, .height = 8, .crops = true,
		.crop_x = 2, .crop_y = 1,	/* of the size that the model needs */
		.swaps_rb = true, .mean = { 10, 20, 30 },
		.scale = { 0.5, 0.5, 0.5, 0.5 },
	};
	struct model m;

	model_begin(&m);
	model_input(&m, "x", 4, open);
	model_node(&m, "Neg", "x", "z", NULL);
	model_output(&m, "z");
	preprocessing = &a;
	*image_lines = '\0';
	if (is_dynamic)
		finish("pictures", &m, OM_BATCH, shapes, 2, NULL);
	else
		finish("picture", &m, OM_STATIC, shapes + 1, 1, NULL);
	preprocessing = NULL;
	*image_lines = '\0';
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage", "offline_models DIRECTORY");
	directory = argv[1];
	mkdir(directory, 0777);
	make_linear();
	make_deep();
	make_batch();
	make_image();
	make_dims();
	make_range();
	make_count();
	make_frozen();
	make_gather();
	make_pictures(false);
	make_pictures(true);
	return 0;
}
