/* SPDX-License-Identifier: MIT */
/*
 * The text that a launch prints.  It is collected, and sent to the client in
 * packets.
 */
#ifndef VNPU_CORE_TEXT_H
#define VNPU_CORE_TEXT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "core.h"

#define TEXT_MAX	(CORE_MESSAGE_MAX - 64)

/**
 * struct text - text of a launch that is not yet sent
 * @lock: protects the other members while the launch runs
 * @length: in bytes
 * @bytes: the text, without a NUL
 */
struct text {
	pthread_mutex_t lock;
	size_t length;
	char bytes[TEXT_MAX];
};

/*
 * Add what a block has printed, EXEC_LINE_MAX bytes at most.  If there is no
 * room, the text so far is sent.  Several threads may call this.
 */
void text_add(struct text *text, uint64_t stream, const char *bytes,
	      size_t length);

/* Send the rest, after the launch has ended. */
void text_send(struct text *text, uint64_t stream);

#endif /* VNPU_CORE_TEXT_H */
