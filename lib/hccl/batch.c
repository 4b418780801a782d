// SPDX-License-Identifier: MIT
/*
 * Messages between two ranks.  The sender posts its buffer and sets READY, the
 * receiver copies and sets END.
 *
 * A batch is cut into rounds in which no more messages go from one rank to another
 * than there are notifies.  A round first makes all its buffers ready, then
 * receives, and then waits until its own were received: therefore two ranks that
 * send to each other do not wait for each other.
 */
#include <string.h>

#include "buffer.h"
#include "comm.h"

static unsigned int notify_of(const struct hccl_item *item, bool is_end)
{
	return HCCL_MESSAGE_NOTIFY +
	       2 * (unsigned int)(item->number % HCCL_MESSAGE_SLOTS) + is_end;
}

static struct hccl_turn *turn_of(struct hccl_comm *comm,
				 const struct hccl_item *item)
{
	struct hccl_peer *peer = &comm->peers[item->peer];
	unsigned int slot = item->number % HCCL_MESSAGE_SLOTS;

	return item->is_send ? &peer->send_turn[slot] : &peer->recv_turn[slot];
}

const struct hccl_item *hccl_item_next(const struct hccl_work *work,
				       unsigned int *i, bool is_send)
{
	for (; *i < work->nr_items; ++*i) {
		const struct hccl_item *item = &work->items[*i];

		if (item->round == work->round && item->is_send == is_send) {
			++*i;
			return item;
		}
	}
	return NULL;
}

/*
 * Check whether the entries that this round's messages replace have been read.
 */
static bool has_room(const struct hccl_comm *comm, const struct hccl_work *work)
{
	const struct hccl_item *item;
	unsigned int i = 0;

	while ((item = hccl_item_next(work, &i, true)))
		if (item->number - hccl_messages(comm, item->peer, true)->taken >=
		    HCCL_MESSAGE_RING)
			return false;
	return true;
}

static aclError send(struct hccl_comm *comm, const struct hccl_work *work,
		     const struct hccl_item *item)
{
	struct hccl_messages *messages =
		hccl_messages(comm, item->peer, true);
	struct hccl_call *call =
		&messages->calls[item->number % HCCL_MESSAGE_RING];
	aclrtStream stream = comm->lanes[work->lane].stream;
	struct hccl_stage stage;
	struct hccl_ref ref;
	aclError ret = hccl_buffer_share(comm, item->count ? item->buf : NULL,
					 &comm->stages,
		HCCL_STAGE_OF_MESSAGE(item->peer, item->number), &ref, &stage);

	if (ret)
		return ret;
	call->kind = HCCL_MESSAGE;
	call->type = item->type;
	call->count = item->count;
	call->send = ref;
	messages->posted = item->number + 1;
	hccl_wake(comm, item->peer);
	ret = hccl_turn_wait(comm, turn_of(comm, item), work->lane);
	if (!ret)
		ret = hccl_copy(stream, stage.to, stage.from, stage.bytes);
	return ret ? ret : aclrtRecordNotify(
		comm->peers[item->peer].to[notify_of(item, false)], stream);
}

bool hccl_item_matches(struct hccl_comm *comm, const struct hccl_item *item,
		       const struct hccl_call *sent)
{
	if (sent->type == item->type && sent->count == item->count)
		return true;
	hccl_fail(comm, HCCL_E_PARA,
		  "rank %u receives %llu elements of %s, but rank %u sends %llu of %s",
		  comm->rank, (unsigned long long)item->count,
		  hccl_type_name(item->type), item->peer,
		  (unsigned long long)sent->count, hccl_type_name(sent->type));
	return false;
}

