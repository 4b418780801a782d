// SPDX-License-Identifier: GPL-2.0-only
/*
 * The netlink family: open and closed clients. Answers take the reader's point
 * of view: process ids of its pid namespace, user ids of its user namespace.
 */
#include <linux/cred.h>
#include <linux/net.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "account/account.h"
#include "account/user.h"
#include "base/client.h"
#include "base/device.h"
#include "client/history.h"
#include "genl.h"

static int vnpu_fill_usage_class(struct sk_buff *skb, u64 page_size,
				 const struct vnpu_account_class *class)
{
	struct nlattr *nest = nla_nest_start(skb, VNPU_A_CLIENT_USAGE_CLASS);

	if (!nest ||
	    vnpu_nl_put_u64(skb, VNPU_A_CLIENT_CLASS_PAGE_SIZE, page_size,
			    VNPU_A_CLIENT_CLASS_PAD) ||
	    vnpu_nl_put_u64(skb, VNPU_A_CLIENT_CLASS_MEM_USED,
			    READ_ONCE(class->used), VNPU_A_CLIENT_CLASS_PAD) ||
	    vnpu_nl_put_u64(skb, VNPU_A_CLIENT_CLASS_MEM_OBJECTS,
			    READ_ONCE(class->objects), VNPU_A_CLIENT_CLASS_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int vnpu_fill_usage(struct sk_buff *skb, const struct vnpu_account *account)
{
	struct nlattr *nest = nla_nest_start(skb, VNPU_A_CLIENT_USAGE);
	int i;

	if (!nest ||
	    vnpu_nl_put_u32(skb, VNPU_A_CLIENT_USAGE_DEV_ID,
			    account->dev->index) ||
	    vnpu_nl_put_u64(skb, VNPU_A_CLIENT_USAGE_MEM_USED,
			    READ_ONCE(account->used), VNPU_A_CLIENT_USAGE_PAD) ||
	    vnpu_nl_put_u64(skb, VNPU_A_CLIENT_USAGE_MEM_PEAK,
			    READ_ONCE(account->peak), VNPU_A_CLIENT_USAGE_PAD) ||
	    vnpu_nl_put_u64(skb, VNPU_A_CLIENT_USAGE_MEM_OBJECTS,
			    READ_ONCE(account->objects), VNPU_A_CLIENT_USAGE_PAD))
		return -EMSGSIZE;
	for (i = 0; i < VNPU_PAGE_CLASSES; i++)
		if (READ_ONCE(account->class[i].objects) &&
		    vnpu_fill_usage_class(skb, vnpu_class_sizes[i],
					  &account->class[i]))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Only CAP_NET_ADMIN may see pids of the host from inside a container. */
static bool vnpu_sees_host(struct netlink_callback *cb)
{
	return task_active_pid_ns(current) == &init_pid_ns ||
	       netlink_capable(cb->skb, CAP_NET_ADMIN);
}

/**
 * vnpu_nl_sees_uid() - check whether a dump may name the process of a client
 * @cb: the dump
 * @uid: the user of the client
 *
 * Each read of the socket continues the dump, and the reader may have more
 * rights than the process that opened the socket. Both must be allowed to see
 * the user.
 *
 * Return: true if the dump may name processes of @uid.
 */
bool vnpu_nl_sees_uid(struct netlink_callback *cb, kuid_t uid)
{
	struct socket *sock = NETLINK_CB(cb->skb).sk->sk_socket;

	return vnpu_uid_is_in_sight(uid) && sock && sock->file &&
	       vnpu_uid_is_in_sight_of(sock->file, uid);
}

/**
 * vnpu_nl_visible_pid() - return the pid of a client for the reader of a dump
 * @cb: the dump
 * @client: the client of the process
 *
 * Return: the pid in the reader's pid namespace, or 0 if the process has none
 * there or the reader may not see it.
 */
pid_t vnpu_nl_visible_pid(struct netlink_callback *cb,
			  const struct vnpu_client *client)
{
	return vnpu_nl_sees_uid(cb, client->uid) ? pid_vnr(client->pid) : 0;
}

/*
 * Add the pids of a process; all are 0 or absent if the reader may not see it.
 */
static int vnpu_fill_pids(struct sk_buff *skb, struct netlink_callback *cb,
			  struct pid *pid, bool is_in_sight)
{
	bool sees_host = is_in_sight && vnpu_sees_host(cb);
	pid_t nr = is_in_sight ? pid_vnr(pid) : 0;

	if (vnpu_nl_put_u32(skb, VNPU_A_CLIENT_PID, nr) ||
	    (sees_host &&
	     vnpu_nl_put_u32(skb, VNPU_A_CLIENT_HOST_PID, pid_nr(pid))) ||
	    ((sees_host || nr) &&
	     vnpu_nl_put_u32(skb, VNPU_A_CLIENT_NS_PID,
			     pid_nr_ns(pid, ns_of_pid(pid)))))
		return -EMSGSIZE;
	return 0;
}

static int vnpu_fill_client(struct sk_buff *skb, struct netlink_callback *cb,
			    struct vnpu_client *client)
{
	struct user_namespace *user_ns = sk_user_ns(NETLINK_CB(cb->skb).sk);
	bool is_in_sight = vnpu_nl_sees_uid(cb, client->uid);
	char name[TASK_COMM_LEN] = "";
	unsigned int i;

	/* A reader that does not see the process does not see its name. */
	if (is_in_sight && pid_vnr(client->pid))
		vnpu_client_name(client, name);
	if (vnpu_nl_put_u64(skb, VNPU_A_CLIENT_ID, client->id,
			    VNPU_A_CLIENT_PAD) ||
	    vnpu_fill_pids(skb, cb, client->pid, is_in_sight) ||
	    nla_put_string(skb, VNPU_A_CLIENT_NAME, name) ||
	    vnpu_nl_put_u32(skb, VNPU_A_CLIENT_UID,
			    from_kuid_munged(user_ns, client->uid)) ||
	    vnpu_nl_put_u64(skb, VNPU_A_CLIENT_OPENED, client->history->opened,
			    VNPU_A_CLIENT_PAD) ||
	    vnpu_nl_put_u64(skb, VNPU_A_CLIENT_BINDINGS,
			    READ_ONCE(client->map.count), VNPU_A_CLIENT_PAD) ||
	    vnpu_nl_put_u32(skb, VNPU_A_CLIENT_STREAMS,
			    atomic_read(&client->nr_streams)) ||
	    vnpu_nl_put_u64(skb, VNPU_A_CLIENT_BUSY,
			    vnpu_client_busy_ns(client), VNPU_A_CLIENT_PAD))
		return -EMSGSIZE;
	for_each_set_bit(i, client->devices, VNPU_MAX_DEVICES) {
		struct vnpu_account *account = vnpu_client_peek_account(client, i);

		if (account && vnpu_fill_usage(skb, account))
			return -EMSGSIZE;
	}
	return 0;
}

static int vnpu_put_client(struct sk_buff *skb, struct netlink_callback *cb,
			   struct vnpu_client *client)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				cb->nlh->nlmsg_seq, &vnpu_nl_family, NLM_F_MULTI,
				VNPU_CMD_CLIENT_GET);
	int ret;

	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	ret = vnpu_fill_client(skb, cb, client);
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return ret;
}

/* The maximum size of the attributes that vnpu_fill_usage() adds. */
static size_t vnpu_account_size(void)
{
	const size_t number = nla_total_size_64bit(sizeof(u64));
	size_t class = nla_total_size(0) + 3 * number;

	return nla_total_size(0) + nla_total_size(sizeof(u32)) + 3 * number +
	       VNPU_PAGE_CLASSES * class;
}

/* The size of a message by vnpu_fill_client(), without its usage nests. */
static size_t vnpu_client_size(void)
{
	return NLMSG_HDRLEN + GENL_HDRLEN + nla_total_size(TASK_COMM_LEN) +
	       5 * nla_total_size(sizeof(u32)) +
	       4 * nla_total_size_64bit(sizeof(u64));
}

/* Make room for a client with many devices: its answer is a single message. */
int vnpu_nl_client_get_start(struct netlink_callback *cb)
{
	cb->min_dump_alloc = vnpu_client_size() +
			     vnpu_clients_most_devices() * vnpu_account_size();
	return 0;
}

int vnpu_nl_client_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long id = cb->args[0];
	struct vnpu_client *client;
	int ret = 0;

	/* Sequence number 0 would switch the consistency check off. */
	cb->seq = vnpu_clients_generation() ?: 1;
	while (!ret && (client = vnpu_client_get_next(&id))) {
		ret = vnpu_put_client(skb, cb, client);
		vnpu_client_put(client);
		if (!ret)
			id++;
	}
	cb->args[0] = id;
	return skb->len ?: ret;
}

static int vnpu_fill_history_usage(struct sk_buff *skb,
				   const struct vnpu_history *history,
				   unsigned int device)
{
	struct nlattr *nest = nla_nest_start(skb, VNPU_A_CLIENT_USAGE);

	if (!nest || vnpu_nl_put_u32(skb, VNPU_A_CLIENT_USAGE_DEV_ID, device) ||
	    vnpu_nl_put_u64(skb, VNPU_A_CLIENT_USAGE_MEM_USED,
			    history->used[device], VNPU_A_CLIENT_USAGE_PAD) ||
	    vnpu_nl_put_u64(skb, VNPU_A_CLIENT_USAGE_MEM_PEAK,
			    history->peak[device], VNPU_A_CLIENT_USAGE_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int vnpu_fill_history(struct sk_buff *skb, struct netlink_callback *cb,
			     const struct vnpu_history *history)
{
	struct user_namespace *user_ns = sk_user_ns(NETLINK_CB(cb->skb).sk);
	bool is_in_sight = vnpu_nl_sees_uid(cb, history->uid);
	bool is_named = is_in_sight && pid_vnr(history->pid);
	unsigned int i;

	if (vnpu_nl_put_u64(skb, VNPU_A_CLIENT_ID, history->id,
			    VNPU_A_CLIENT_PAD) ||
	    vnpu_fill_pids(skb, cb, history->pid, is_in_sight) ||
	    nla_put_string(skb, VNPU_A_CLIENT_NAME,
			   is_named ? history->comm : "") ||
	    vnpu_nl_put_u32(skb, VNPU_A_CLIENT_UID,
			    from_kuid_munged(user_ns, history->uid)) ||
	    vnpu_nl_put_u32(skb, VNPU_A_CLIENT_STREAMS, history->nr_streams) ||
	    vnpu_nl_put_u64(skb, VNPU_A_CLIENT_BUSY, history->busy_ns,
			    VNPU_A_CLIENT_PAD) ||
	    vnpu_nl_put_u64(skb, VNPU_A_CLIENT_OPENED, history->opened,
			    VNPU_A_CLIENT_PAD) ||
	    vnpu_nl_put_u64(skb, VNPU_A_CLIENT_CLOSED, history->closed,
			    VNPU_A_CLIENT_PAD))
		return -EMSGSIZE;
	for_each_set_bit(i, history->devices, VNPU_MAX_DEVICES)
		if (vnpu_fill_history_usage(skb, history, i))
			return -EMSGSIZE;
	return 0;
}

static int vnpu_put_history(struct sk_buff *skb, struct netlink_callback *cb,
			    const struct vnpu_history *history)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				cb->nlh->nlmsg_seq, &vnpu_nl_family, NLM_F_MULTI,
				VNPU_CMD_HISTORY_GET);
	int ret;

	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	ret = vnpu_fill_history(skb, cb, history);
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return ret;
}

int vnpu_nl_history_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long seq = cb->args[0];
	struct vnpu_history *history;
	int ret = 0;

	/* Sequence number 0 would switch the consistency check off. */
	cb->seq = vnpu_history_generation() ?: 1;
	while (!ret && (history = vnpu_history_get_next(&seq))) {
		ret = vnpu_put_history(skb, cb, history);
		vnpu_history_put(history);
		if (!ret)
			seq++;
	}
	cb->args[0] = seq;
	return skb->len ?: ret;
}
