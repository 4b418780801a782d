/* SPDX-License-Identifier: MIT */
/*
 * The memory that the ranks of a communicator share: for each rank its calls,
 * the keys of its buffers and notifies, and its state.  Each rank writes only
 * its own part, but another process may break this rule.  So a rank copies what
 * it reads before it checks it, and never reads what it has written itself.
 */
#ifndef VNPU_HCCL_REGION_H
#define VNPU_HCCL_REGION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meet.h"
#include "view.h"

/*
 * Calls in flight: of collectives, by their notifies; of messages from one rank
 * to another; and of both, by their entries here.
 */
#define HCCL_SLOTS		4
#define HCCL_MESSAGE_SLOTS	2
#define HCCL_RING		32
#define HCCL_CAPTURE_RING	2	/* of captured calls, which wait for all ranks */
#define HCCL_MESSAGE_RING	8

/* Notifies from one rank to another. */
enum hccl_signal {
	HCCL_READY,	/* the buffers may be read */
	HCCL_MIDDLE,	/* the first half is done */
	HCCL_STEP,	/* the reader of a step may read */
	HCCL_END,	/* the buffers of the other rank are no longer read */
	HCCL_PHASES,
};

#define HCCL_MESSAGE_NOTIFY	(HCCL_SLOTS * HCCL_PHASES)
#define HCCL_MESSAGE_NOTIFIES	(2 * HCCL_MESSAGE_SLOTS)
#define HCCL_NOTIFIES		(HCCL_MESSAGE_NOTIFY + HCCL_MESSAGE_NOTIFIES)

/* The keys of notifies from one rank to another, as those for captures follow. */
#define HCCL_CAPTURE_KEYS	HCCL_NOTIFIES
#define HCCL_CAPTURE_MESSAGES	(HCCL_CAPTURE_KEYS + \
				 HCCL_CAPTURE_RING * HCCL_PHASES)
#define HCCL_KEYS		(HCCL_CAPTURE_MESSAGES + HCCL_MESSAGE_NOTIFIES)

#define HCCL_KEY		65	/* bytes of a key, with NUL */
#define HCCL_EXPORTS		64	/* memory blocks that a rank shares at a time */

/**
 * struct hccl_ref - a buffer of a rank
 * @va: its address in its own process
 * @offset: in the memory block that is shared
 * @slot: number of the block; a new key with this number replaces the old one
 * @key: of the block; "" if it is not shared
 */
struct hccl_ref {
	uint64_t va;
	uint64_t offset;
	uint32_t slot;
	char key[HCCL_KEY + 3];
};

/**
 * struct hccl_call - what a rank has called
 * @kind: enum hccl_kind
 * @type: HcclDataType
 * @op: HcclReduceOp
 * @root: a rank
 * @algorithm: enum hccl_algorithm
 * @graph: number of the captured model that the call is part of, from 1; or 0
 * @count: elements
 * @send: the buffer that others read
 * @recv: the other one that others read, if any
 * @parts: counts of the parts of @send by rank, then their offsets, in
 *	elements; for gathers those of @recv.  Only for some kinds of
 *	collectives.
 */
struct hccl_call {
	uint32_t kind;
	uint32_t type;
	uint32_t op;
	uint32_t root;
	uint32_t algorithm;
	uint32_t graph;
	uint64_t count;
	struct hccl_ref send;
	struct hccl_ref recv;
	uint64_t parts[];
};

/* The captured messages of one side, its sender or its receiver. */
struct hccl_side {
	_Atomic uint64_t posted;	/* by that side */
	_Atomic uint64_t taken;		/* by the other one */
	struct hccl_call calls[HCCL_MESSAGE_SLOTS];
};

/* The messages that one rank has sent to another one. */
struct hccl_messages {
	_Atomic uint64_t posted;	/* by the sender */
	_Atomic uint64_t taken;		/* by the receiver */
	struct hccl_call calls[HCCL_MESSAGE_RING];
	struct hccl_side captured[2];	/* of the receiver, and of the sender */
};

/* The collectives of a rank, in a ring: those that run, or those that are captured. */
struct hccl_posts {
	_Atomic uint64_t posted;	/* by the rank */
	_Atomic uint64_t taken;		/* of these, it has read all ranks' entries */
};

/**
 * struct hccl_rank - the state of a rank
 * @stage: how far its communicator has been made
 * @posts: collectives that run, then those that are captured
 * @asleep: it has to be woken by this word, see bell.c
 * @left: it has destroyed its communicator
 * @failed: HcclResult; @text has the reason
 * @waits: what its oldest call waits for, see wait.c; 0 if for nothing
 */
struct hccl_rank {
	_Atomic uint32_t stage;
	_Atomic uint32_t asleep;
	_Atomic uint32_t left;
	_Atomic uint32_t failed;
	struct hccl_posts posts[2];
	_Atomic uint64_t waits;
	char text[HCCL_TEXT];
};

/* A mapping of the memory, and where its parts are. */
struct hccl_region {
	unsigned int ranks;
	size_t size;
	size_t call_size;
	char *base;
};

/**
 * hccl_region_create() - make the memory for a number of ranks
 *
 * Return: a file, sealed at its size; or -1.
 */
int hccl_region_create(unsigned int ranks);

/**
 * hccl_region_map() - map the memory
 *
 * Return: HCCL_SUCCESS; HCCL_E_INTERNAL for a file of another size;
 * HCCL_E_MEMORY.
 */
HcclResult hccl_region_map(struct hccl_region *region, int file,
			   unsigned int ranks);

/* Make memory with the same parts for this process alone: HCCL_SUCCESS or HCCL_E_MEMORY. */
HcclResult hccl_region_alloc(struct hccl_region *region, unsigned int ranks);

void hccl_region_unmap(struct hccl_region *region);

/* Get the description of a rank for other programs. */
struct hccl_view *hccl_region_view(const struct hccl_region *region,
				   unsigned int rank);

struct hccl_rank *hccl_region_rank(const struct hccl_region *region,
				   unsigned int rank);

/*
 * The HCCL_KEYS keys of the notifies from @from to @to, which @to has made: first
 * HCCL_NOTIFIES; from HCCL_CAPTURE_KEYS on HCCL_PHASES for each entry of
 * HCCL_CAPTURE_RING; from HCCL_CAPTURE_MESSAGES on HCCL_MESSAGE_NOTIFIES.
 */
char (*hccl_region_keys(const struct hccl_region *region, unsigned int from,
			unsigned int to))[HCCL_KEY];

/* The entry of a collective, in the ring of those that are captured or the other. */
struct hccl_call *hccl_region_call(const struct hccl_region *region,
				   unsigned int rank, bool is_captured,
				   uint64_t number);

struct hccl_messages *hccl_region_messages(const struct hccl_region *region,
					   unsigned int from, unsigned int to);

#endif /* VNPU_HCCL_REGION_H */
