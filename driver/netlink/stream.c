// SPDX-License-Identifier: GPL-2.0-only
/*
 * The netlink family: the streams of all clients.
 *
 * The answers contain no addresses: those belong to the address space of the
 * client's process. Its layout is secret from other processes.
 */
#include <net/genetlink.h>

#include "base/client.h"
#include "base/device.h"
#include "exec/stream.h"
#include "genl.h"

static_assert((int)VNPU_STREAM_IDLE == VNPU_STREAM_STATE_IDLE);
static_assert((int)VNPU_STREAM_READY == VNPU_STREAM_STATE_READY);
static_assert((int)VNPU_STREAM_RUNNING == VNPU_STREAM_STATE_RUNNING);
static_assert((int)VNPU_STREAM_POLLED == VNPU_STREAM_STATE_POLLED);
static_assert((int)VNPU_STREAM_BLOCKED == VNPU_STREAM_STATE_BLOCKED);
static_assert((int)VNPU_STREAM_REMOTE == VNPU_STREAM_STATE_REMOTE);

static int vnpu_fill_stream_state(struct sk_buff *skb,
				  const struct vnpu_stream_stats *f)
{
	if (nla_put_u32(skb, VNPU_A_STREAM_STATE, f->state) ||
	    nla_put_u32(skb, VNPU_A_STREAM_CLASS, f->class) ||
	    nla_put_u64_64bit(skb, VNPU_A_STREAM_SUBMITTED, f->submitted,
			      VNPU_A_STREAM_PAD) ||
	    nla_put_u64_64bit(skb, VNPU_A_STREAM_COMPLETED, f->completed,
			      VNPU_A_STREAM_PAD))
		return -EMSGSIZE;
	if (f->ring_state & VNPU_RING_STOPPED &&
	    nla_put_flag(skb, VNPU_A_STREAM_STOPPED))
		return -EMSGSIZE;
	if (f->ring_state & VNPU_RING_BROKEN &&
	    nla_put_flag(skb, VNPU_A_STREAM_BROKEN))
		return -EMSGSIZE;
	if (!f->task_seq)
		return 0;
	if (nla_put_u64_64bit(skb, VNPU_A_STREAM_TASK_SEQ, f->task_seq,
			      VNPU_A_STREAM_PAD) ||
	    nla_put_u32(skb, VNPU_A_STREAM_TASK_OP, f->task_op) ||
	    nla_put_u64_64bit(skb, VNPU_A_STREAM_TASK_TIME, f->task_ns,
			      VNPU_A_STREAM_PAD))
		return -EMSGSIZE;
	return 0;
}

static int vnpu_fill_stream_errors(struct sk_buff *skb,
				   const struct vnpu_stream *stream)
{
	u32 errors = READ_ONCE(stream->errors);

	if (nla_put_u32(skb, VNPU_A_STREAM_ERRORS, errors) ||
	    nla_put_u32(skb, VNPU_A_STREAM_CANCELLED,
			READ_ONCE(stream->cancelled)))
		return -EMSGSIZE;
	if (!errors)
		return 0;
	if (nla_put_u32(skb, VNPU_A_STREAM_ERROR, -READ_ONCE(stream->error)) ||
	    nla_put_u32(skb, VNPU_A_STREAM_ERROR_OP,
			READ_ONCE(stream->error_op)) ||
	    nla_put_u64_64bit(skb, VNPU_A_STREAM_ERROR_SEQ,
			      READ_ONCE(stream->error_seq), VNPU_A_STREAM_PAD))
		return -EMSGSIZE;
	return 0;
}

static int vnpu_fill_stream(struct sk_buff *skb, struct netlink_callback *cb,
			    const struct vnpu_client *client,
			    const struct vnpu_stream *stream)
{
	struct vnpu_stream_stats f;

	vnpu_stream_read(stream, &f);
	if (nla_put_u64_64bit(skb, VNPU_A_STREAM_CLIENT_ID, client->id,
			      VNPU_A_STREAM_PAD) ||
	    nla_put_u32(skb, VNPU_A_STREAM_PID,
			vnpu_nl_visible_pid(cb, client)) ||
	    nla_put_u32(skb, VNPU_A_STREAM_DEV_ID, stream->dev->index) ||
	    nla_put_u64_64bit(skb, VNPU_A_STREAM_ID, stream->id,
			      VNPU_A_STREAM_PAD) ||
	    nla_put_u32(skb, VNPU_A_STREAM_NUMBER, stream->number) ||
	    nla_put_u32(skb, VNPU_A_STREAM_PRIORITY, f.priority) ||
	    nla_put_u64_64bit(skb, VNPU_A_STREAM_BUSY,
			      READ_ONCE(stream->busy_ns), VNPU_A_STREAM_PAD) ||
	    vnpu_fill_stream_state(skb, &f) ||
	    vnpu_fill_stream_errors(skb, stream))
		return -EMSGSIZE;
	return 0;
}

static int vnpu_put_stream(struct sk_buff *skb, struct netlink_callback *cb,
			   const struct vnpu_client *client,
			   const struct vnpu_stream *stream)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				cb->nlh->nlmsg_seq, &vnpu_nl_family, NLM_F_MULTI,
				VNPU_CMD_STREAM_GET);
	int ret;

	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	ret = vnpu_fill_stream(skb, cb, client, stream);
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return ret;
}

/* Dump the client's streams, starting with the id @id. */
static int vnpu_dump_client_streams(struct sk_buff *skb,
				    struct netlink_callback *cb,
				    struct vnpu_client *client,
				    unsigned long *id)
{
	struct vnpu_stream *stream;
	int ret;

	for (; (stream = vnpu_stream_get_next(client, id)); ++*id) {
		ret = vnpu_put_stream(skb, cb, client, stream);
		vnpu_timeline_put(&stream->timeline);
		if (ret)
			return ret;
	}
	return 0;
}

int vnpu_nl_stream_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long at = cb->args[0], id = at, stream = cb->args[1];
	struct vnpu_client *client;
	int ret = 0;

	/* Sequence number 0 would switch the consistency check off. */
	cb->seq = vnpu_clients_generation() + vnpu_streams_generation() ?: 1;
	while (!ret && (client = vnpu_client_get_next(&id))) {
		/* The client at which the last part ended may be gone. */
		if (id != at)
			stream = 0;
		ret = vnpu_dump_client_streams(skb, cb, client, &stream);
		vnpu_client_put(client);
		if (!ret)
			id++;
	}
	cb->args[0] = id;
	cb->args[1] = stream;
	return skb->len ?: ret;
}
