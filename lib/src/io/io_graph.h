/* SPDX-License-Identifier: MIT */
/*
 * The interface to the kernel, continued from io_stream.h: graphs of tasks, see
 * linux/vnpu_graph.h.  All functions return 0 or -errno.
 */
#ifndef VNPU_LIB_IO_GRAPH_H
#define VNPU_LIB_IO_GRAPH_H

#include <stdint.h>

#define VNPU_IO_GRAPH_LANES	128		/* streams of a graph */
#define VNPU_IO_GRAPH_TASKS	(1U << 20)	/* tasks of a graph */

struct vnpu_task;

/* The tasks of a stream of a graph. */
struct vnpu_io_lane {
	const struct vnpu_task *tasks;
	uint32_t count;
};

/* A new graph, or the task that the driver refuses. */
struct vnpu_io_new_graph {
	uint32_t id;
	uint64_t timeline;	/* of the first stream */
	uint64_t step;		/* between the numbers of a task in two runs */
	uint32_t bad_lane;
	uint32_t bad_task;	/* its position, from 1 on; 0 if there is none */
};

/* A run that failed. */
struct vnpu_io_graph_failure {
	uint64_t runs;		/* so far */
	uint32_t error;		/* positive errno; 0 if it is not known */
	uint32_t op;		/* of the first task that failed */
	uint32_t lane;
	uint32_t index;		/* of the task in its stream */
	uint64_t addr;		/* device address, or 0 */
};

/* Make a graph of a device and context. */
int vnpu_io_graph_create(uint32_t device, uint32_t context,
			 const struct vnpu_io_lane *lanes, uint32_t count,
			 struct vnpu_io_new_graph *out);

/* Replace tasks of a stream of a graph. */
int vnpu_io_graph_update(uint32_t id, uint32_t lane, uint32_t first,
			 const struct vnpu_task *tasks, uint32_t count);

/* -EBUSY: it runs. */
int vnpu_io_graph_destroy(uint32_t id);

/* Describe the failed run that is the task @seq of a stream. */
int vnpu_io_graph_query(uint32_t id, uint64_t stream, uint64_t seq,
			struct vnpu_io_graph_failure *out);

#endif /* VNPU_LIB_IO_GRAPH_H */
