// SPDX-License-Identifier: GPL-2.0-only
/* Damaged models and programs are refused with a sentence. */
#include <unistd.h>

#include "model.h"

static struct bytes make(void)
{
	static const int64_t dims[] = { 2, 8 }, square[] = { 8, 8 };
	struct model m;

	model_begin(&m);
	model_input(&m, "x", 2, dims);
	model_random(&m, "w", 2, square, -1, 1);
	model_node(&m, "MatMul", "x w", "y", NULL);
	model_node(&m, "Relu", "y", "z", NULL);
	model_node(&m, "Concat", "z y", "result", "axis", "i", 1, NULL);
	model_output(&m, "result");
	return model_end(&m);
}

/* Compile bytes that are in memory of their size, so that sanitizers see all. */
static bool compile(const void *data, size_t size, struct compile_result *r)
{
	struct compile_options options = { 0 };
	void *copy = malloc(size ? size : 1);
	int err;

	memcpy(copy, data, size);
	err = compile_model(copy, size, &options, r);
	free(copy);
	if (!err != !*r->error || (err && r->program))
		abort();
	return !err;
}

/* Every beginning of a model is refused. */
static bool truncated_models(void)
{
	struct bytes model = make();
	struct compile_result r;
	size_t size;

	for (size = 0; size < model.size; size++) {
		/* The set of operators comes last, and has defaults. */
		EXPECT(!compile(model.data, size, &r));
		compile_free(&r);
	}
	EXPECT(compile(model.data, model.size, &r));
	compile_free(&r);
	free(model.data);
	return true;
}

/* A model with a changed byte is refused or compiled; nothing else happens. */
static bool changed_models(void)
{
	struct bytes model = make();
	uint8_t *bytes = model.data;
	struct compile_result r;
	size_t at;
	unsigned int bit;

	for (at = 0; at < model.size; at++) {
		for (bit = 0; bit < 8; bit++) {
			bytes[at] ^= 1U << bit;
			compile(model.data, model.size, &r);
			compile_free(&r);
			bytes[at] ^= 1U << bit;
		}
	}
	free(model.data);
	return true;
}

static int open_program(const void *data, size_t size, struct program *p,
			struct program_error *error)
{
	*error->text = 0;
	return program_open(p, data, size, error);
}

/* Programs with changed bytes are refused, or stay within their memory. */
static bool changed_programs(void)
{
	struct program_error error;
	struct bytes model = make();
	struct compile_result r;
	struct program_head *h;
	struct program p;
	uint64_t work[512], io[2][512];
	size_t at, end;
	uint8_t *bytes;
	void *buffers[] = { io[0], io[1] };

	EXPECT(compile(model.data, model.size, &r));
	bytes = r.program;
	h = r.program;
	EXPECT(!open_program(bytes, r.size, &p, &error));
	for (at = 0; at < r.size; at += at < 256 ? 1 : 61) {
		EXPECT(open_program(bytes, at, &p, &error));
		EXPECT(*error.text);
	}
	end = h->weights_at;
	for (at = 0; at < end; at++) {
		uint8_t old = bytes[at];

		bytes[at] ^= 1 << at % 8;
		if (at - offsetof(struct program_head, checksum) >= 8)
			EXPECT(open_program(bytes, r.size, &p, &error));
		h->checksum = program_checksum(bytes, r.size);
		memset(io, 0, sizeof(io));
		if (open_program(bytes, r.size, &p, &error))
			EXPECT(*error.text);
		else if (p.head->work <= sizeof(work) && p.head->inputs == 1 &&
			 p.head->outputs == 1 &&
			 p.tensors[0].bytes <= sizeof(io[0]) &&
			 p.tensors[1].bytes <= sizeof(io[0]))
			program_run(&p, work, buffers, &error);
		bytes[at] = old;
		h->checksum = program_checksum(bytes, r.size);
	}
	/* What has no meaning yet is 0. */
	at = h->tensors_at + offsetof(struct program_tensor, reserved);
	bytes[at] = 1;
	h->checksum = program_checksum(bytes, r.size);
	EXPECT(open_program(bytes, r.size, &p, &error));
	compile_free(&r);
	free(model.data);
	return true;
}

/* Compile a sum with weights in a file; return the error of the compiler. */
static int external(const char *folder, const char *location,
		    const char *offset, float *sum)
{
	static const int64_t two[] = { 2 };
	struct compile_options options = { .folder = folder };
	float x[] = { 1, 2 };
	void *io[] = { x, sum };
	struct program_error error;
	struct compile_result r;
	struct bytes model;
	struct program p;
	struct model m;
	int err;

	model_begin(&m);
	model_input(&m, "x", 1, two);
	model_external(&m, "w", 1, two, location, offset);
	model_node(&m, "Add", "x w", "result", NULL);
	model_output(&m, "result");
	model = model_end(&m);
	err = compile_model(model.data, model.size, &options, &r);
	if (!err && (program_open(&p, r.program, r.size, &error) ||
		     program_run(&p, NULL, io, &error)))
		abort();
	compile_free(&r);
	free(model.data);
	return err;
}

/* Weights in files of the model's folder are read; no other file is. */
static bool external_weights(void)
{
	static const float weights[] = { 10, 20, 30 };
	char folder[] = "/tmp/vnpu-graph-XXXXXX", path[64], link[64];
	float sum[2];
	FILE *f;

	EXPECT(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/w", folder);
	snprintf(link, sizeof(link), "%s/link", folder);
	f = fopen(path, "wb");
	EXPECT(f && fwrite(weights, sizeof(weights), 1, f) == 1);
	fclose(f);
	EXPECT(!symlink(path, link));
	EXPECT(!external(folder, "w", "0", sum));
	EXPECT(sum[0] == 11 && sum[1] == 22);
	EXPECT(!external(folder, "w", "4", sum));
	EXPECT(sum[0] == 21 && sum[1] == 32);
	EXPECT(external(folder, "w", "8", sum) == -EINVAL);
	EXPECT(external(folder, "w", "18446744073709551612", sum) == -EINVAL);
	EXPECT(external(folder, "../w", "0", sum) == -EINVAL);
	EXPECT(external(folder, "a/../../w", "0", sum) == -EINVAL);
	EXPECT(external(folder, path, "0", sum) == -EINVAL);
	EXPECT(external(folder, "none", "0", sum) == -ENOENT);
	EXPECT(external(folder, "link", "0", sum) == -ELOOP);
	EXPECT(external(folder, ".", "0", sum) == -EINVAL);
	EXPECT(external(NULL, "w", "0", sum) == -EINVAL);
	unlink(link);
	unlink(path);
	rmdir(folder);
	return true;
}

const struct test file_tests[] = {
	{ "files: truncated models", truncated_models },
	{ "files: changed models", changed_models },
	{ "files: changed programs", changed_programs },
	{ "files: external weights", external_weights },
	{ 0 },
};
