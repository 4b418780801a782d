// SPDX-License-Identifier: MIT
/*
 * Messages that are captured.
 *
 * Sender and receiver make their calls while their models are captured.  Each side
 * posts its call, and waits for that of the other one; then both submit tasks to
 * their streams.  A run of the one model meets the same run of the other one.
 *
 * A model has its own notifies for the messages with another rank, which this rank
 * makes before it posts the first of them.  They are used in turn, as those of calls
 * are.  Events of the last uses order messages of different streams.
 */
#include "buffer.h"
#include "capture.h"
#include "comm.h"

static struct hccl_side *side_of(const struct hccl_comm *comm,
				 const struct hccl_item *item, bool of_sender)
{
	return &hccl_messages(comm, item->peer, item->is_send)
		->captured[of_sender];
}

static struct hccl_side *own_side(const struct hccl_comm *comm,
				  const struct hccl_item *item)
{
	return side_of(comm, item, item->is_send);
}

static struct hccl_side *other_side(const struct hccl_comm *comm,
				    const struct hccl_item *item)
{
	return side_of(comm, item, !item->is_send);
}

static unsigned int notify_of(const struct hccl_item *item, bool is_end)
{
	return 2 * item->slot + is_end;
}

/* Whether the other rank has taken all that this one has posted for it. */
static bool is_quiet(const struct hccl_comm *comm, unsigned int rank)
{
	const struct hccl_peer *peer = &comm->peers[rank];

	return hccl_messages(comm, rank, true)->captured[true].taken ==
	       peer->posted[true] &&
	       hccl_messages(comm, rank, false)->captured[false].taken ==
	       peer->posted[false];
}

/*
 * Check whether the entries that this round replaces, and the keys of the
 * previous model, have been read.
 */
static bool has_room(const struct hccl_comm *comm, const struct hccl_work *work)
{
	for (unsigned int i = 0; i < work->nr_items; i++) {
		const struct hccl_item *item = &work->items[i];

		if (item->round != work->round)
			continue;
		if (item->number - own_side(comm, item)->taken >=
		    HCCL_MESSAGE_SLOTS)
			return false;
		if (!work->graph->lines[item->peer].number &&
		    !is_quiet(comm, item->peer))
			return false;
	}
	return true;
}

/* Make the notifies for messages with another rank, before the first one. */
static aclError line_make(struct hccl_comm *comm, struct hccl_work *work,
			  unsigned int rank)
{
	struct hccl_line *line = &work->graph->lines[rank];

	if (line->number)
		return ACL_SUCCESS;
	line->number = ++comm->peers[rank].nr_graphs;
	return hccl_notifies_make(line->message_from, HCCL_MESSAGE_NOTIFIES,
		hccl_region_keys(hccl_region_of(comm, rank), rank, comm->rank) +
		HCCL_CAPTURE_MESSAGES);
}

static aclError post(struct hccl_comm *comm, struct hccl_work *work,
		     struct hccl_item *item)
{
	struct hccl_side *own = own_side(comm, item);
	struct hccl_call *call = &own->calls[item->number % HCCL_MESSAGE_SLOTS];
	struct hccl_line *line = &work->graph->lines[item->peer];
	struct hccl_ref ref = { 0 };
	aclError ret = line_make(comm, work, item->peer);

	item->slot = line->messages[item->is_send]++ % HCCL_MESSAGE_SLOTS;
	if (!ret && item->is_send)
		ret = hccl_buffer_share(comm, item->count ? item->buf : NULL,
			&work->graph->stages,
			HCCL_CAPTURE_STAGE(item->peer, item->slot), &ref,
			&item->stage);
	if (ret)
		return ret;
	call->kind = HCCL_MESSAGE;
	call->type = item->type;
	call->count = item->count;
	call->graph = line->number;
	call->send = ref;
	comm->peers[item->peer].posted[item->is_send] = item->number + 1;
	own->posted = item->number + 1;
	hccl_wake(comm, item->peer);
	return ACL_SUCCESS;
}

static aclError round_post(struct hccl_comm *comm, struct hccl_work *work)
{
	aclError ret = ACL_SUCCESS;

	for (unsigned int i = 0; !ret && i < work->nr_items; i++)
		if (work->items[i].round == work->round)
			ret = post(comm, work, &work->items[i]);
	work->is_posted = true;
	work->has_begun = true;
	return ret;
}

static bool all_posted(struct hccl_comm *comm, const struct hccl_work *work)
{
	bool all = true;

	for (unsigned int i = 0; i < work->nr_items && !comm->result; i++) {
		const struct hccl_item *item = &work->items[i];

		if (item->round == work->round)
			all &= hccl_has_posted(comm, item->peer,
				&other_side(comm, item)->posted, item->number,
				item->is_send ? "HcclSend" : "HcclRecv");
	}
	return all && !comm->result;
}

