/* SPDX-License-Identifier: MIT */
/*
 * The state of the checkers that "vnpu-cc -fcheck=" compiles in: what happened to
 * each data block of the unified buffer, and what each pipe knows about the others.
 *
 * Pipes work beside each other on a card.  Here each instruction has a number on its
 * pipe, and each pipe a clock: for each other pipe the last instruction that is
 * known to be complete.  Flags, barriers and queues carry clocks from pipe to
 * pipe.  check.h has the rules.
 */
#ifndef VNPU_CHECK_SHADOW_H
#define VNPU_CHECK_SHADOW_H

#include "copies.h"

/* Checkers, as bits of VNPU_CHECK. */
#define VNPU_CHECK_BOUNDS	1	/* operands that leave their buffer */
#define VNPU_CHECK_SYNC		2	/* pipes that do not wait for each other */
#define VNPU_CHECK_INIT		4	/* reads of memory that was never written */
#define VNPU_CHECK_QUEUE	8	/* tensors that belong to a queue at the time */
#define VNPU_CHECK_LATE		16	/* execute copies late; late.h */

#ifndef VNPU_CHECK
#define VNPU_CHECK		0
#endif

namespace vnpu {

struct buffer;

/* The pipes that scalar code and copies run on, as pipe_t has them. */
enum : uint32_t {
	CHECK_S = 0, CHECK_V = 1, CHECK_MTE2 = 4, CHECK_MTE3 = 5,
};

constexpr uint32_t CHECK_PIPES = 11;
constexpr uint32_t CHECK_EVENTS = 8;
constexpr uint32_t CHECK_BLOCKS = 256 * 1024 / 32;
constexpr uint32_t CHECK_OWNERS = 256;
/* More reports of a block of a launch repeat the first ones. */
constexpr uint32_t CHECK_REPORTS = 8;
/* Copies of a pipe that are recorded at a time. */
constexpr uint32_t LATE_COPIES = 64;

/* For each pipe the last instruction that is known to be complete. */
struct clock {
	uint32_t at[CHECK_PIPES];
};

/* A data block of the unified buffer. */
struct shadow_block {
	uint32_t write;		/* the last instruction that wrote it */
	uint32_t read_v;	/* ... that read it, on PIPE_V */
	uint32_t read_mte3;	/* ... on PIPE_MTE3 */
	uint8_t writer;		/* its pipe plus 1; 0 before the first write */
	uint8_t owner;		/* index of the buffer; 0 outside of all */
};

/* A buffer of InitBuffer(). */
struct shadow_owner {
	const struct buffer *buffer;	/* of a queue, else NULL */
	uint32_t offset;
	uint32_t bytes;
};

/* Copies of a pipe that are not executed yet, and their numbers on the pipe. */
struct late_queue {
	struct {
		struct copy copy;
		uint32_t number;
	} at[LATE_COPIES];
	uint32_t head;
	uint32_t count;
};

struct late {
	struct late_queue queues[2];	/* of MTE2 and of MTE3 */
	uint32_t last;			/* the pipe of the last copy */
	/* Data blocks before the first write that MTE3 or S does not know of. */
	uint8_t former[CHECK_BLOCKS][32];
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
