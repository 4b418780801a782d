// SPDX-License-Identifier: GPL-2.0-only
/* Parts of ONNX models. See rewrite.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite.h"

unsigned int rewrite_type(unsigned int dtype)
{
	static const uint8_t types[VNPU_DT_COUNT] = {
		[VNPU_DT_F32] = 1, [VNPU_DT_U8] = 2, [VNPU_DT_I8] = 3,
		[VNPU_DT_U16] = 4, [VNPU_DT_I16] = 5, [VNPU_DT_I32] = 6,
		[VNPU_DT_I64] = 7, [VNPU_DT_BOOL] = 9, [VNPU_DT_F16] = 10,
		[VNPU_DT_F64] = 11, [VNPU_DT_U32] = 12, [VNPU_DT_BF16] = 16,
	};

	return types[dtype];
}

struct proto rewrite_find(struct proto p, uint32_t number)
{
	struct proto found = { 0 };
	struct proto_field f;

	while (proto_next(&p, &f))
		if (f.number == number && f.wire == PROTO_BYTES)
			found = f.bytes;
	return found;
}

struct graph_value *rewrite_value(const struct graph *g, struct proto name)
{
	char *text = strndup((const char *)name.at, proto_size(&name));
	struct graph_value *v = text ? graph_find(g, text) : NULL;

	free(text);
	return v;
}

bool rewrite_is_external(struct proto p)
{
	struct proto_field f;

	while (proto_next(&p, &f))
		if (f.number == TENSOR_LOCATION && f.value == 1)
			return true;
	return false;
}

void rewrite_constant(struct message *graph, const char *name,
		      const char *suffix, unsigned int dtype,
		      unsigned int rank, const int64_t *dims, const void *data)
{
	uint64_t bytes = vnpu_dtype_bits(dtype) / 8;
	struct message m = { 0 };
	char *text;

	for (unsigned int i = 0; i < rank; i++) {
		message_number(&m, TENSOR_DIMS, dims[i]);
		bytes *= dims[i];
	}
	message_number(&m, TENSOR_TYPE, rewrite_type(dtype));
	if (asprintf(&text, "%s%s", name, suffix) < 0) {
		m.failed = true;
	} else {
		message_text(&m, TENSOR_NAME, text);
		free(text);
	}
	message_bytes(&m, TENSOR_RAW, data, bytes);
	message_take(graph, GRAPH_INITIALIZER, &m);
}
