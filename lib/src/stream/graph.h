/* SPDX-License-Identifier: MIT */
/*
 * Graphs of the driver, made of captured tasks or of those that run them.
 *
 * The graphs are in a list, so that a stream that ran one can name the task that
 * failed.  The capture lock protects the list.
 */
#ifndef VNPU_LIB_GRAPH_H
#define VNPU_LIB_GRAPH_H

#include <stdint.h>

#include "capture.h"
#include "io/io_graph.h"
#include "io/io_stream.h"
#include "stream.h"

/* The captured tasks that the first tasks of a graph stand for. */
struct vnpu_graph_source {
	const struct vnpu_lane *lane;
	uint32_t first;
	uint32_t count;
};

struct vnpu_graph {
	struct vnpu_graph *next;
	uint32_t id;			/* constant, like the others */
	uint64_t timeline;		/* of the first stream */
	uint64_t step;			/* see struct vnpu_io_new_graph */
	const struct vnpu_capture *capture;	/* or NULL, then: */
	struct vnpu_graph_source source;
	struct vnpu_io_lane *lanes;	/* copies of its own tasks */
	uint32_t nr_lanes;
};

/* Make a graph of the tasks of a capture, which must outlive the graph. */
aclError vnpu_graph_object_create(const struct vnpu_context *context,
				  const struct vnpu_capture *capture,
				  struct vnpu_graph **graph);

/* Make a graph of other tasks, in streams; @source may be NULL. */
aclError vnpu_graph_of_tasks(const struct vnpu_context *context,
			     const struct vnpu_io_lane *lanes, uint32_t count,
			     const struct vnpu_graph_source *source,
			     struct vnpu_graph **graph);

/* Make a graph that runs some tasks and then @inner, which must outlive it. */
aclError vnpu_graph_wrap(const struct vnpu_context *context,
			 const struct vnpu_task *tasks, uint32_t count,
			 const struct vnpu_graph *inner,
			 struct vnpu_graph **graph);

/* Destroy a graph in the driver: 0, -EBUSY if it runs, or another -errno. */
int vnpu_graph_object_destroy(const struct vnpu_graph *graph);

/* Free a graph, before its capture is freed. */
void vnpu_graph_object_free(struct vnpu_graph *graph);

/*
 * Report the failure of a task that runs a graph; ACL_SUCCESS if the graph or
 * its failure is not known any more.
 */
aclError vnpu_graph_report(const struct vnpu_stream *stream,
			   const struct vnpu_io_stream *info);

#endif /* VNPU_LIB_GRAPH_H */
