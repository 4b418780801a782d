/* SPDX-License-Identifier: MIT */
/*
 * The messages between libvnpu and a core, the process that runs kernels.
 *
 * The library starts the core with one end of a socket, of type SOCK_SEQPACKET,
 * as its file descriptor CORE_SOCKET.  Each packet is a struct core_message, then
 * the structure of its type, then text without a terminating zero.  Launches and
 * their ends do not use the socket but the engine file (linux/vnpu_engine.h).
 *
 * The library sends START first, and an IMAGE before the first launch of one of
 * its kernels.  The core sends READY once.  The core sends an EXCEPTION before it
 * completes the launch, so that the library has received it when it sees the
 * failed task.  Its last message is EXIT.
 */
#ifndef VNPU_CORE_PROTOCOL_H
#define VNPU_CORE_PROTOCOL_H

#include <stdint.h>

/* The core's end of the socket. */
#define CORE_SOCKET		3

/* The longest packet, in bytes. */
#define CORE_MESSAGE_MAX	8192

/*
 * Exit statuses of a core.  REPLACE: after an exception, once the launches that
 * ran beside it have ended; the library starts another core for those that wait.
 */
#define CORE_EXIT_DONE		0	/* the client or the engine file ended */
#define CORE_EXIT_START		2	/* it could not start, see READY */
#define CORE_EXIT_REPLACE	3

/* Changes with the meaning of any message. */
#define CORE_PROTOCOL		3

enum core_message_type {
	CORE_START = 1,		/* to the core, with the engine file */
	CORE_IMAGE,		/* to the core, with a memfd */
	CORE_UNLOAD,		/* to the core */
	CORE_READY,		/* from the core */
	CORE_PRINT,		/* from the core */
	CORE_EXCEPTION,		/* from the core */
	CORE_FINDING,		/* from the core: like EXCEPTION; the launch goes on */
	CORE_EXIT,		/* from the core */
};

/**
 * struct core_message - the head of each packet
 * @type: enum core_message_type
 * @length: bytes of the packet after this structure
 */
struct core_message {
	uint32_t type;
	uint32_t length;
};

/* The order in which a core begins blocks. */
#define CORE_ORDER_FORWARD	0U
#define CORE_ORDER_BACKWARD	1U
#define CORE_ORDER_SEEDED	2U

/* Flags of struct core_start. */
#define CORE_START_GDB		(1U << 0)	/* wait for a debugger */
#define CORE_START_RACE		(1U << 1)	/* check kernels for races */

/**
 * struct core_start - START
 * @protocol: CORE_PROTOCOL
 * @flags: CORE_START_*
 * @local: sizes of the memories of a core, by VNPU_LOCAL_* of vnpu/kernel.h
 * @vector_cores: number of vector cores of the device
 * @cube_cores: number of cube cores
 * @workers: number of threads that run blocks; 0 for one per processor
 * @order: CORE_ORDER_*
 * @seed: of CORE_ORDER_SEEDED
 */
struct core_start {
	uint32_t protocol;
	uint32_t flags;
	uint64_t local[8];
	uint32_t vector_cores;
	uint32_t cube_cores;
	uint32_t workers;
	uint32_t order;
	uint64_t seed;
};

/**
 * struct core_image - IMAGE, followed by its name for messages; and UNLOAD
 *
 * The memfd is sealed against writing and shrinking.  An image that is unloaded
 * stays until the launches that use it have ended.
 *
 * @id: chosen by the library, not 0
 * @reserved: 0
 * @size: bytes of the image in the memfd
 */
struct core_image {
	uint32_t id;
	uint32_t reserved;
	uint64_t size;
};

/*
 * vnpu_task.arg0 of a launch: the image, and the index of the kernel in
 * vnpu_image.kernels.  Image 0 is the core itself.  Its kernel 0 runs operators:
 * the arguments are a struct vnpu_op_call, see lib/ops/call.h.  All of its blocks
 * run at a time, and the first one has the index 0.
 */
#define CORE_FUNCTION(image, index)	((uint64_t)(image) << 32 | (index))
#define CORE_OPERATOR			CORE_FUNCTION(0, 0)

