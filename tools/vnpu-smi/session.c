// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: a conversation with the driver over generic netlink.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>

#include <linux/vnpu_netlink.h>

#include "session.h"

#define ANSWER_SECONDS	5

/* Limit on the reads of a dump that the kernel calls inconsistent. */
#define DUMP_TRIES	8

struct dump_run {
	const struct session *session;
	const struct dump *dump;
	enum smi_exit status;
};

static enum smi_exit fail_netlink(const struct session *s, int error)
{
	switch (-error) {
	case NLE_AGAIN:
		return fail(SMI_TIMEOUT,
			    "the driver did not answer within %d seconds",
			    s->seconds);
	case NLE_OBJ_NOTFOUND:
		if (s->family)
			return fail(SMI_FAILED, "there is no such object");
		return fail(SMI_NO_DRIVER,
			    "the vnpu driver is not loaded (no netlink family \"%s\")",
			    VNPU_FAMILY_NAME);
	case NLE_NODEV:
		return fail(SMI_NO_DEVICE, "there is no such device");
	case NLE_PERM:
	case NLE_NOACCESS:
		return fail(SMI_PERMISSION,
			    "no permission to query the vnpu driver");
	default:
		if (s->why[0])
			return fail(SMI_FAILED, "the vnpu driver rejected the request: %s",
				    s->why);
		return fail(SMI_FAILED, "cannot query the vnpu driver: %s",
			    nl_geterror(error));
	}
}

/* The reason follows the request, if that is returned. */
static int take_refusal(struct sockaddr_nl *from, struct nlmsgerr *refusal,
			void *arg)
{
	const struct nlmsghdr *hdr =
		(void *)((char *)refusal - NLMSG_HDRLEN);
	size_t skip = sizeof(*refusal), length = (size_t)nlmsg_datalen(hdr);
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1];
	struct session *s = arg;

	(void)from;
	if (!(hdr->nlmsg_flags & NLM_F_CAPPED))
		skip += refusal->msg.nlmsg_len - NLMSG_HDRLEN;
	skip = NLMSG_ALIGN(skip);
	if (hdr->nlmsg_flags & NLM_F_ACK_TLVS && skip < length &&
	    !nla_parse(tb, NLMSGERR_ATTR_MAX,
		       (struct nlattr *)((char *)refusal + skip),
		       (int)(length - skip), NULL) &&
	    tb[NLMSGERR_ATTR_MSG])
		nla_strlcpy(s->why, tb[NLMSGERR_ATTR_MSG], sizeof(s->why));
	return NL_STOP;
}

/* Receive messages by libnl, which calls @take_valid and @take_end for them. */
static int receive(struct session *s, nl_recvmsg_msg_cb_t take_valid,
		   nl_recvmsg_msg_cb_t take_end, void *arg)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int error;

	if (!cb)
		return -NLE_NOMEM;
	s->why[0] = '\0';
	nl_cb_err(cb, NL_CB_CUSTOM, take_refusal, s);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, take_valid, arg);
	if (take_end)
		nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, take_end, arg);
	error = nl_recvmsgs(s->sock, cb);
	nl_cb_put(cb);
	return error;
}

static void take_groups(struct session *s, struct nlattr *groups)
{
	struct nlattr *tb[CTRL_ATTR_MCAST_GRP_MAX + 1], *group;
	int rem;

	nla_for_each_nested(group, groups, rem)
		if (!nla_parse_nested(tb, CTRL_ATTR_MCAST_GRP_MAX, group,
				      NULL) &&
		    tb[CTRL_ATTR_MCAST_GRP_NAME] && tb[CTRL_ATTR_MCAST_GRP_ID] &&
		    !nla_strcmp(tb[CTRL_ATTR_MCAST_GRP_NAME],
				VNPU_MCGRP_EVENTS))
			s->events = nla_get_u32(tb[CTRL_ATTR_MCAST_GRP_ID]);
}

static int take_family(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[CTRL_ATTR_MAX + 1];
	struct session *s = arg;

	if (genlmsg_parse(nlmsg_hdr(msg), 0, tb, CTRL_ATTR_MAX, NULL))
		return NL_OK;
	if (tb[CTRL_ATTR_FAMILY_ID])
		s->family = nla_get_u16(tb[CTRL_ATTR_FAMILY_ID]);
	if (tb[CTRL_ATTR_MCAST_GROUPS])
		take_groups(s, tb[CTRL_ATTR_MCAST_GROUPS]);
	return NL_OK;
}

/*
 * genl_ctrl_resolve() treats every failure as a missing family, but a lack of
 * permission needs another exit status.
 */
static int resolve_family(struct session *s)
{
	struct nl_msg *msg = nlmsg_alloc();
	int error;

	if (!msg)
		return -NLE_NOMEM;
	s->family = 0;
	error = -NLE_MSGSIZE;
	if (genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, GENL_ID_CTRL, 0, 0,
			CTRL_CMD_GETFAMILY, 1) &&
	    !nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, VNPU_FAMILY_NAME))
		error = nl_send_auto(s->sock, msg);
	nlmsg_free(msg);
	if (error >= 0)
		error = receive(s, take_family, NULL, s);
	if (error >= 0 && !s->family)
		error = -NLE_OBJ_NOTFOUND;
	return error < 0 ? error : 0;
}

