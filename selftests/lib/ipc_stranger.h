/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What strangers do to who shares memory, and has a socket with a name for that:
 * messages with descriptors, some of which take very long to close.
 */
#ifndef SELFTESTS_LIB_IPC_STRANGER_H
#define SELFTESTS_LIB_IPC_STRANGER_H

#include "ipc.h"

#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/un.h>

static inline socklen_t service_address(const char *key,
					struct sockaddr_un *address)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	return offsetof(struct sockaddr_un, sun_path) + 1 +
	       sprintf(address->sun_path + 1, "vnpu-share-%.5s", key + 5);
}

/* A message with descriptors, if there are any. */
static inline bool send_with(int to, const void *data, size_t bytes, const int *fds,
			     int nr_fds)
{
	union {
		struct cmsghdr align;
		char buffer[CMSG_SPACE(2 * sizeof(int))];
	} control = { 0 };
	struct iovec iov = { .iov_base = (void *)data, .iov_len = bytes };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (nr_fds) {
		struct cmsghdr *cmsg;

		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(nr_fds * sizeof(int));
		cmsg = CMSG_FIRSTHDR(&message);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(nr_fds * sizeof(int));
		memcpy(CMSG_DATA(cmsg), fds, nr_fds * sizeof(int));
	}
	return sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

#define LINGER_S	100

/* What a close takes so long of, as nobody reads what was sent, and who does not. */
struct lingerer {
	int fd;
	int reader;
};

static inline bool loopback_is_up(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	bool is_up = !ioctl(fd, SIOCGIFFLAGS, &request);

	if (is_up && !(request.ifr_flags & IFF_UP)) {
		request.ifr_flags |= IFF_UP;
		is_up = !ioctl(fd, SIOCSIFFLAGS, &request);
	}
	close(fd);
	return is_up;
}

static inline bool lingerer_init(struct lingerer *l)
{
	const struct linger linger = { .l_onoff = 1, .l_linger = LINGER_S };
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	static const char much[65536];
	const int few = 4096;

	l->fd = socket(AF_INET, SOCK_STREAM, 0);
	/* Many of them have room in memory; a connection has its listener's. */
	if (setsockopt(l->fd, SOL_SOCKET, SO_SNDBUF, &few, sizeof(few)) ||
	    setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &few, sizeof(few)) ||
	    bind(listener, (struct sockaddr *)&address, length) ||
	    listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &length) ||
	    connect(l->fd, (struct sockaddr *)&address, length))
		return false;
	l->reader = accept(listener, NULL, NULL);
	close(listener);
	while (send(l->fd, much, sizeof(much), MSG_DONTWAIT) > 0)
		;
	return l->reader >= 0 && !setsockopt(l->fd, SOL_SOCKET, SO_LINGER,
					     &linger, sizeof(linger));
}

static inline void *close_in_time(void *arg)
{
	close((int)(intptr_t)arg);
	return NULL;
}

/* Who closes it last waits until the reader is gone. */
static inline void lingerer_leave(const struct lingerer *l)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, close_in_time,
			   (void *)(intptr_t)l->fd))
		abort();
	pthread_detach(thread);
}

/* It goes with a message. */
static inline bool lingerer_send(const struct lingerer *l, int to, const void *data,
				 size_t bytes)
{
	bool is_sent = send_with(to, data, bytes, &l->fd, 1);

	lingerer_leave(l);
	return is_sent;
}

#endif /* SELFTESTS_LIB_IPC_STRANGER_H */
