/* SPDX-License-Identifier: MIT */
/*
 * The state of the checkers that "vnpu-cc -fcheck=" compiles in: what happened to
 * each data block of a core's memories, and what each pipe knows about the others.
 *
 * Pipes work beside each other on a card.  Here each instruction has a number on its
 * pipe, and each pipe a clock: for each other pipe the last instruction that is
 * known to be complete.  Flags, barriers and queues carry clocks from pipe to
 * pipe.  check.h has the rules.
 */
#ifndef VNPU_CHECK_SHADOW_H
#define VNPU_CHECK_SHADOW_H

#include "../vnpu/kernel.h"

/* Checkers, as bits of VNPU_CHECK. */
#define VNPU_CHECK_BOUNDS	1	/* operands that leave their buffer */
#define VNPU_CHECK_SYNC		2	/* pipes that do not wait for each other */
#define VNPU_CHECK_INIT		4	/* reads of memory that was never written */
#define VNPU_CHECK_QUEUE	8	/* tensors that belong to a queue at the time */
#define VNPU_CHECK_LATE		16	/* execute instructions late; late.h */

#ifndef VNPU_CHECK
#define VNPU_CHECK		0
#endif

namespace vnpu {

struct buffer;

/* The pipes of instructions, as pipe_t has them. */
enum : uint32_t {
	CHECK_S = 0, CHECK_V = 1, CHECK_M = 2, CHECK_MTE1 = 3, CHECK_MTE2 = 4,
	CHECK_MTE3 = 5, CHECK_FIX = 10,
};

constexpr uint32_t CHECK_PIPES = 11;
constexpr uint32_t CHECK_EVENTS = 8;

/*
 * The largest size of each memory, in KiB.  Vector cores use the unified buffer
 * only, so their images have no record of the others.
 */
#ifdef __DAV_C220_CUBE__
constexpr uint32_t CHECK_KIB[VNPU_LOCAL_COUNT] = {
	256, 1024, 64, 64, 256, 4, 8,
};
#else
constexpr uint32_t CHECK_KIB[VNPU_LOCAL_COUNT] = { 256 };
#endif

constexpr uint32_t CHECK_BLOCK = 32;		/* bytes of a data block */

constexpr uint32_t check_blocks_of(uint32_t local)
{
	return CHECK_KIB[local] * 1024 / CHECK_BLOCK;
}

/* The data blocks of memories before this one. */
constexpr uint32_t check_first(uint32_t local)
{
	return local ? check_first(local - 1) + check_blocks_of(local - 1) : 0;
}

constexpr uint32_t CHECK_BLOCKS = check_first(VNPU_LOCAL_COUNT);
constexpr uint32_t CHECK_UB_BLOCKS = check_blocks_of(VNPU_LOCAL_UB);
constexpr uint32_t CHECK_OWNERS = 256;
/* More reports of a block of a launch repeat the first ones. */
constexpr uint32_t CHECK_REPORTS = 8;
/* Instructions of a pipe that are recorded at a time, and the bytes of each. */
constexpr uint32_t LATE_INSTRUCTIONS = 64;
constexpr uint32_t LATE_BYTES = 192;
/* The checker records the instructions of M, MTE1, MTE2, MTE3 and FIX. */
constexpr uint32_t LATE_PIPES = 5;

/* For each pipe the last instruction that is known to be complete. */
struct clock {
	uint32_t at[CHECK_PIPES];
};

/*
 * A data block of a memory.  One pipe reads most of what is in a memory, and its
 * reads have their own place.  Those of other pipes share one.
 */
struct shadow_block {
	uint32_t write;		/* the last instruction that wrote it */
	uint32_t read;		/* ... that read it, on the pipe for that */
	uint32_t other_read;	/* ... on another pipe */
	uint8_t writer;		/* its pipe plus 1; 0 before the first write */
	uint8_t other;		/* that other pipe plus 1; 0 if none read it */
	uint8_t owner;		/* index of the buffer; 0 outside of all */
};

/* A buffer of InitBuffer(). */
struct shadow_owner {
	const struct buffer *buffer;	/* of a queue, else NULL */
	uint32_t offset;		/* in its memory */
	uint32_t bytes;
};

/* An instruction that is not executed yet: a function object, and its number. */
struct late_instruction {
	void (*execute)(const void *data);
	alignas(8) uint8_t data[LATE_BYTES];
	uint32_t number;		/* on its pipe */
};

/* Those of a pipe. */
struct late_queue {
	struct late_instruction at[LATE_INSTRUCTIONS];
	uint32_t head;
	uint32_t count;
	uint32_t last;			/* when the last one was issued */
};

struct late {
	struct late_queue queues[LATE_PIPES];
	uint32_t issued;		/* instructions of all pipes */
	/* Data blocks before the first write that MTE3 or S does not know of. */
	uint8_t former[CHECK_UB_BLOCKS][32];
};

struct shadow {
	struct clock pipes[CHECK_PIPES];
	struct clock crossed;		/* of pipes that set flags of other cores */
	struct clock flags[CHECK_PIPES][CHECK_PIPES][CHECK_EVENTS];
	struct shadow_owner owners[CHECK_OWNERS];
	struct shadow_block blocks[CHECK_BLOCKS];
	uint32_t owner_count;
	uint32_t reports;
#if VNPU_CHECK & VNPU_CHECK_LATE
	struct late late;
#endif
};

} /* namespace vnpu */

#endif /* VNPU_CHECK_SHADOW_H */
