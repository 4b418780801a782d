/* SPDX-License-Identifier: MIT */
/*
 * A work item: what the worker of a communicator needs to know of a call.
 */
#ifndef VNPU_HCCL_WORK_H
#define VNPU_HCCL_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl.h"
#include "kind.h"

struct hccl_capture_wait;
struct hccl_graph;

/*
 * The first ticket: close to 2^32, so that every lane soon uses the upper bits.
 */
#define HCCL_TICKET_FIRST	((1ULL << 32) - 3)

/* A copy to memory that can be shared; of 0 bytes if it is not needed. */
struct hccl_stage {
	uint64_t from;
	uint64_t to;
	uint64_t bytes;
};

/* One message of a batch; a single one is a batch of one. */
struct hccl_item {
	bool is_send;
	uint32_t peer;
	unsigned int round;	/* in which it is sent or received */
	uint64_t number;	/* of the messages between the two, from 0 */
	unsigned int slot;	/* of notifies, if it is captured */
	struct hccl_stage stage;	/* likewise */
	void *buf;
	uint64_t count;
	uint32_t type;
};

/**
 * struct hccl_work - a work item: a call of this rank
 * @next: in the list of the communicator
 * @kind: enum hccl_kind
 * @number: of the collective, from 0
 * @lane: index of the lane that runs it
 * @ticket: number of the work in its lane, from HCCL_TICKET_FIRST on
 * @ready: event of the caller's stream: the buffers may be used
 * @end: event of the caller's stream: the stream has passed the call
 * @send: the program's buffer, or NULL
 * @recv: likewise
 * @type: HcclDataType
 * @op: HcclReduceOp
 * @root: a rank
 * @count: elements
 * @parts: as of struct hccl_call, or NULL
 * @recv_parts: counts and offsets of what this rank receives, or NULL
 * @model: the model for which the call is captured, or NULL
 * @stream: the captured stream; NULL without a capture, like the next three
 * @context: context of that stream
 * @wait: the caller's wait until the work item is captured
 * @graph: objects of the model's collectives; NULL until the item is posted
 * @stage: of @send, once the work is posted
 * @items: messages
 * @nr_items: their number
 * @round: the round that is being submitted
 * @rounds: their number
 * @has_begun: the buffers of the round are ready
 * @is_posted: the other ranks can see it
 * @is_submitted: the lane has all of it
 * @is_reported: the log says that it waits
 * @since: when @ready was found complete, in ms; or 0
 */
struct hccl_work {
	struct hccl_work *next;
	enum hccl_kind kind;
	uint64_t number;
	unsigned int lane;
	uint64_t ticket;
	aclrtEvent ready;
	aclrtEvent end;
	void *send;
	void *recv;
	uint32_t type;
	uint32_t op;
	uint32_t root;
	uint64_t count;
	uint64_t *parts;
	uint64_t *recv_parts;
	aclmdlRI model;
	aclrtStream stream;
	aclrtContext context;
	struct hccl_capture_wait *wait;
	struct hccl_graph *graph;
	struct hccl_stage stage;
	struct hccl_item *items;
	unsigned int nr_items;
	unsigned int round;
	unsigned int rounds;
	bool has_begun;
	bool is_posted;
	bool is_submitted;
	bool is_reported;
	uint64_t since;
};

/*
 * batch.c: find the next item of the round, from item @i on, that is sent, or
 * that is received
 */
const struct hccl_item *hccl_item_next(const struct hccl_work *work,
				       unsigned int *i, bool is_send);

#endif /* VNPU_HCCL_WORK_H */
