// SPDX-License-Identifier: MIT
/* Messages with a descriptor, see service_wire.h. */
#include <errno.h>

#include "raw.h"
#include "service_wire.h"

union control {
	struct cmsghdr align;
	char fd[CMSG_SPACE(sizeof(int))];
};

int vnpu_service_send(int socket, void *data, size_t size, int fd, int flags)
{
	union control control = { 0 };
	struct iovec iov = { .iov_base = data, .iov_len = size };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd >= 0) {
		struct cmsghdr *cmsg;

		message.msg_control = &control;
		message.msg_controllen = sizeof(control.fd);
		cmsg = CMSG_FIRSTHDR(&message);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	}
	return vnpu_raw_sendmsg(socket, &message, flags | MSG_NOSIGNAL) < 0 ?
		       -errno : 0;
}

ssize_t vnpu_service_receive(int socket, void *data, size_t size, int *fd,
			     int flags)
{
	union control control = { 0 };
	struct iovec iov = { .iov_base = data, .iov_len = size };
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		/* Two of them would have room in what is aligned. */
		.msg_controllen = CMSG_LEN(sizeof(int)),
	};
	ssize_t length = vnpu_raw_recvmsg(socket, &message,
					  flags | MSG_CMSG_CLOEXEC);
	struct cmsghdr *cmsg;

	*fd = -1;
	if (length < 0)
		return -errno;
	cmsg = CMSG_FIRSTHDR(&message);
	if (cmsg && cmsg->cmsg_level == SOL_SOCKET &&
	    cmsg->cmsg_type == SCM_RIGHTS &&
	    cmsg->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(cmsg), sizeof(int));
	return length;
}
