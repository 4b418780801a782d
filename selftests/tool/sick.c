// SPDX-License-Identifier: GPL-2.0-only
/*
 * To be preloaded into vnpu-smi: every device has the health of SICK_HEALTH,
 * since a device in trouble recovers sooner than a test can look.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>

#include <linux/vnpu_netlink.h>

static void make_sick(struct nlmsghdr *head)
{
	const struct genlmsghdr *genl = NLMSG_DATA(head);
	uint32_t health = (uint32_t)atoi(getenv("SICK_HEALTH"));
	int left = (int)NLMSG_PAYLOAD(head, GENL_HDRLEN);
	struct nlattr *attr = (void *)((char *)NLMSG_DATA(head) + GENL_HDRLEN);

	if (head->nlmsg_type <= GENL_ID_CTRL || genl->cmd != VNPU_CMD_DEV_GET)
		return;
	while (left >= NLA_HDRLEN && attr->nla_len >= NLA_HDRLEN) {
		if (attr->nla_type == VNPU_A_DEV_HEALTH)
			memcpy((char *)attr + NLA_HDRLEN, &health,
			       sizeof(health));
		left -= NLA_ALIGN(attr->nla_len);
		attr = (void *)((char *)attr + NLA_ALIGN(attr->nla_len));
	}
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	ssize_t (*real)(int fd, struct msghdr *msg, int flags) =
		dlsym(RTLD_NEXT, "recvmsg");
	ssize_t length = real(fd, msg, flags);
	ssize_t left = length;
	struct nlmsghdr *head;

	if (length <= 0 || (size_t)length > msg->msg_iov->iov_len)
		return length;
	head = msg->msg_iov->iov_base;
	for (; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left))
		make_sick(head);
	return length;
}
