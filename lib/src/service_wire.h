/* SPDX-License-Identifier: MIT */
/*
 * What the two ends say at which shared memory is handed over: door.c speaks
 * for who has the memory, fetch.c wants it.
 */
#ifndef VNPU_LIB_SERVICE_WIRE_H
#define VNPU_LIB_SERVICE_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <time.h>

/*
 * Send a message, and with it a descriptor unless that is -1; @flags are of
 * sendmsg().  0 or -errno.
 */
int vnpu_service_send(int socket, void *data, size_t size, int fd, int flags);

/*
 * Receive one, and the descriptor, which nobody inherits, or -1; @flags are of
 * recvmsg().  What has no room is dropped, so the peer is one that is trusted.
 * Returns the bytes that came, or -errno.
 */
ssize_t vnpu_service_receive(int socket, void *data, size_t size, int *fd,
			     int flags);

#define VNPU_SERVICE_MAGIC	0x31485356554e5056	/* "VPNUVSH1" */

struct vnpu_service_request {
	uint64_t magic;
	uint64_t tag;
	uint64_t nonce;
};

struct vnpu_service_reply {
	uint64_t magic;
	int64_t result;			/* 0 or -errno */
	uint64_t proof;			/* the rest is set if it is 0 */
	uint64_t offset;
	uint64_t length;
};

static inline socklen_t vnpu_service_address(struct sockaddr_un *address,
					     uint32_t number)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	/* The first byte of an abstract name is a NUL, the last one is not. */
	return offsetof(struct sockaddr_un, sun_path) + 1 +
	       snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1,
			"vnpu-share-%05x", number);
}

static inline int64_t vnpu_service_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

#endif /* VNPU_LIB_SERVICE_WIRE_H */
