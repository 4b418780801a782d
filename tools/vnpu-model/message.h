/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The wire format of protocol buffers, for writing. lib/graph/onnx/proto.h reads
 * it.
 */
#ifndef VNPU_MODEL_MESSAGE_H
#define VNPU_MODEL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct message - a message that is written
 * @data: its bytes, freed by the caller
 * @size: their number
 * @room: bytes allocated
 * @failed: there was no memory; nothing more is written
 */
struct message {
	char *data;
	size_t size;
	size_t room;
	bool failed;
};

/* Append bytes, such as whole fields. */
void message_put(struct message *m, const void *data, size_t size);

/* Append a field: a number, or bytes. */
void message_number(struct message *m, uint32_t field, uint64_t value);
void message_bytes(struct message *m, uint32_t field, const void *data,
		   size_t size);
void message_text(struct message *m, uint32_t field, const char *text);

/* Append a message as a field, and free it. */
void message_take(struct message *m, uint32_t field, struct message *part);

#endif
