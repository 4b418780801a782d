/* SPDX-License-Identifier: MIT */
/*
 * Messages of a meeting, with files.
 */
#ifndef VNPU_HCCL_MESSAGE_H
#define VNPU_HCCL_MESSAGE_H

#include <sys/socket.h>
#include <sys/un.h>

#include "meet.h"

#define HCCL_MESSAGE_MAGIC	0x4c434348U
#define HCCL_MESSAGE_FILES	2

/* From a rank, with its @alive. */
struct hccl_hello {
	uint32_t magic;
	uint32_t version;
	uint8_t token[16];
	struct hccl_self self;
};

/*
 * The answer to a rank, with the memory. If the rank is admitted, an
 * introduction for each rank follows.
 */
struct hccl_welcome {
	uint32_t magic;
	uint32_t result;
	char text[HCCL_TEXT];
};

/* To a rank, about another one, with its @alive. */
struct hccl_introduction {
	uint32_t magic;
	struct hccl_self self;
};

/* Get the address of @place; returns its length. */
socklen_t hccl_place_address(const struct hccl_place *place,
			     struct sockaddr_un *address);

/**
 * hccl_message_send() - send a message
 * @files: array of @count files, at most HCCL_MESSAGE_FILES
 *
 * Return: 0, or -errno; -EAGAIN if the receiver does not read.
 */
int hccl_message_send(int socket, const void *message, size_t size,
		      const int files[], unsigned int count);

/**
 * hccl_message_receive() - receive a message of exactly this size and magic
 * @files: filled with @count files, which the message must have
 *
 * Return: 0, or -errno: -EAGAIN without a message, -ECONNRESET at the end,
 * -EPROTO for any other message; then no file stays open.
 */
int hccl_message_receive(int socket, void *message, size_t size, int files[],
			 unsigned int count);

/* CLOCK_MONOTONIC in milliseconds. */
uint64_t hccl_now(void);

#endif /* VNPU_HCCL_MESSAGE_H */
