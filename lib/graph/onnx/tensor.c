// SPDX-License-Identifier: MIT
/* Reading tensors of ONNX. See onnx.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "onnx/onnx.h"
#include "onnx/proto.h"

/* Fields of TensorProto. */
enum {
	DIMS = 1,
	DATA_TYPE = 2,
	FLOAT_DATA = 4,
	INT32_DATA = 5,
	STRING_DATA = 6,
	INT64_DATA = 7,
	NAME = 8,
	RAW_DATA = 9,
	DOUBLE_DATA = 10,
	UINT64_DATA = 11,
	EXTERNAL_DATA = 13,
	DATA_LOCATION = 14,
};

static const struct {
	const char *name;
	uint8_t dtype;
	uint8_t field;
} types[] = {
	{ "undefined", 0, 0 },
	{ "float", VNPU_DT_F32, FLOAT_DATA },
	{ "uint8", VNPU_DT_U8, INT32_DATA },
	{ "int8", VNPU_DT_I8, INT32_DATA },
	{ "uint16", VNPU_DT_U16, INT32_DATA },
	{ "int16", VNPU_DT_I16, INT32_DATA },
	{ "int32", VNPU_DT_I32, INT32_DATA },
	{ "int64", VNPU_DT_I64, INT64_DATA },
	{ "string", 0, 0 },
	{ "bool", VNPU_DT_BOOL, INT32_DATA },
	{ "float16", VNPU_DT_F16, INT32_DATA },
	{ "double", VNPU_DT_F64, DOUBLE_DATA },
	{ "uint32", VNPU_DT_U32, UINT64_DATA },
	{ "uint64", 0, 0 },
	{ "complex64", 0, 0 },
	{ "complex128", 0, 0 },
	{ "bfloat16", VNPU_DT_BF16, INT32_DATA },
};
#define TYPES (sizeof(types) / sizeof(*types))

unsigned int onnx_dtype(struct graph *g, uint64_t type, const char *what,
			const char *name)
{
	if (type < TYPES && types[type].dtype)
		return types[type].dtype;
	if (type < TYPES)
		graph_fail(g, -EOPNOTSUPP,
			   "%s '%.60s' has elements of type %s, which no operator computes",
			   what, name, types[type].name);
	else
		graph_fail(g, -EINVAL,
			   "%s '%.60s' has elements of type %llu, which does not exist",
			   what, name, (unsigned long long)type);
	return VNPU_DT_NONE;
}

/**
 * struct source - where the elements of a tensor are
 * @list: typed elements; its number is 0 if there are none
 * @raw: bytes; a NULL pointer if there are none
 * @has_raw: there are
 * @location: a file, or NULL
 * @offset: first byte in the file
 * @length: bytes in the file, or 0 for all of them
 * @is_external: data_location says so
 */
struct source {
	struct proto_field list;
	struct proto raw;
	bool has_raw;
	const char *location;
	uint64_t offset;
	uint64_t length;
	bool is_external;
};

static int fail(struct graph *g, const struct graph_value *v,
		const char *reason)
{
	return graph_fail(g, -EINVAL, "tensor '%.60s' (%s) %s", v->name,
			  GRAPH_DESCRIBE(v), reason);
}

static void read_external(struct graph *g, struct proto entry,
			  struct source *src)
{
	char *key = NULL, *value = NULL;
	struct proto_field f;

	while (proto_next(&entry, &f)) {
		char **to = f.number == 1 ? &key : f.number == 2 ? &value : NULL;

		if (to && f.wire == PROTO_BYTES)
			*to = store_text(&g->store, f.bytes.at,
					 proto_size(&f.bytes));
	}
	if (!key || !value)
		return;
	if (!strcmp(key, "location"))
		src->location = value;
	else if (!strcmp(key, "offset"))
		src->offset = strtoull(value, NULL, 10);
	else if (!strcmp(key, "length"))
		src->length = strtoull(value, NULL, 10);
}

static void add_dims(struct graph *g, struct graph_value *v,
		     struct proto_field *f)
{
	uint64_t dim;

	while (proto_number(f, PROTO_VARINT, &dim)) {
		if (v->rank == VNPU_TENSOR_DIMS) {
			graph_fail(g, -EOPNOTSUPP,
				   "a tensor has more than %d dimensions",
				   VNPU_TENSOR_DIMS);
			return;
		}
		v->dims[v->rank++] = dim;
	}
}

/* Check that the number of elements is possible. */
static int check_dims(struct graph *g, const struct graph_value *v)
{
	int64_t n = 1;
	unsigned int i;

	for (i = 0; i < v->rank; i++)
		if (v->dims[i] < 0 || v->dims[i] > VNPU_TENSOR_MAX ||
		    __builtin_mul_overflow(n, v->dims[i] ? v->dims[i] : 1, &n) ||
		    n > VNPU_TENSOR_MAX)
			return fail(g, v, "has a size that is not possible");
	return 0;
}

static int copy_list(struct graph *g, struct graph_value *v,
		     struct source *src, unsigned int field)
{
	enum proto_wire wire = field == FLOAT_DATA ? PROTO_FIXED32 :
		field == DOUBLE_DATA ? PROTO_FIXED64 : PROTO_VARINT;
	size_t size = vnpu_dtype_bits(v->dtype) / 8;
	int64_t n = graph_elements(v), i;
	uint64_t bits;
	uint8_t *to;

