// SPDX-License-Identifier: MIT
/* The text that launches print, see text.h. */
#include <string.h>

#include "text.h"

_Static_assert(EXEC_LINE_MAX <= TEXT_MAX, "a line fits into a packet");

void text_send(struct text *text, uint64_t stream)
{
	if (text->length)
		channel_print(stream, text->bytes, text->length);
	text->length = 0;
}

void text_add(struct text *text, uint64_t stream, const char *bytes,
	      size_t length)
{
	pthread_mutex_lock(&text->lock);
	if (text->length + length > TEXT_MAX)
		text_send(text, stream);
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	pthread_mutex_unlock(&text->lock);
}