/* vnpu_task.arg1: number of blocks, and the index of the first one. */
#define CORE_BLOCKS(count, first)	((uint64_t)(first) << 32 | (count))
#define CORE_BLOCK_COUNT(blocks)	((uint32_t)(blocks))
#define CORE_BLOCK_FIRST(blocks)	((uint32_t)((blocks) >> 32))

/*
 * vnpu_task.arg2: bytes of unified buffer that the kernel manages, and CORE_LIMITS:
 * for each kind of core 0 without a limit, or else CORE_LIMIT() of the most cores
 * that the launch may use at a time, which may be 0.  A limit with
 * CORE_LIMIT_SHARED also holds for all launches together that have one.
 */
#define CORE_ATTRIBUTES(bytes, limits)	((uint64_t)(limits) << 32 | (bytes))
#define CORE_LOCAL_BYTES(attributes)	((uint32_t)(attributes))
#define CORE_LIMITS_OF(attributes)	((uint32_t)((attributes) >> 32))
#define CORE_LIMITS(vector, cube)	((uint32_t)(cube) << 16 | (vector))
#define CORE_LIMIT_VECTOR(limits)	((limits) & 0xffffU)
#define CORE_LIMIT_CUBE(limits)		((limits) >> 16)
#define CORE_LIMIT(cores)		((cores) + 1)
#define CORE_LIMIT_SHARED		0x8000U
/* The most cores; UINT32_MAX without a limit. */
#define CORE_LIMIT_CORES(limit)		(((limit) & ~CORE_LIMIT_SHARED) - 1)

/**
 * struct core_ready - READY, followed by a sentence if the core cannot run
 * @protocol: CORE_PROTOCOL of the core
 * @error: 0 or a positive errno
 */
struct core_ready {
	uint32_t protocol;
	uint32_t error;
};

/**
 * struct core_print - PRINT, followed by the text
 * @stream: id of the stream
 */
struct core_print {
	uint64_t stream;
};

/**
 * struct core_exit - EXIT
 *
 * The core is not a child of the program, which has no other way to get its
 * status.  A core that ends without EXIT got SIGKILL, or ended before it could
 * report.  If there are several, the first one counts.
 *
 * @signal: the signal that ends the core, or 0
 * @status: CORE_EXIT_*, without a signal
 * @address: the address that caused the signal, or 0
 */
struct core_exit {
	uint32_t signal;
	uint32_t status;
	uint64_t address;
};

/* Kinds of exceptions beside VNPU_FAULT_* of vnpu/kernel.h. */
#define CORE_FAULT_ACCESS	64U	/* memory that is not the client's */
#define CORE_FAULT_DEADLOCK	65U	/* all blocks wait */
#define CORE_FAULT_SYSCALL	66U	/* the kernel made a system call */
#define CORE_FAULT_INSTRUCTION	67U	/* an invalid instruction, a division by 0 */
#define CORE_FAULT_STOPPED	68U	/* stopped at the time limit, or cancelled */
#define CORE_FAULT_FUNCTION	69U	/* there is no such kernel */
#define CORE_FAULT_STACK	70U	/* the stack of a block overflowed */

/**
 * struct core_exception - EXCEPTION or FINDING, followed by a sentence
 * @stream: id of the stream
 * @seq: number of the task
 * @function: vnpu_task.arg0
 * @kind: VNPU_FAULT_* or CORE_FAULT_*
 * @block: index of the block
 * @core: VNPU_CORE_VECTOR or VNPU_CORE_CUBE
 * @sub_index: of a vector core in its group
 * @is_write: whether the access was a write
 * @line: line of the source, 0 if it is unknown
 * @address: the address that it failed at, or 0
 * @pc: address of the instruction in the image's file, or 0
 *
 * The sentence is complete: "kernel NAME, block N, address 0x...: what happened
 * (FILE:LINE)"; for an operator it begins with "operator NAME".
 */
struct core_exception {
	uint64_t stream;
	uint64_t seq;
	uint64_t function;
	uint32_t kind;
	uint32_t block;
	uint32_t core;
	uint32_t sub_index;
	uint32_t is_write;
	uint32_t line;
	uint64_t address;
	uint64_t pc;
};

#endif /* VNPU_CORE_PROTOCOL_H */