	if (src->list.number != field)
		return fail(g, v, "has elements in a list of another type");
	/* Each element takes a byte of the file at least. */
	if (src->list.wire == PROTO_BYTES &&
	    (uint64_t)n > proto_size(&src->list.bytes))
		return fail(g, v, "has fewer elements than its shape");
	to = store_alloc(&g->store, n, size);
	if (!to)
		return graph_status(g);
	for (i = 0; i < n && proto_number(&src->list, wire, &bits); i++)
		memcpy(to + i * size, &bits, size);
	if (i < n || proto_number(&src->list, wire, &bits) ||
	    src->list.bytes.bad)
		return fail(g, v, "has not as many elements as its shape");
	v->data = to;
	return 0;
}

static int copy_raw(struct graph *g, struct graph_value *v,
		    const struct source *src)
{
	size_t size = vnpu_dtype_bits(v->dtype) / 8;
	void *copy;

	if (proto_size(&src->raw) != graph_bytes(v))
		return graph_fail(g, -EINVAL,
				  "tensor '%.60s' (%s) has %zu bytes of elements, expected %llu",
				  v->name, GRAPH_DESCRIBE(v),
				  proto_size(&src->raw),
				  (unsigned long long)graph_bytes(v));
	v->data = src->raw.at;
	if (!((uintptr_t)v->data % size))
		return 0;
	copy = store_alloc(&g->store, graph_bytes(v), 1);
	if (!copy)
		return graph_status(g);
	memcpy(copy, v->data, graph_bytes(v));
	v->data = copy;
	return 0;
}

static bool is_inside(const char *path)
{
	const char *part;

	if (*path == '/' || !*path)
		return false;
	for (part = path; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (!strncmp(part, "..", 2) && (!part[2] || part[2] == '/'))
			return false;
	}
	return true;
}

static int read_all(int fd, uint8_t *to, size_t size, uint64_t offset)
{
	ssize_t n;

	for (; size; size -= n, to += n, offset += n) {
		n = pread(fd, to, size, offset);
		if (n < 0)
			return -errno;
		if (!n)
			return -EIO;
	}
	return 0;
}

/* Read the elements from a file beside the model. */
static int load_external(struct graph *g, struct graph_value *v,
			 const struct source *src)
{
	uint64_t bytes = graph_bytes(v);
	struct stat st;
	int folder, fd, err = 0;
	void *to;

	if (!g->folder || !src->location || !is_inside(src->location))
		return fail(g, v, "is in a file outside of the model's folder");
	folder = open(g->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = folder < 0 ? -1 : openat(folder, src->location,
				      O_RDONLY | O_NOFOLLOW | O_CLOEXEC |
				      O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st)) {
		err = graph_fail(g, -errno, "file '%.200s' with tensor '%.60s': %s",
				 src->location, v->name, strerror(errno));
	} else if (!S_ISREG(st.st_mode) ||
		   (uint64_t)st.st_size < src->offset ||
		   st.st_size - src->offset < bytes ||
		   (src->length && src->length != bytes)) {
		err = fail(g, v, "has not as many elements in its file as its shape");
	} else {
		to = store_alloc(&g->store, bytes, 1);
		err = to ? read_all(fd, to, bytes, src->offset) : -ENOMEM;
		if (err)
			graph_fail(g, err, "file '%.200s': %s", src->location,
				   strerror(-err));
		v->data = to;
	}
	if (fd >= 0)
		close(fd);
	if (folder >= 0)
		close(folder);
	return err;
}

struct graph_value *onnx_read_tensor(struct graph *g, const void *data,
				     size_t size)
{
	struct graph_value *v = store_alloc(&g->store, 1, sizeof(*v));
	struct proto p = proto_open(data, size);
	struct source src = { 0 };
	struct proto_field f;
	uint64_t type = 0;

	if (!v)
		return NULL;
	v->name = "";
	v->has_shape = true;
	while (!g->err && proto_next(&p, &f)) {
		if (f.number == DIMS)
			add_dims(g, v, &f);
		else if (f.number == DATA_TYPE)
			type = f.value;
		else if (f.number == NAME && f.wire == PROTO_BYTES)
			v->name = store_text(&g->store, f.bytes.at,
					     proto_size(&f.bytes));
		else if (f.number == RAW_DATA && f.wire == PROTO_BYTES)
			src.raw = f.bytes, src.has_raw = true;
		else if (f.number == EXTERNAL_DATA && f.wire == PROTO_BYTES)
			read_external(g, f.bytes, &src);
		else if (f.number == DATA_LOCATION)
			src.is_external = f.value == 1;
		else if (f.number >= FLOAT_DATA && f.number <= UINT64_DATA)
			src.list = f;
	}
	if (p.bad)
		graph_fail(g, -EINVAL, "a tensor is damaged");
	if (graph_status(g))
		return NULL;
	v->dtype = onnx_dtype(g, type, "tensor", v->name);
	if (!v->dtype || check_dims(g, v))
		return NULL;
	if (src.is_external)
		load_external(g, v, &src);
	else if (src.has_raw)
		copy_raw(g, v, &src);
	else if (!graph_elements(v))
		v->data = store_alloc(&g->store, 0, 1);
	else
		copy_list(g, v, &src, types[type].field);
	return graph_status(g) ? NULL : v;
}
