// SPDX-License-Identifier: MIT
/* The wire format of protocol buffers. See proto.h. */
#include <string.h>

#include "onnx/proto.h"

static bool read_varint(struct proto *p, uint64_t *value)
{
	unsigned int shift;

	*value = 0;
	for (shift = 0; shift < 64 && p->at < p->end; shift += 7) {
		uint8_t byte = *p->at++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	p->bad = true;
	return false;
}

static bool read_fixed(struct proto *p, size_t size, uint64_t *value)
{
	size_t i;

	if (proto_size(p) < size) {
		p->bad = true;
		return false;
	}
	*value = 0;
	for (i = 0; i < size; i++)
		*value |= (uint64_t)p->at[i] << 8 * i;
	p->at += size;
	return true;
}

static bool read_as(struct proto *p, enum proto_wire wire, uint64_t *value)
{
	switch (wire) {
	case PROTO_VARINT:
		return read_varint(p, value);
	case PROTO_FIXED64:
		return read_fixed(p, 8, value);
	case PROTO_FIXED32:
		return read_fixed(p, 4, value);
	default:
		p->bad = true;
		return false;
	}
}

bool proto_next(struct proto *p, struct proto_field *f)
{
	uint64_t key, size;

	if (p->bad || p->at == p->end || !read_varint(p, &key))
		return false;
	f->number = key >> 3;
	f->wire = key & 7;
	f->value = 0;
	f->bytes = proto_open(p->at, 0);
	if (key >> 3 == 0 || key >> 3 > INT32_MAX >> 2) {
		p->bad = true;
		return false;
	}
	if (f->wire != PROTO_BYTES)
		return read_as(p, f->wire, &f->value);
	if (!read_varint(p, &size) || size > proto_size(p)) {
		p->bad = true;
		return false;
	}
	f->bytes = proto_open(p->at, size);
	p->at += size;
	return true;
}

bool proto_number(struct proto_field *f, enum proto_wire wire,
		  uint64_t *value)
{
	if (f->wire == PROTO_BYTES)
		return f->bytes.at < f->bytes.end &&
		       read_as(&f->bytes, wire, value);
	if (f->wire != wire) {
		f->bytes.bad = true;
		return false;
	}
	*value = f->value;
	/* A single number is consumed by becoming an empty list. */
	f->wire = PROTO_BYTES;
	return true;
}
