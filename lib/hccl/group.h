/* SPDX-License-Identifier: MIT */
/* Groups of calls of a thread, see HcclGroupStart(). */
#ifndef VNPU_HCCL_GROUP_H
#define VNPU_HCCL_GROUP_H

#include "comm.h"

/* The kinds of calls, which a group does not mix. */
enum hccl_group_kind {
	HCCL_GROUP_ANY,		/* a group without calls */
	HCCL_GROUP_COMMUNICATORS,
	HCCL_GROUP_OPERATIONS,
	HCCL_GROUP_MESSAGES,
};

/* Check whether the calling thread has begun a group. */
bool hccl_group_is_open(void);

/**
 * hccl_group_join() - make a call a part of the thread's group, if there is one
 *
 * Return: HCCL_SUCCESS; HCCL_E_NOT_SUPPORT if the group has calls of another kind.
 */
HcclResult hccl_group_join(enum hccl_group_kind kind);

/* Drop the group in a child of fork(), which has no communicators. */
void hccl_group_in_child(void);

/*
 * Create a communicator, at the end of the group if there is one.  It puts the
 * parent of @request in any case.
 */
HcclResult hccl_group_create(const struct hccl_request *request);

/* Send or receive at the end of the group; @item has been checked. */
HcclResult hccl_group_add_message(const HcclSendRecvItem *item, HcclComm comm,
				  aclrtStream stream);

/* Wait for a capture at the end of the group; false if there is no group. */
bool hccl_group_add_capture(struct hccl_capture_wait *wait);

/* Add the end of a communicator to the group. */
HcclResult hccl_group_add_destroy(HcclComm comm);

/* point.c: make a batch of @count messages, at least one. */
HcclResult hccl_batch(const HcclSendRecvItem info[], uint32_t count,
		      HcclComm handle, aclrtStream stream);

#endif /* VNPU_HCCL_GROUP_H */
