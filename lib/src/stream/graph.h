/* SPDX-License-Identifier: MIT */
/*
 * Graphs of the driver, made of captured tasks.
 *
 * The graphs are in a list, so that a stream that ran one can name the task that
 * failed.  The capture lock protects the list.
 */
#ifndef VNPU_LIB_GRAPH_H
#define VNPU_LIB_GRAPH_H

#include <stdint.h>

#include "capture.h"
#include "io/io_stream.h"
#include "stream.h"

struct vnpu_graph {
	struct vnpu_graph *next;
	uint32_t id;			/* constant, like the others */
	uint64_t timeline;		/* of the first stream */
	uint64_t step;			/* see struct vnpu_io_new_graph */
	const struct vnpu_capture *capture;
};

/* Make a graph of the tasks of a capture, which stays until the graph ends. */
aclError vnpu_graph_make(const struct vnpu_context *context,
			 const struct vnpu_capture *capture,
			 struct vnpu_graph **graph);

/* Destroy it: 0, -EBUSY if it runs, or -errno. */
int vnpu_graph_unmake(struct vnpu_graph *graph);

/*
 * Report the failure of a task that runs a graph; ACL_SUCCESS if the graph or
 * its failure is not known any more.
 */
aclError vnpu_graph_report(const struct vnpu_stream *stream,
			   const struct vnpu_io_stream *info);

#endif /* VNPU_LIB_GRAPH_H */
