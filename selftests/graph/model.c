// SPDX-License-Identifier: GPL-2.0-only
/* Writing ONNX models for tests. See model.h. */
#include <stdarg.h>

#include "model.h"

static uint64_t state = 88172645463325252;

double model_uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) * 0x1p-53;
}

static void put_varint(FILE *f, uint64_t value)
{
	for (; value > 127; value >>= 7)
		putc((value & 127) | 128, f);
	putc(value, f);
}

static void put_int(FILE *f, unsigned int field, uint64_t value)
{
	put_varint(f, field << 3);
	put_varint(f, value);
}

static void put_bytes(FILE *f, unsigned int field, const void *data, size_t size)
{
	put_varint(f, field << 3 | 2);
	put_varint(f, size);
	fwrite(data, 1, size, f);
}

static void put_text(FILE *f, unsigned int field, const char *text)
{
	put_bytes(f, field, text, strlen(text));
}

/* A message that becomes a field of another one. */
struct message {
	FILE *f;
	char *bytes;
	size_t size;
};

static void open_message(struct message *m)
{
	m->f = open_memstream(&m->bytes, &m->size);
	if (!m->f)
		abort();
}

static void close_message(struct message *m, FILE *to, unsigned int field)
{
	fclose(m->f);
	put_bytes(to, field, m->bytes, m->size);
	free(m->bytes);
}

void model_begin(struct model *m)
{
	*m = (struct model){ 0 };
	m->graph = open_memstream(&m->bytes, &m->size);
	if (!m->graph)
		abort();
}

struct bytes model_end(struct model *m)
{
	struct message all, opset;
	struct bytes b;

	fclose(m->graph);
	open_message(&all);
	put_int(all.f, 1, 8);
	put_bytes(all.f, 7, m->bytes, m->size);
	open_message(&opset);
	put_text(opset.f, 1, "");
	put_int(opset.f, 2, 13);
	close_message(&opset, all.f, 8);
	fclose(all.f);
	free(m->bytes);
	b.data = all.bytes;
	b.size = all.size;
	return b;
}

static void put_info(struct model *m, unsigned int field, const char *name,
		     unsigned int rank, const int64_t *dims)
{
	struct message info, type, tensor, shape, dim;
	unsigned int i;

	open_message(&info);
	put_text(info.f, 1, name);
	if (dims) {
		open_message(&type);
		open_message(&tensor);
		put_int(tensor.f, 1, 1);
		open_message(&shape);
		for (i = 0; i < rank; i++) {
			open_message(&dim);
			put_int(dim.f, 1, dims[i]);
			close_message(&dim, shape.f, 1);
		}
		close_message(&shape, tensor.f, 2);
		close_message(&tensor, type.f, 1);
		close_message(&type, info.f, 2);
	}
	close_message(&info, m->graph, field);
}

void model_input(struct model *m, const char *name, unsigned int rank,
		 const int64_t *dims)
{
	put_info(m, 11, name, rank, dims);
}

void model_output(struct model *m, const char *name)
{
	put_info(m, 12, name, 0, NULL);
}

static void put_tensor(FILE *f, const char *name, unsigned int type,
		       unsigned int rank, const int64_t *dims, const void *data,
		       size_t size)
{
	unsigned int i;

	for (i = 0; i < rank; i++)
		put_int(f, 1, dims[i]);
	put_int(f, 2, type);
	put_text(f, 8, name);
	put_bytes(f, 9, data, size);
}

static int64_t count_of(unsigned int rank, const int64_t *dims)
{
	int64_t n = 1;

	while (rank--)
		n *= dims[rank];
	return n;
}

void model_floats(struct model *m, const char *name, unsigned int rank,
		  const int64_t *dims, const float *values)
{
	struct message t;

	open_message(&t);
	put_tensor(t.f, name, 1, rank, dims, values,
		   count_of(rank, dims) * sizeof(*values));
	close_message(&t, m->graph, 5);
}

void model_ints(struct model *m, const char *name, unsigned int count,
		const int64_t *values)
{
	int64_t dims[] = { count };
	struct message t;

	open_message(&t);
	put_tensor(t.f, name, 7, 1, dims, values, count * sizeof(*values));
	close_message(&t, m->graph, 5);
}

void model_random(struct model *m, const char *name, unsigned int rank,
		  const int64_t *dims, double low, double high)
{
	int64_t n = count_of(rank, dims), i;
	float *values = calloc(n + 1, sizeof(*values));

	if (!values)
		abort();
	for (i = 0; i < n; i++)
		values[i] = low + (high - low) * model_uniform();
	model_floats(m, name, rank, dims, values);
	free(values);
}

static void put_entry(FILE *f, const char *key, const char *value)
{
	struct message entry;

	open_message(&entry);
	put_text(entry.f, 1, key);
	put_text(entry.f, 2, value);
	close_message(&entry, f, 13);
}

void model_external(struct model *m, const char *name, unsigned int rank,
		    const int64_t *dims, const char *location,
		    const char *offset)
{
	struct message t;
	unsigned int i;

	open_message(&t);
	for (i = 0; i < rank; i++)
		put_int(t.f, 1, dims[i]);
	put_int(t.f, 2, 1);
	put_text(t.f, 8, name);
	put_entry(t.f, "location", location);
	put_entry(t.f, "offset", offset);
	put_int(t.f, 14, 1);
	close_message(&t, m->graph, 5);
}

static void put_names(FILE *f, unsigned int field, const char *names)
{
	size_t n;

	for (; *names; names += n + (names[n] == ' ')) {
		n = strcspn(names, " ");
		put_bytes(f, field, names, n);
	}
}

void model_node(struct model *m, const char *type, const char *in,
		const char *out, ...)
{
	struct message node, attr;
	const char *name, *kind;
	va_list args;

	open_message(&node);
	put_names(node.f, 1, in);
	put_names(node.f, 2, out);
	put_text(node.f, 3, out);
	put_text(node.f, 4, type);
	va_start(args, out);
	while ((name = va_arg(args, const char *))) {
		open_message(&attr);
		put_text(attr.f, 1, name);
		kind = va_arg(args, const char *);
		if (*kind == 'i') {
			put_int(attr.f, 3, va_arg(args, int));
			put_int(attr.f, 20, 2);
		} else if (*kind == 'f') {
			float value = va_arg(args, double);

			put_varint(attr.f, 2 << 3 | 5);
			fwrite(&value, 1, sizeof(value), attr.f);
			put_int(attr.f, 20, 1);
		} else {
			int count = va_arg(args, int);
			const int64_t *list = va_arg(args, const int64_t *);

			while (count--)
				put_int(attr.f, 8, *list++);
			put_int(attr.f, 20, 7);
		}
		close_message(&attr, node.f, 5);
	}
	va_end(args);
	close_message(&node, m->graph, 1);
}

struct bytes model_tensor(unsigned int rank, const int64_t *dims,
			  const float *values)
{
	struct message t;
	struct bytes b;

	open_message(&t);
	put_tensor(t.f, "", 1, rank, dims, values,
		   count_of(rank, dims) * sizeof(*values));
	fclose(t.f);
	b.data = t.bytes;
	b.size = t.size;
	return b;
}
