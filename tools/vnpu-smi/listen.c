// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: wait for events of the driver.
 *
 * The socket is read without libnl, which does not distinguish a lost event
 * from a lack of memory.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <netlink/genl/genl.h>

#include "listen.h"

#define NS_PER_S	UINT64_C(1000000000)

/* For bursts; the kernel limits the size. */
#define LISTEN_BUFFER	(4 << 20)

uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static int socket_of(const struct listener *l)
{
	return nl_socket_get_fd(l->session.sock);
}

enum smi_exit listen_open(struct listener *l)
{
	const int size = LISTEN_BUFFER;
	enum smi_exit status;

	l->is_stopped = false;
	status = session_open(&l->session);
	if (status)
		return status;
	if (setsockopt(socket_of(l), SOL_SOCKET, SO_RCVBUFFORCE, &size,
		       sizeof(size)))
		setsockopt(socket_of(l), SOL_SOCKET, SO_RCVBUF, &size,
			   sizeof(size));
	if (!l->session.events ||
	    setsockopt(socket_of(l), SOL_NETLINK, NETLINK_ADD_MEMBERSHIP,
		       &l->session.events, sizeof(l->session.events))) {
		status = fail(SMI_FAILED, "cannot receive events of the vnpu driver: %s",
			      l->session.events ? strerror(errno) :
						  "the driver has no events");
		listen_close(l);
	}
	return status;
}

void listen_close(struct listener *l)
{
	session_close(&l->session);
}

void listen_stop(struct listener *l)
{
	l->is_stopped = !setsockopt(socket_of(l), SOL_NETLINK,
				    NETLINK_DROP_MEMBERSHIP,
				    &l->session.events,
				    sizeof(l->session.events));
}

/* Wait; returns as poll() does, and 0 also if no time is left. */
static int wait_readable(const struct listener *l, uint64_t deadline_ns)
{
	struct pollfd fd = { .fd = socket_of(l), .events = POLLIN };
	struct timespec left = { 0 };
	uint64_t now = clock_ns();

	if (l->is_stopped)
		return ppoll(&fd, 1, &left, NULL);
	if (deadline_ns == LISTEN_FOREVER)
		return ppoll(&fd, 1, NULL, NULL);
	if (now >= deadline_ns)
		return 0;
	left.tv_sec = (time_t)((deadline_ns - now) / NS_PER_S);
	left.tv_nsec = (long)((deadline_ns - now) % NS_PER_S);
	return ppoll(&fd, 1, &left, NULL);
}

/* Check whether @l has a complete event of the driver. */
static bool is_event(const struct listener *l, ssize_t length,
		     const struct sockaddr_nl *from)
{
	return !from->nl_pid && NLMSG_OK(&l->message, (unsigned int)length) &&
	       l->message.nlmsg_type == l->session.family &&
	       genlmsg_valid_hdr((struct nlmsghdr *)&l->message, 0);
}

enum listen_result listen_next(struct listener *l, uint64_t deadline_ns)
{
	for (;;) {
		struct sockaddr_nl from = { 0 };
		socklen_t size = sizeof(from);
		int ready = wait_readable(l, deadline_ns);
		ssize_t length;

		if (!ready)
			return LISTEN_TIMEOUT;
		length = recvfrom(socket_of(l), l->bytes, sizeof(l->bytes),
				  MSG_DONTWAIT, (struct sockaddr *)&from,
				  &size);
		if (length < 0 && errno == ENOBUFS)
			return LISTEN_LOST;
		if (length < 0 && errno != EAGAIN && errno != EINTR) {
			fail(SMI_FAILED, "cannot receive events of the vnpu driver: %s",
			     strerror(errno));
			return LISTEN_FAILED;
		}
		if (length > 0 && is_event(l, length, &from))
			return LISTEN_EVENT;
	}
}
