// SPDX-License-Identifier: GPL-2.0-only
/* Tensors in files. See tensor.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "onnx/onnx.h"
#include "tensor.h"

char *tensor_message(const char *format, ...)
{
	static const char *const fallback = "out of memory";
	char *message;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&message, format, args);
	va_end(args);
	if (n >= 0)
		return message;
	message = strdup(fallback);
	if (!message)
		abort();
	return message;
}

static char *copy_data(struct tensor *t, const void *data, size_t bytes)
{
	t->data = malloc(bytes + 1);
	if (!t->data)
		return tensor_message("out of memory");
	memcpy(t->data, data, bytes);
	t->bytes = bytes;
	return NULL;
}

static char *read_proto(struct tensor *t, const char *path,
			const struct file *f)
{
	struct graph g = { 0 };
	struct graph_value *v;
	char *message;

	v = onnx_read_tensor(&g, f->data, f->size);
	if (v) {
		t->dtype = v->dtype;
		t->rank = v->rank;
		memcpy(t->dims, v->dims, sizeof(t->dims));
		message = copy_data(t, v->data, graph_bytes(v));
	} else {
		message = tensor_message("'%s' is no tensor of ONNX: %s", path,
					 g.error);
	}
	graph_free(&g);
	return message;
}

static bool has_end(const char *path, const char *end)
{
	size_t length = strlen(path), n = strlen(end);

	return length > n && !strcmp(path + length - n, end);
}

char *tensor_read(struct tensor *t, const char *path)
{
	struct file f;
	char *message;

	*t = (struct tensor){ 0 };
	message = file_read(&f, path);
	if (message)
		return message;
	if (has_end(path, ".npy"))
		message = npy_parse(t, path, f.data, f.size);
	else if (has_end(path, ".pb"))
		message = read_proto(t, path, &f);
	else
		message = copy_data(t, f.data, f.size);
	file_free(&f);
	if (message)
		tensor_free(t);
	return message;
}

void tensor_free(struct tensor *t)
{
	free(t->data);
	*t = (struct tensor){ 0 };
}

double *tensor_numbers(unsigned int dtype, const void *data, size_t count)
{
	double *numbers = aligned_alloc(64, (count * sizeof(*numbers) + 64) /
					64 * 64);
	int64_t dims[] = { count };
	struct vnpu_op_launch l;

	if (!numbers)
		return NULL;
	/* The operator engine knows all types. */
	vnpu_op_init(&l, VNPU_OP_COPY, 1, 1);
	vnpu_tensor_init(&l.tensor[0], dtype, 1, dims, (void *)data);
	vnpu_tensor_init(&l.tensor[1], VNPU_DT_F64, 1, dims, numbers);
	if (vnpu_op_compute(&l, NULL)) {
		free(numbers);
		return NULL;
	}
	return numbers;
}

static void print_bytes(FILE *f, const void *data)
{
	const struct tensor *t = data;

	fwrite(t->data, 1, t->bytes, f);
}

/* Elements to be written as text. */
struct text {
	const double *numbers;
	size_t count;
};

static void print_text(FILE *f, const void *data)
{
	const struct text *t = data;
	size_t i;

	for (i = 0; i < t->count; i++)
		fprintf(f, "%.9g\n", t->numbers[i]);
}

static char *write_text(const struct tensor *t, const char *path)
{
	size_t count = t->bytes / (vnpu_dtype_bits(t->dtype) / 8);
	double *numbers = tensor_numbers(t->dtype, t->data, count);
	char *message;

	if (!numbers)
		return tensor_message("out of memory");
	message = file_print(path, print_text,
			     &(struct text){ numbers, count });
	free(numbers);
	return message;
}

char *tensor_write(const struct tensor *t, const char *path,
		   enum tensor_format format)
{
	if (format == TENSOR_TXT)
		return write_text(t, path);
	return file_print(path, format == TENSOR_BIN ? print_bytes : npy_print,
			  t);
}
