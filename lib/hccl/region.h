/* SPDX-License-Identifier: MIT */
/*
 * The memory that the ranks of a communicator share: what each has called, the
 * keys of its buffers and notifies, and its state.  Each rank writes only its own
 * part, and copies what it reads before it checks it.
 */
#ifndef VNPU_HCCL_REGION_H
#define VNPU_HCCL_REGION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "meet.h"

/*
 * Calls in flight: of collectives, by their notifies; of messages from one rank
 * to another; and of both, by their entries here.
 */
#define HCCL_SLOTS		4
#define HCCL_MESSAGE_SLOTS	2
#define HCCL_RING		32
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
#define HCCL_NOTIFIES		(HCCL_MESSAGE_NOTIFY + 2 * HCCL_MESSAGE_SLOTS)

#define HCCL_KEY		65	/* bytes of a key, with NUL */
#define HCCL_EXPORTS		64	/* memory blocks that a rank shares at a time */

/**
 * struct hccl_ref - a buffer of a rank
 * @va: its address in its own process
 * @offset: in the memory block that is shared
 * @slot: number of the block; a new key under this number replaces an old one
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
 * @count: elements
 * @send: the buffer that others read
 * @recv: the other one that others read, if any
 * @parts: counts of the parts of @send by rank, then their offsets, in elements, of
 *	gathers those of the parts of @recv; only in entries of collectives, and
 *	only of some kinds
 */
struct hccl_call {
	uint32_t kind;
	uint32_t type;
	uint32_t op;
	uint32_t root;
	uint32_t algorithm;
	uint64_t count;
	struct hccl_ref send;
	struct hccl_ref recv;
	uint64_t parts[];
};

/* The messages that one rank has sent to another one. */
struct hccl_messages {
	_Atomic uint64_t posted;	/* by the sender */
	_Atomic uint64_t taken;		/* by the receiver */
	struct hccl_call calls[HCCL_MESSAGE_RING];
};

/**
 * struct hccl_rank - the state of a rank
 * @stage: how far its communicator has been made
 * @posted: collectives that it has posted
 * @taken: collectives whose entries it has read, of all ranks
 * @asleep: it has to be woken by its bell
 * @left: it has destroyed its communicator
 * @failed: HcclResult; @text has the reason
 * @waits: what its oldest call waits for, see wait.c; 0 if for nothing
 */
struct hccl_rank {
	_Atomic uint32_t stage;
	_Atomic uint32_t asleep;
	_Atomic uint32_t left;
	_Atomic uint32_t failed;
	_Atomic uint64_t posted;
	_Atomic uint64_t taken;
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
void hccl_region_unmap(struct hccl_region *region);

struct hccl_rank *hccl_region_rank(const struct hccl_region *region,
				   unsigned int rank);

/* The keys of the notifies from @from to @to, which @to has made. */
char (*hccl_region_keys(const struct hccl_region *region, unsigned int from,
			unsigned int to))[HCCL_KEY];

struct hccl_call *hccl_region_call(const struct hccl_region *region,
				   unsigned int rank, uint64_t number);

struct hccl_messages *hccl_region_messages(const struct hccl_region *region,
					   unsigned int from, unsigned int to);

#endif /* VNPU_HCCL_REGION_H */
