// SPDX-License-Identifier: MIT
/* The end of a conversation with a stranger, see hangup.h. */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hangup.h"
#include "raw.h"
#include "thread.h"

static atomic_uint waiting;

/*
 * Whether no message carries descriptors; then they are gone, and none comes any
 * more. Looking at one takes no descriptors if the peer's credentials fill the room,
 * and these tell an empty message from none.
 */
static bool is_plain(int fd)
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
	close((int)(intptr_t)arg);
	atomic_fetch_sub(&waiting, 1);
	return NULL;
}

static void *wait_and_close_own(void *arg)
{
	vnpu_raw_close((int)(intptr_t)arg);
	atomic_fetch_sub(&waiting, 1);
	return NULL;
}

static void hang_up(int fd, void *(*end)(void *arg))
{
	void *arg = (void *)(intptr_t)fd;

	atomic_fetch_add(&waiting, 1);
	/* Where there is no thread to be had, this one waits. */
	if (is_plain(fd) || vnpu_thread_prepare() ||
	    vnpu_thread_start("vnpu-hangup", end, arg))
		end(arg);
}

void vnpu_hang_up(int fd)
{
	hang_up(fd, wait_and_close);
}

void vnpu_hang_up_own(int fd)
{
	hang_up(fd, wait_and_close_own);
}

unsigned int vnpu_hanging_up(void)
{
	return atomic_load(&waiting);
}
