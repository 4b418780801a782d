// SPDX-License-Identifier: MIT
/* The end of a conversation with a stranger, see hangup.h. */
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "hangup.h"
#include "raw.h"
#include "thread.h"

/*
 * Looking at a message takes no descriptors if the peer's credentials fill the room,
 * and these tell an empty message from none.
 */
bool vnpu_hang_up_is_plain(int fd)
{
	const int on = 1;
	union {
		struct cmsghdr align;
		char credentials[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	char byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = sizeof(byte) };

	if (shutdown(fd, SHUT_RD) ||
	    setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)))
		return false;
	for (;;) {
		struct msghdr message = {
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = &control,
			.msg_controllen = sizeof(control.credentials),
		};

		if (vnpu_raw_recvmsg(fd, &message,
				     MSG_PEEK | MSG_DONTWAIT) < 0) {
			/* That the peer is gone is told once, before all. */
			if (errno == ECONNRESET)
				continue;
			return false;
		}
		if (!message.msg_controllen)
			return true;
		if (message.msg_flags & MSG_CTRUNC)
			return false;
		vnpu_raw_recv(fd, &byte, sizeof(byte), MSG_DONTWAIT);
	}
}

static void *wait_and_close(void *arg)
{
	vnpu_thread_set_name("vnpu-hangup");
	close((int)(intptr_t)arg);
	return NULL;
}

bool vnpu_hang_up(int fd)
{
	void *arg = (void *)(intptr_t)fd;

	if (vnpu_hang_up_is_plain(fd)) {
		close(fd);
		return true;
	}
	/* Where there is no thread to be had, this one waits. */
	if (vnpu_thread_prepare() || vnpu_thread_start(wait_and_close, arg))
		close(fd);
	return false;
}