/* Read the other side's call; that side may then continue. */
static aclError take(struct hccl_comm *comm, struct hccl_work *work,
		     const struct hccl_item *item, struct hccl_call *call)
{
	struct hccl_side *other = other_side(comm, item);
	struct hccl_line *line = &work->graph->lines[item->peer];
	aclError ret = ACL_SUCCESS;

	*call = other->calls[item->number % HCCL_MESSAGE_SLOTS];
	if (!line->is_imported)
		ret = hccl_notifies_import(line->message_to,
			HCCL_MESSAGE_NOTIFIES,
			hccl_region_keys(hccl_region_of(comm, item->peer),
					 comm->rank, item->peer) +
			HCCL_CAPTURE_MESSAGES);
	line->is_imported = !ret;
	other->taken = item->number + 1;
	hccl_wake(comm, item->peer);
	if (!ret && call->graph != line->number)
		hccl_fail(comm, HCCL_E_PARA,
			  "the captured model differs: it is the model number %u of rank %u that has messages with rank %u, but number %u there",
			  line->number, comm->rank, item->peer, call->graph);
	return ret;
}

/* No run waits for another rank for longer than an operation may take. */
static aclError wait(struct hccl_comm *comm, const struct hccl_work *work,
		     const struct hccl_item *item, bool is_end)
{
	return aclrtWaitAndResetNotify(
		work->graph->lines[item->peer].message_from[
			notify_of(item, is_end)],
		work->stream, (uint32_t)(comm->execute_ms / 1000));
}

static aclError set(const struct hccl_work *work, const struct hccl_item *item,
		    bool is_end)
{
	return aclrtRecordNotify(work->graph->lines[item->peer].message_to[
					 notify_of(item, is_end)],
				 work->stream);
}

static struct hccl_mark *mark_of(const struct hccl_work *work,
				 const struct hccl_item *item)
{
	return &work->graph->lines[item->peer].marks[item->is_send][item->slot];
}

static aclError send(struct hccl_comm *comm, struct hccl_work *work,
		     const struct hccl_item *item)
{
	struct hccl_call call;
	aclError ret = take(comm, work, item, &call);

	if (!ret)
		ret = hccl_mark_wait(mark_of(work, item), work->stream);
	if (!ret)
		ret = hccl_copy(work->stream, item->stage.to, item->stage.from,
				item->stage.bytes);
	return ret ? ret : set(work, item, false);
}

static aclError receive(struct hccl_comm *comm, struct hccl_work *work,
			const struct hccl_item *item)
{
	struct hccl_call call;
	aclError ret = take(comm, work, item, &call);
	struct hccl_span span;
	uint64_t from;

	if (ret || !hccl_item_matches(comm, item, &call))
		return ret;
	ret = hccl_mark_wait(mark_of(work, item), work->stream);
	if (!ret)
		ret = wait(comm, work, item, false);
	if (!ret)
		ret = hccl_buffer_find(comm, item->peer, &call.send, true,
				       &span);
	if (!ret)
		ret = hccl_span_at(comm, &span, 0, item->count,
				   hccl_type_size(item->type), &from);
	if (!ret)
		ret = hccl_copy(work->stream, (uintptr_t)item->buf, from,
				item->count * hccl_type_size(item->type));
	if (!ret)
		ret = set(work, item, true);
	return ret ? ret : hccl_mark_set(mark_of(work, item), work->stream);
}

static aclError wait_sent(struct hccl_comm *comm, struct hccl_work *work,
			  const struct hccl_item *item)
{
	aclError ret = wait(comm, work, item, true);

	return ret ? ret : hccl_mark_set(mark_of(work, item), work->stream);
}

static aclError each(struct hccl_comm *comm, struct hccl_work *work,
		     bool is_send,
		     aclError (*fn)(struct hccl_comm *comm,
				    struct hccl_work *work,
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

/* Streams are used in their own context. */
static aclError round_submit(struct hccl_comm *comm, struct hccl_work *work)
{
	aclError ret = aclrtSetCurrentContext(work->context);

	if (!ret)
		ret = each(comm, work, true, send);
	if (!ret)
		ret = each(comm, work, false, receive);
	if (!ret)
		ret = each(comm, work, true, wait_sent);
	work->has_begun = false;
	if (!ret && ++work->round == work->rounds) {
		ret = hccl_capture_fuse(comm, work->stream);
		work->is_submitted = !ret;
	}
	aclrtSetCurrentContext(comm->context);
	return ret;
}

bool hccl_captured_messages_advance(struct hccl_comm *comm,
				    struct hccl_work *work)
{
	bool had_begun = work->has_begun;
	aclError ret = work->graph ? ACL_SUCCESS : hccl_capture_find(comm, work);

	if (!ret && !work->has_begun) {
		if (!has_room(comm, work))
			return false;
		ret = round_post(comm, work);
	}
	if (!ret && !all_posted(comm, work))
		return !had_begun && !comm->result;
	if (!ret)
		ret = round_submit(comm, work);
	return !hccl_runtime_failed(comm, ret, "capturing a message") &&
	       !comm->result;
}
