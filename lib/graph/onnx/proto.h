/* SPDX-License-Identifier: MIT */
/*
 * The wire format of protocol buffers, for reading.
 *
 * The reader follows fields in place, allocates nothing and keeps no state but a
 * cursor, so sizes and counts in a hostile file are harmless. A library would
 * need the schema of ONNX, a compiler for it at build time, and memory for a
 * second copy of all weights; this reader is smaller than its glue would be.
 */
#ifndef GRAPH_ONNX_PROTO_H
#define GRAPH_ONNX_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum proto_wire {
	PROTO_VARINT = 0,
	PROTO_FIXED64 = 1,
	PROTO_BYTES = 2,
	PROTO_FIXED32 = 5,
};

/**
 * struct proto - a message that is read
 * @at: the next byte
 * @end: behind the last byte
 * @bad: a field was cut off, or had a type that does not exist
 */
struct proto {
	const uint8_t *at;
	const uint8_t *end;
	bool bad;
};

/**
 * struct proto_field - a field of a message
 * @number: its number in the schema
 * @wire: its type
 * @value: the bits of a number
 * @bytes: the content of PROTO_BYTES: text, a message, or a packed list
 */
struct proto_field {
	uint32_t number;
	enum proto_wire wire;
	uint64_t value;
	struct proto bytes;
};

/* Begin to read a message. */
static inline struct proto proto_open(const void *data, size_t size)
{
	const uint8_t *at = data;

	return (struct proto){ .at = at, .end = at + size };
}

static inline size_t proto_size(const struct proto *p)
{
	return p->end - p->at;
}

/**
 * proto_next() - read the next field
 * @p: the message
 * @f: filled
 *
 * Return: true if there is one; false at the end, and if the message is bad.
 */
bool proto_next(struct proto *p, struct proto_field *f);

/**
 * proto_number() - read the next number of a repeated field
 * @f: the field, packed or not; its content is consumed
 * @wire: the type that its numbers have in a packed list
 * @value: set to the bits of the number
 *
 * Return: whether there is one; false after the last, and for a wrong type,
 * when f->bytes.bad is set.
 */
bool proto_number(struct proto_field *f, enum proto_wire wire,
		  uint64_t *value);

#endif
