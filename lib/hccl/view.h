/* SPDX-License-Identifier: MIT */
/*
 * The beginning of the memory that the ranks of a communicator share.  vnpu-smi
 * reads it through /proc/PID/fd, without the help of the ranks.  A rank writes
 * its own struct hccl_view only.
 */
#ifndef VNPU_HCCL_VIEW_H
#define VNPU_HCCL_VIEW_H

#include <stdatomic.h>
#include <stdint.h>

#define HCCL_VIEW_FILE	"vnpu-hccl"
#define HCCL_VIEW_MAGIC	0x3277656976636368ULL	/* "hccview2" */
#define HCCL_VIEW_NAME	128
#define HCCL_VIEW_RANKS	128

/* Before the views of the ranks. */
struct hccl_view_head {
	uint64_t magic;
	uint32_t ranks;
	uint32_t reserved;
};

/**
 * struct hccl_view - a rank, for others to see
 * @pid: process id in the namespace of its process; 0 until the rank has joined
 * @device: its physical number
 * @state: enum hccl_view_state
 * @kind: of the oldest operation that is not complete, enum hccl_kind; 0 if none
 * @waits_for: the rank that has not called it yet, plus 1; 0 if none
 * @reserved: 0
 * @since_ms: CLOCK_MONOTONIC when its stream has reached that operation
 * @calls: operations that are complete
 * @bytes: bytes of the results of these, or bytes sent by a rank that gets no
 *	result
 * @buffers: bytes of its communication buffers
 * @name: of the communicator, which may differ among the ranks; ends with NUL
 */
struct hccl_view {
	uint32_t pid;
	uint32_t device;
	_Atomic uint32_t state;
	_Atomic uint32_t kind;
	_Atomic uint32_t waits_for;
	uint32_t reserved;
	_Atomic uint64_t since_ms;
	_Atomic uint64_t calls;
	_Atomic uint64_t bytes;
	_Atomic uint64_t buffers;
	char name[HCCL_VIEW_NAME];
};

enum hccl_view_state { HCCL_VIEW_ON, HCCL_VIEW_FAILED, HCCL_VIEW_LEFT };

#endif /* VNPU_HCCL_VIEW_H */
