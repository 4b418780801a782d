/* SPDX-License-Identifier: GPL-2.0-only */
/* Pass open files between processes through a socket. */
#ifndef SELFTESTS_VNPU_PASS_H
#define SELFTESTS_VNPU_PASS_H

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* A message of one byte, with room for one file. */
struct file_message {
	struct msghdr head;
	struct iovec iov;
	char byte;
	char control[CMSG_SPACE(sizeof(int))];
};

static inline void file_message_init(struct file_message *m)
{
	memset(m, 0, sizeof(*m));
	m->iov = (struct iovec){ .iov_base = &m->byte, .iov_len = 1 };
	m->head.msg_iov = &m->iov;
	m->head.msg_iovlen = 1;
	m->head.msg_control = m->control;
	m->head.msg_controllen = sizeof(m->control);
}

/* Return 0 or -errno. */
static inline int file_send(int to, int fd)
{
	struct file_message m;
	struct cmsghdr *c;

	file_message_init(&m);
	c = CMSG_FIRSTHDR(&m.head);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(to, &m.head, 0) < 0 ? -errno : 0;
}

/* Return the file, or -errno; -ENOMSG if none came. */
static inline int file_receive(int from)
{
	struct file_message m;
	struct cmsghdr *c;
	int fd;

	file_message_init(&m);
	if (recvmsg(from, &m.head, MSG_CMSG_CLOEXEC) < 0)
		return -errno;
	c = CMSG_FIRSTHDR(&m.head);
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return -ENOMSG;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

#endif
