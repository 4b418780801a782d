// SPDX-License-Identifier: GPL-2.0-only
/*
 * The format of NumPy: a magic, a version, the length of a head, and the head as
 * a dictionary of Python; the elements follow:
 *
 *	{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tensor.h"

#define MAGIC	"\x93NUMPY"
#define ALIGN	64

static const struct {
	const char *descr;
	unsigned int dtype;
} types[] = {
	{ "<f2", VNPU_DT_F16 }, { "<f4", VNPU_DT_F32 }, { "<f8", VNPU_DT_F64 },
	{ "|i1", VNPU_DT_I8 }, { "<i2", VNPU_DT_I16 }, { "<i4", VNPU_DT_I32 },
	{ "<i8", VNPU_DT_I64 }, { "|u1", VNPU_DT_U8 }, { "<u2", VNPU_DT_U16 },
	{ "<u4", VNPU_DT_U32 }, { "|b1", VNPU_DT_BOOL },
};
#define TYPES (sizeof(types) / sizeof(*types))

static char *refuse(const char *path, const char *reason)
{
	return tensor_message("'%s' is no array that can be read: %s", path,
			      reason);
}

/* Find the value of a key of the head; NULL if there is none. */
static const char *value_of(const char *head, const char *key)
{
	const char *at = strstr(head, key);

	if (!at)
		return NULL;
	at += strlen(key);
	at += strspn(at, " :");
	return at;
}

static char *read_type(struct tensor *t, const char *path, const char *head)
{
	const char *at = value_of(head, "'descr'");
	unsigned int i;

	for (i = 0; at && i < TYPES; i++)
		if (*at == '\'' && !strncmp(at + 1, types[i].descr, 3) &&
		    at[4] == '\'')
			t->dtype = types[i].dtype;
	if (t->dtype)
		return NULL;
	return tensor_message("'%s' has elements of type %.20s; floating-point numbers and integers of this machine's byte order are supported",
			      path, at ? at : "?");
}

static char *read_shape(struct tensor *t, const char *path, const char *head)
{
	const char *at = value_of(head, "'shape'");
	uint64_t bytes = vnpu_dtype_bits(t->dtype) / 8;
	unsigned long long size;
	char *end;

	if (!at || *at++ != '(')
		return refuse(path, "its head has no shape");
	for (;;) {
		at += strspn(at, " ,");
		if (*at == ')')
			break;
		if (*at < '0' || *at > '9')
			return refuse(path, "its shape is damaged");
		errno = 0;
		size = strtoull(at, &end, 10);
		at = end;
		if (errno || t->rank == VNPU_TENSOR_DIMS ||
		    size > VNPU_TENSOR_MAX ||
		    __builtin_mul_overflow(bytes, size, &bytes))
			return refuse(path, "its shape has more than 8 dimensions, or is too large");
		t->dims[t->rank++] = size;
	}
	t->bytes = bytes;
	return NULL;
}

static char *read_head(struct tensor *t, const char *path, const char *head)
{
	const char *order = value_of(head, "'fortran_order'");
	char *message = read_type(t, path, head);

	if (message)
		return message;
	if (!order || strncmp(order, "False", 5))
		return refuse(path, "its elements are not in the order of C; save numpy.ascontiguousarray(x)");
	return read_shape(t, path, head);
}

char *npy_parse(struct tensor *t, const char *path, const char *bytes,
		size_t size)
{
	size_t start = 10, length;
	char *head, *message;

	if (size < 12 || memcmp(bytes, MAGIC, 6))
		return refuse(path, "it does not begin as a .npy file");
	length = (uint8_t)bytes[8] | (size_t)(uint8_t)bytes[9] << 8;
	if (bytes[6] > 1) {
		start = 12;
		length |= (size_t)(uint8_t)bytes[10] << 16 |
			  (size_t)(uint8_t)bytes[11] << 24;
	}
	if (length > size - start)
		return refuse(path, "its head is cut off");
	head = strndup(bytes + start, length);
	if (!head)
		return tensor_message("out of memory");
	message = read_head(t, path, head);
	free(head);
	if (message)
		return message;
	start += length;
	if (t->bytes != size - start)
		return tensor_message("'%s' has %zu bytes of elements, but its shape needs %zu",
				      path, size - start, t->bytes);
	t->data = malloc(t->bytes + 1);
	if (!t->data)
		return tensor_message("out of memory");
	memcpy(t->data, bytes + start, t->bytes);
	return NULL;
}

void npy_print(FILE *f, const void *tensor)
{
	const struct tensor *t = tensor;
	char head[384];
	size_t length, total;
	unsigned int i;

	/* NumPy has no bf16: its bits are those of integers. */
	const char *descr = "<u2";

	for (i = 0; i < TYPES; i++)
		if (types[i].dtype == t->dtype)
			descr = types[i].descr;
	length = sprintf(head, "{'descr': '%s', 'fortran_order': False, 'shape': (",
			 descr);
	for (i = 0; i < t->rank; i++)
		length += sprintf(head + length, "%" PRId64 "%s", t->dims[i],
				  i + 1 < t->rank ? ", " :
				  t->rank == 1 ? "," : "");
	length += sprintf(head + length, "), }");
	total = (10 + length + 1 + ALIGN - 1) / ALIGN * ALIGN - 10;
	fwrite(MAGIC "\1", 1, 7, f);
	putc(0, f);
	putc(total & 255, f);
	putc(total >> 8, f);
	fprintf(f, "%s%*s\n", head, (int)(total - length - 1), "");
	fwrite(t->data, 1, t->bytes, f);
}