enum smi_exit session_limit(struct session *s, int seconds)
{
	const struct timeval limit = { .tv_sec = seconds };

	s->seconds = seconds;
	if (setsockopt(nl_socket_get_fd(s->sock), SOL_SOCKET, SO_RCVTIMEO,
		       &limit, sizeof(limit)))
		return fail(SMI_FAILED, "cannot limit the wait: %s",
			    strerror(errno));
	return SMI_OK;
}

enum smi_exit session_open(struct session *s)
{
	const int yes = 1;
	enum smi_exit status;
	int error;

	s->family = 0;
	s->events = 0;
	s->why[0] = '\0';
	s->sock = nl_socket_alloc();
	if (!s->sock)
		return fail(SMI_FAILED, "out of memory");
	/* Every request has an answer, so none needs an acknowledgement. */
	nl_socket_disable_auto_ack(s->sock);

	error = genl_connect(s->sock);
	if (error)
		goto err_netlink;
	/* Without this option, a rejection has no reason. */
	setsockopt(nl_socket_get_fd(s->sock), SOL_NETLINK, NETLINK_EXT_ACK,
		   &yes, sizeof(yes));
	status = session_limit(s, ANSWER_SECONDS);
	if (status)
		goto err_free;
	error = resolve_family(s);
	if (error)
		goto err_netlink;
	return SMI_OK;

err_netlink:
	status = fail_netlink(s, error);
err_free:
	nl_socket_free(s->sock);
	s->sock = NULL;
	return status;
}

void session_close(struct session *s)
{
	nl_socket_free(s->sock);
	s->sock = NULL;
}

static int take_record(struct nl_msg *msg, void *arg)
{
	struct dump_run *run = arg;

	run->status = run->dump->record(nlmsg_hdr(msg), run->dump->arg);
	return run->status == SMI_OK ? NL_OK : NL_STOP;
}

/* libnl ignores the error that the end of a dump may have. */
static int take_end(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct dump_run *run = arg;
	int error = 0;

	if (nlmsg_datalen(hdr) >= (int)sizeof(error))
		memcpy(&error, nlmsg_data(hdr), sizeof(error));
	if (error < 0)
		run->status = fail_netlink(run->session,
					   -nl_syserr2nlerr(error));
	return NL_STOP;
}

enum smi_exit session_dump(struct session *s, const struct dump *dump)
{
	struct dump_run run = { .session = s, .dump = dump };
	int tries, error;

	for (tries = 0; tries < DUMP_TRIES; tries++) {
		dump->restart(dump->arg);
		error = genl_send_simple(s->sock, s->family, dump->command,
					 VNPU_FAMILY_VERSION, NLM_F_DUMP);
		if (error >= 0)
			error = receive(s, take_record, take_end, &run);
		if (run.status != SMI_OK)
			return run.status;
		if (error != -NLE_DUMP_INTR)
			return error < 0 ? fail_netlink(s, error) : SMI_OK;
	}
	/* A list that changes all the time is better than none. */
	warn("the list changed while it was read; an entry may be missing");
	return SMI_OK;
}

struct ask_run {
	const struct question *question;
	enum smi_exit status;
};

static int take_answer(struct nl_msg *msg, void *arg)
{
	struct ask_run *run = arg;

	run->status = run->question->record(nlmsg_hdr(msg),
					    run->question->arg);
	return NL_STOP;
}

static int send_question(struct session *s, const struct question *question)
{
	struct nl_msg *msg = nlmsg_alloc();
	int error = -NLE_MSGSIZE;

	if (!msg)
		return -NLE_NOMEM;
	if (genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, s->family, 0, 0,
			question->command, VNPU_FAMILY_VERSION))
		error = question->put(msg, question->arg);
	if (!error)
		error = nl_send_auto(s->sock, msg);
	nlmsg_free(msg);
	return error;
}

enum smi_exit session_ask(struct session *s, const struct question *question)
{
	struct ask_run run = { .question = question };
	int error = send_question(s, question);

	if (error >= 0)
		error = receive(s, take_answer, NULL, &run);
	if (error == -NLE_OBJ_NOTFOUND && question->not_found)
		return fail(SMI_FAILED, "no such %s",
			    question->not_found);
	if (error == -NLE_NOMEM && question->no_memory)
		return fail(SMI_FAILED, "not enough memory for %s",
			    question->no_memory);
	return error < 0 ? fail_netlink(s, error) : run.status;
}

static int put_device(struct nl_msg *msg, const void *arg)
{
	return nla_put_u32(msg, VNPU_A_DEV_ID, *(const uint32_t *)arg) ?
	       -NLE_MSGSIZE : 0;
}

static enum smi_exit take_nothing(struct nlmsghdr *msg, void *arg)
{
	(void)msg;
	(void)arg;
	return SMI_OK;
}

enum smi_exit session_check_device(struct session *s, uint32_t id)
{
	const struct question question = {
		.command = VNPU_CMD_DEV_GET,
		.put = put_device,
		.record = take_nothing,
		.arg = &id,
	};

	return session_ask(s, &question);
}
