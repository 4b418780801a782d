// SPDX-License-Identifier: MIT
/* Messages and places of meetings, see message.h and meet.h. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "message.h"
#include "siphash.h"

uint64_t hccl_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Fill in the rest of a place, and make its name of 16 bytes. */
static void place_name(struct hccl_place *place, const uint8_t bytes[16])
{
	int length = snprintf(place->name, sizeof(place->name), "vnpu-hccl-");

	for (int i = 0; i < 16; i++)
		length += snprintf(place->name + length,
				   sizeof(place->name) - (size_t)length,
				   "%02x", bytes[i]);
	place->magic = HCCL_PLACE_MAGIC;
	place->version = HCCL_PLACE_VERSION;
}

HcclResult hccl_place_random(struct hccl_place *place)
{
	uint8_t bytes[16];

	memset(place, 0, sizeof(*place));
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes) ||
	    getrandom(place->token, sizeof(place->token), 0) !=
	    sizeof(place->token))
		return HCCL_E_SYSCALL;
	place_name(place, bytes);
	return HCCL_SUCCESS;
}

void hccl_place_derive(struct hccl_place *place, const uint8_t key[16],
		       const void *bytes, size_t size, bool same_user)
{
	static const uint8_t no_key[16];
	uint64_t hashes[4], input[2];

	if (!key)
		key = no_key;
	memset(place, 0, sizeof(*place));
	/* The name is public; it shows neither the token nor the key. */
	input[1] = hccl_siphash(key, bytes, size);
	for (input[0] = 0; input[0] < 4; input[0]++)
		hashes[input[0]] = hccl_siphash(key, input, sizeof(input));
	memcpy(place->token, &hashes[2], sizeof(place->token));
	place->same_user = same_user;
	place_name(place, (const uint8_t *)hashes);
}

bool hccl_place_is_valid(const struct hccl_place *place)
{
	return place->magic == HCCL_PLACE_MAGIC &&
	       place->version == HCCL_PLACE_VERSION && place->name[0] &&
	       memchr(place->name, 0, sizeof(place->name));
}

socklen_t hccl_place_address(const struct hccl_place *place,
			     struct sockaddr_un *address)
{
	size_t length = strlen(place->name);

	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	memcpy(address->sun_path + 1, place->name, length);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(HCCL_MESSAGE_FILES * sizeof(int))];
};

int hccl_message_send(int socket, const void *message, size_t size,
		      const int files[], unsigned int count)
{
	struct iovec part = { .iov_base = (void *)message, .iov_len = size };
	union control control = { 0 };
	struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };

	if (count) {
		struct cmsghdr *first;

		header.msg_control = control.bytes;
		header.msg_controllen = CMSG_SPACE(count * sizeof(int));
		first = CMSG_FIRSTHDR(&header);
		first->cmsg_level = SOL_SOCKET;
		first->cmsg_type = SCM_RIGHTS;
		first->cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(first), files, count * sizeof(int));
	}
	return sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ?
	       -errno : 0;
}

/* Take the files out of a message; returns their number. */
static unsigned int take_files(struct msghdr *header,
			       int files[HCCL_MESSAGE_FILES])
{
	unsigned int count = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c;
	     c = CMSG_NXTHDR(header, c)) {
		size_t bytes = c->cmsg_len - CMSG_LEN(0);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		memcpy(files, CMSG_DATA(c), bytes);
		count = (unsigned int)(bytes / sizeof(int));
	}
	return count;
}

int hccl_message_receive(int socket, void *message, size_t size, int files[],
			 unsigned int count)
{
	struct iovec part = { .iov_base = message, .iov_len = size };
	union control control;
	struct msghdr header = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	int found[HCCL_MESSAGE_FILES];
	uint32_t magic = 0;
	unsigned int got;
	ssize_t bytes;

	bytes = recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (bytes < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	got = take_files(&header, found);
	if ((size_t)bytes >= sizeof(magic))
		memcpy(&magic, message, sizeof(magic));
	if ((size_t)bytes == size && magic == HCCL_MESSAGE_MAGIC &&
	    got == count &&
	    !(header.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
		memcpy(files, found, count * sizeof(int));
		return 0;
	}
	while (got)
		close(found[--got]);
	return bytes ? -EPROTO : -ECONNRESET;
}