static aclError receive(struct hccl_comm *comm, const struct hccl_work *work,
			const struct hccl_item *item)
{
	struct hccl_peer *peer = &comm->peers[item->peer];
	struct hccl_messages *messages =
		hccl_messages(comm, item->peer, false);
	struct hccl_call call = messages->calls[item->number %
						HCCL_MESSAGE_RING];
	aclrtStream stream = comm->lanes[work->lane].stream;
	struct hccl_span span;
	uint64_t from;
	aclError ret;

	messages->taken = item->number + 1;
	/* The sender may be waiting for room for a round. */
	if (messages->posted + HCCL_MESSAGE_SLOTS >=
	    item->number + HCCL_MESSAGE_RING)
		hccl_wake(comm, item->peer);
	if (!hccl_item_matches(comm, item, &call))
		return ACL_SUCCESS;
	ret = hccl_turn_wait(comm, turn_of(comm, item), work->lane);
	if (!ret)
		ret = aclrtWaitAndResetNotify(
			peer->from[notify_of(item, false)], stream, 0);
	if (!ret)
		ret = hccl_buffer_find(comm, item->peer, &call.send, false,
				       &span);
	if (!ret)
		ret = hccl_span_at(comm, &span, 0, item->count,
				   hccl_type_size(item->type), &from);
	if (!ret)
		ret = hccl_copy(stream, (uintptr_t)item->buf, from,
				item->count * hccl_type_size(item->type));
	if (!ret)
		ret = aclrtRecordNotify(peer->to[notify_of(item, true)],
					stream);
	return ret ? ret : hccl_turn_end(comm, turn_of(comm, item),
					 work->lane);
}

static aclError wait_sent(struct hccl_comm *comm, const struct hccl_work *work,
			  const struct hccl_item *item)
{
	aclError ret = aclrtWaitAndResetNotify(
		comm->peers[item->peer].from[notify_of(item, true)],
		comm->lanes[work->lane].stream, 0);

	return ret ? ret : hccl_turn_end(comm, turn_of(comm, item),
					 work->lane);
}

/* Do the same with all messages of the round in one direction. */
static aclError each(struct hccl_comm *comm, const struct hccl_work *work,
		     bool is_send,
		     aclError (*fn)(struct hccl_comm *comm,
				    const struct hccl_work *work,
				    const struct hccl_item *item))
{
	const struct hccl_item *item;
	unsigned int i = 0;
	aclError ret = ACL_SUCCESS;

	while (!ret && !comm->result &&
	       (item = hccl_item_next(work, &i, is_send)))
		ret = fn(comm, work, item);
	return ret;
}

static aclError round_begin(struct hccl_comm *comm, struct hccl_work *work)
{
	aclError ret = ACL_SUCCESS;

	if (!work->is_posted)
		ret = hccl_lane_begin(comm, work);
	work->is_posted = true;
	work->has_begun = true;
	return ret ? ret : each(comm, work, true, send);
}

static bool all_sent(struct hccl_comm *comm, const struct hccl_work *work)
{
	const struct hccl_item *item;
	unsigned int i = 0;

	while ((item = hccl_item_next(work, &i, false)))
		if (!hccl_has_posted(comm, item->peer,
				&hccl_messages(comm, item->peer, false)->posted,
				item->number, "HcclRecv"))
			return false;
	return true;
}

/* A receiver of this round may leave before it has received. */
static bool all_alive(struct hccl_comm *comm, const struct hccl_work *work)
{
	const struct hccl_item *item;
	unsigned int i = 0;

	while ((item = hccl_item_next(work, &i, true)))
		hccl_has_posted(comm, item->peer,
				&hccl_messages(comm, item->peer, true)->taken,
				item->number, "HcclSend");
	return !comm->result;
}

static aclError round_finish(struct hccl_comm *comm, struct hccl_work *work)
{
	aclError ret = each(comm, work, false, receive);

	if (!ret)
		ret = each(comm, work, true, wait_sent);
	work->has_begun = false;
	/* After a failure the lane's count stays at its end. */
	if (!ret && !comm->result && ++work->round == work->rounds) {
		ret = hccl_lane_end(comm, work);
		work->is_submitted = !ret;
	}
	return ret;
}

bool hccl_messages_advance(struct hccl_comm *comm, struct hccl_work *work)
{
	bool had_begun = work->has_begun;
	aclError ret = ACL_SUCCESS;

	if (!work->has_begun) {
		if (!has_room(comm, work))
			return false;
		ret = round_begin(comm, work);
	}
	if (!ret && (!all_alive(comm, work) || !all_sent(comm, work)))
		return !had_begun && !comm->result;
	if (!ret)
		ret = round_finish(comm, work);
	return !hccl_runtime_failed(comm, ret, "a message") && !comm->result;
}
