// SPDX-License-Identifier: MIT
/*
 * The calls of messages between two ranks.  All are batches, a single message and
 * the messages of a group, too.
 */
#include <stdlib.h>

#include "buffer.h"
#include "call.h"
#include "group.h"

static HcclResult item_check(const struct hccl_comm *comm,
			     const struct hccl_item *item)
{
	if (item->peer >= comm->ranks || !hccl_type_size(item->type))
		return HCCL_E_PARA;
	return hccl_check_buffer(comm, item->buf, item->count, item->type);
}

/* A round has no more messages from one rank to another than there are slots. */
static unsigned int cut_rounds(struct hccl_item items[], unsigned int count)
{
	unsigned int used[2][HCCL_RANKS_MAX] = { 0 };
	unsigned int rounds = 0;

	for (unsigned int i = 0; i < count; i++) {
		struct hccl_item *item = &items[i];

		item->round = used[item->is_send][item->peer]++ /
			      HCCL_MESSAGE_SLOTS;
		if (item->round >= rounds)
			rounds = item->round + 1;
	}
	return rounds;
}

static HcclResult read_items(const struct hccl_comm *comm,
			     const HcclSendRecvItem info[], uint32_t count,
			     struct hccl_item items[])
{
	for (uint32_t i = 0; i < count; i++) {
		HcclResult ret;

		if ((unsigned int)info[i].sendRecvType > HCCL_RECV)
			return HCCL_E_PARA;
		items[i] = (struct hccl_item){
			.is_send = info[i].sendRecvType == HCCL_SEND,
			.peer = info[i].remoteRank,
			.buf = info[i].buf,
			.count = info[i].count,
			.type = info[i].dataType,
		};
		ret = item_check(comm, &items[i]);
		if (ret)
			return ret;
	}
	return HCCL_SUCCESS;
}

/* The next item from @i on that the rank sends to itself, or receives so. */
static const struct hccl_item *next_own(const struct hccl_comm *comm,
					const struct hccl_work *work,
					bool is_send, unsigned int *i)
{
	while (*i < work->nr_items) {
		const struct hccl_item *item = &work->items[(*i)++];

		if (item->peer == comm->rank && item->is_send == is_send)
			return item;
	}
	return NULL;
}

/*
 * A message of a rank to itself has to be received in the same batch.  The stream
 * copies it, unless this is only the check.
 */
static HcclResult copy_own(const struct hccl_comm *comm,
			   const struct hccl_work *work, bool is_check,
			   aclrtStream stream)
{
	unsigned int sent = 0, received = 0;

	for (;;) {
		const struct hccl_item *from, *to;

		from = next_own(comm, work, true, &sent);
		to = next_own(comm, work, false, &received);
		if (!from && !to)
			return HCCL_SUCCESS;
		if (!from || !to || from->count != to->count ||
		    from->type != to->type)
			return HCCL_E_PARA;
		if (!is_check && hccl_copy(stream, (uintptr_t)to->buf,
					   (uintptr_t)from->buf, to->count *
					   hccl_type_size(to->type)))
			return HCCL_E_RUNTIME;
	}
}

static void drop_own(const struct hccl_comm *comm, struct hccl_work *work)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < work->nr_items; i++)
		if (work->items[i].peer != comm->rank)
			work->items[count++] = work->items[i];
	work->nr_items = count;
}

HcclResult hccl_batch(const HcclSendRecvItem info[], uint32_t count,
		      HcclComm handle, aclrtStream stream)
{
	struct hccl_work work = { .kind = HCCL_MESSAGE, .nr_items = count };
	struct hccl_comm *comm;
	HcclResult ret = hccl_call_begin_message(handle, &comm);

	if (ret)
		return ret;
	work.items = calloc(count, sizeof(*work.items));
	ret = work.items ? read_items(comm, info, count, work.items) :
			   HCCL_E_MEMORY;
	if (!ret)
		ret = copy_own(comm, &work, true, stream);
	if (!ret)
		ret = copy_own(comm, &work, false, stream);
	if (!ret)
		drop_own(comm, &work);
	if (!ret && !work.nr_items) {
		free(work.items);
		hccl_comm_put(comm);
		return HCCL_SUCCESS;
	}
	if (!ret)
		work.rounds = cut_rounds(work.items, work.nr_items);
	return hccl_call_end(comm, ret, &work, stream);
}

HcclResult HcclBatchSendRecv(HcclSendRecvItem *sendRecvInfo, uint32_t itemNum,
			     HcclComm comm, aclrtStream stream)
{
	if (!sendRecvInfo)
		return HCCL_E_PTR;
	if (!itemNum)
		return HCCL_E_PARA;
	if (hccl_group_is_open())
		return HCCL_E_NOT_SUPPORT;
	return hccl_batch(sendRecvInfo, itemNum, comm, stream);
}

/* In a group, the message only has to be correct by itself. */
static HcclResult message(const HcclSendRecvItem *info, HcclComm handle,
			  aclrtStream stream)
{
	struct hccl_comm *comm;
	struct hccl_item item;
	HcclResult ret;

	if (!hccl_group_is_open())
		return hccl_batch(info, 1, handle, stream);
	ret = hccl_call_begin_message(handle, &comm);
	if (ret)
		return ret;
	ret = read_items(comm, info, 1, &item);
	hccl_comm_put(comm);
	return ret ? ret : hccl_group_add_message(info, handle, stream);
}

HcclResult HcclSend(void *sendBuf, uint64_t count, HcclDataType dataType,
		    uint32_t destRank, HcclComm comm, aclrtStream stream)
{
	const HcclSendRecvItem item = {
		.sendRecvType = HCCL_SEND,
		.buf = sendBuf,
		.count = count,
		.dataType = dataType,
		.remoteRank = destRank,
	};

	return message(&item, comm, stream);
}

HcclResult HcclRecv(void *recvBuf, uint64_t count, HcclDataType dataType,
		    uint32_t srcRank, HcclComm comm, aclrtStream stream)
{
	const HcclSendRecvItem item = {
		.sendRecvType = HCCL_RECV,
		.buf = recvBuf,
		.count = count,
		.dataType = dataType,
		.remoteRank = srcRank,
	};

	return message(&item, comm, stream);
}
