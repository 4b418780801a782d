// SPDX-License-Identifier: GPL-2.0-only
/* The wire format of protocol buffers, for writing. See message.h. */
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "onnx/proto.h"

#define VARINT_MAX	10

void message_put(struct message *m, const void *data, size_t size)
{
	size_t room = m->room ? m->room : 256;
	char *more;

	if (m->failed || !size)
		return;
	while (room - m->size < size)
		room *= 2;
	if (room != m->room) {
		more = realloc(m->data, room);
		if (!more) {
			m->failed = true;
			return;
		}
		m->data = more;
		m->room = room;
	}
	memcpy(m->data + m->size, data, size);
	m->size += size;
}

static void put_varint(struct message *m, uint64_t value)
{
	uint8_t bytes[VARINT_MAX];
	size_t count = 0;

	for (; value > 127; value >>= 7)
		bytes[count++] = (value & 127) | 128;
	bytes[count++] = value;
	message_put(m, bytes, count);
}

void message_number(struct message *m, uint32_t field, uint64_t value)
{
	put_varint(m, (uint64_t)field << 3 | PROTO_VARINT);
	put_varint(m, value);
}

void message_bytes(struct message *m, uint32_t field, const void *data,
		   size_t size)
{
	put_varint(m, (uint64_t)field << 3 | PROTO_BYTES);
	put_varint(m, size);
	message_put(m, data, size);
}

void message_text(struct message *m, uint32_t field, const char *text)
{
	message_bytes(m, field, text, strlen(text));
}

void message_take(struct message *m, uint32_t field, struct message *part)
{
	m->failed |= part->failed;
	message_bytes(m, field, part->data, part->size);
	free(part->data);
	*part = (struct message){ 0 };
}
