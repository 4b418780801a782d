// SPDX-License-Identifier: MIT
/*
 * Collectives that are captured; capture_batch.c has the messages.
 *
 * All ranks capture the same collectives, each on a stream of its own.  A captured
 * collective has the tasks that its lane would have.  They need addresses and
 * notifies of the other ranks, so the call waits for these; the worker submits the
 * tasks to the captured stream.
 *
 * Each model has notifies of its own, for runs wait for each other without the host.
 * A rank's run waits for the same run of the others, and ends its collectives as they
 * do: no notify is set twice, even if runs follow each other.  In a model, collectives
 * run one after the other, whatever their streams.
 */
#include <stdlib.h>
#include <string.h>

#include "model/model_alive.h"

#include "buffer.h"
#include "capture.h"
#include "remains.h"
#include "worker.h"

bool hccl_is_captured(aclrtStream stream, aclmdlRI *model)
{
	aclmdlRICaptureStatus status;

	*model = NULL;
	if (aclmdlRICaptureGetInfo(stream, &status, model) ||
	    status == ACL_MODEL_RI_CAPTURE_STATUS_NONE)
		return false;
	if (status != ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE)
		*model = NULL;
	return true;
}

HcclResult hccl_capture_wait_make(struct hccl_comm *comm,
				  struct hccl_capture_wait **out)
{
	struct hccl_capture_wait *wait = calloc(1, sizeof(*wait));

	if (!wait)
		return HCCL_E_MEMORY;
	wait->comm = hccl_comm_get(comm);
	if (!wait->comm) {
		free(wait);
		return HCCL_E_PARA;
	}
	*out = wait;
	return HCCL_SUCCESS;
}

HcclResult hccl_capture_wait_end(struct hccl_capture_wait *wait)
{
	struct hccl_comm *comm = wait->comm;
	HcclResult ret;

	pthread_mutex_lock(&comm->lock);
	while (!wait->is_done)
		pthread_cond_wait(&comm->captured, &comm->lock);
	pthread_mutex_unlock(&comm->lock);
	ret = (HcclResult)comm->result;
	free(wait);
	hccl_comm_put(comm);
	return ret;
}

static void wait_free(struct hccl_capture_wait *wait)
{
	hccl_comm_put(wait->comm);
	free(wait);
}

void hccl_capture_wait_drop(struct hccl_capture_wait *wait)
{
	struct hccl_comm *comm = wait->comm;
	bool is_done;

	pthread_mutex_lock(&comm->lock);
	is_done = wait->is_done;
	wait->is_dropped = true;
	pthread_mutex_unlock(&comm->lock);
	if (is_done)
		wait_free(wait);
}

/* The worker never has the last reference: the end of the communicator joins it. */
void hccl_captured(struct hccl_capture_wait *wait)
{
	struct hccl_comm *comm = wait->comm;
	bool is_dropped;

	pthread_mutex_lock(&comm->lock);
	is_dropped = wait->is_dropped;
	wait->is_done = true;
	pthread_cond_broadcast(&comm->captured);
	pthread_mutex_unlock(&comm->lock);
	if (is_dropped)
		wait_free(wait);
}

static void notify_drop(aclrtNotify *notify)
{
	if (*notify)
		aclrtDestroyNotify(*notify);
	*notify = NULL;
}

static void notifies_drop(aclrtNotify notifies[], unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		notify_drop(&notifies[i]);
}

static void line_free(struct hccl_line *line)
{
	notifies_drop(line->to, HCCL_PHASES);
	notifies_drop(line->from, HCCL_PHASES);
	notifies_drop(line->message_to, HCCL_MESSAGE_NOTIFIES);
	notifies_drop(line->message_from, HCCL_MESSAGE_NOTIFIES);
	for (unsigned int i = 0; i < 2 * HCCL_MESSAGE_SLOTS; i++) {
		struct hccl_mark *mark = &line->marks[i / HCCL_MESSAGE_SLOTS]
						     [i % HCCL_MESSAGE_SLOTS];

		if (mark->event)
			aclrtDestroyEvent(mark->event);
	}
}

static void lines_free(struct hccl_graph *graph)
{
	for (unsigned int r = 0; r < graph->nr_lines; r++)
		line_free(&graph->lines[r]);
	free(graph->lines);
	graph->lines = NULL;
	graph->nr_lines = 0;
}

static void graph_free(struct hccl_pool *pool, struct hccl_graph *graph)
{
	lines_free(graph);
	if (graph->last.event)
		aclrtDestroyEvent(graph->last.event);
	hccl_stages_free(pool, &graph->stages);
	hccl_scratch_free(pool, &graph->scratch);
	free(graph);
}

uint64_t hccl_captures_sweep(struct hccl_pool *pool, struct hccl_graph **link)
{
	struct hccl_graph *graph;
	uint64_t bytes = 0;

	while ((graph = *link)) {
		if (vnpu_collective_model_is_alive(graph->model)) {
			link = &graph->next;
			continue;
		}
		*link = graph->next;
		bytes += graph->scratch.bytes + graph->stages.bytes;
		graph_free(pool, graph);
	}
	return bytes;
}

static void sweep(struct hccl_comm *comm)
{
	hccl_region_view(&comm->region, comm->rank)->buffers -=
		hccl_captures_sweep(comm->pool, &comm->graphs);
}

/* The keys of a captured work's notifies between two ranks. */
static char (*keys_of(const struct hccl_comm *comm,
		      const struct hccl_work *work, unsigned int from,
		      unsigned int to))[HCCL_KEY]
{
	const struct hccl_region *region =
		hccl_region_of(comm, from == comm->rank ? to : from);

	return hccl_region_keys(region, from, to) + HCCL_CAPTURE_KEYS +
	       work->number % HCCL_CAPTURE_RING * HCCL_PHASES;
}

static aclError make_notifies(struct hccl_comm *comm, struct hccl_work *work)
{
	aclError ret = ACL_SUCCESS;

	for (unsigned int r = 0; r < comm->ranks; r++) {
		if (r != comm->rank)
			ret = hccl_notifies_make(work->graph->lines[r].from,
				HCCL_PHASES,
				keys_of(comm, work, r, comm->rank));
		if (ret)
			return ret;
	}
	return ACL_SUCCESS;
}

static aclError import_notifies(struct hccl_comm *comm,
				struct hccl_work *work)
{
	aclError ret = ACL_SUCCESS;

	for (unsigned int r = 0; r < comm->ranks; r++) {
		if (r != comm->rank)
			ret = hccl_notifies_import(work->graph->lines[r].to,
				HCCL_PHASES,
				keys_of(comm, work, comm->rank, r));
		if (ret)
			return ret;
	}
	return ACL_SUCCESS;
}

static struct hccl_graph *graph_alloc(struct hccl_comm *comm, aclmdlRI model)
{
	struct hccl_graph *graph = calloc(1, sizeof(*graph));

	if (!graph)
		return NULL;
	graph->lines = calloc(comm->ranks, sizeof(*graph->lines));
	if (!graph->lines) {
		free(graph);
		return NULL;
	}
	graph->nr_lines = comm->ranks;
	graph->model = model;
	graph->stages.count = HCCL_CAPTURE_STAGE(comm->ranks, 0);
	graph->next = comm->graphs;
	comm->graphs = graph;
	vnpu_collective_model_guard(model);
	return graph;
}

/*
 * The next call is usually captured for the same model, so that comes first.  Only a
 * model's first call looks at all others, and makes notifies, which takes longer.
 */
static struct hccl_graph *find(struct hccl_comm *comm, aclmdlRI model)
{
	struct hccl_graph **link = &comm->graphs, *graph;

	while ((graph = *link) && graph->model != model)
		link = &graph->next;
	if (!graph)
		return NULL;
	*link = graph->next;
	graph->next = comm->graphs;
	comm->graphs = graph;
	return graph;
}

aclError hccl_capture_find(struct hccl_comm *comm, struct hccl_work *work)
{
	work->graph = find(comm, work->model);
	if (work->graph)
		return ACL_SUCCESS;
	sweep(comm);
	if (hccl_remains_make(comm))
		work->graph = graph_alloc(comm, work->model);
	return work->graph ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC;
}

aclError hccl_capture_prepare(struct hccl_comm *comm, struct hccl_work *work)
{
	aclError ret = hccl_capture_find(comm, work);

	if (ret || work->graph->number)
		return ret;
	work->graph->number = ++comm->nr_graphs;
	return make_notifies(comm, work);
}

aclError hccl_mark_wait(const struct hccl_mark *mark, aclrtStream stream)
{
	if (!mark->event || mark->stream == stream)
		return ACL_SUCCESS;
	return aclrtStreamWaitEvent(stream, mark->event);
}

aclError hccl_mark_set(struct hccl_mark *mark, aclrtStream stream)
{
	aclError ret = ACL_SUCCESS;

	if (!mark->event)
		ret = aclrtCreateEventExWithFlag(&mark->event, ACL_EVENT_SYNC);
	if (ret)
		return ret;
	mark->stream = stream;
	return aclrtRecordEvent(mark->event, stream);
}

aclError hccl_capture_fuse(struct hccl_comm *comm, aclrtStream stream)
{
	return aclrtMemcpyAsyncWithDesc(comm->fuse,
		ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream);
}

aclError hccl_capture_begin(struct hccl_comm *comm, struct hccl_work *work)
{
	struct hccl_graph *graph = work->graph;
	aclError ret = ACL_SUCCESS;

	if (!graph->is_complete)
		ret = import_notifies(comm, work);
	if (ret)
		return ret;
	graph->is_complete = true;
	return hccl_mark_wait(&graph->last, work->stream);
}

aclError hccl_capture_end(struct hccl_comm *comm, struct hccl_work *work)
{
	aclError ret = hccl_capture_fuse(comm, work->stream);

	return ret ? ret : hccl_mark_set(&work->graph->last, work->stream);
}

bool hccl_captures_have_failed(struct hccl_comm *comm)
{
	/* A work item may still use the objects of its model. */
	if (!hccl_work_next(comm, NULL))
		sweep(comm);
	for (struct hccl_graph *graph = comm->graphs; graph;
	     graph = graph->next)
		if (vnpu_collective_model_has_failed(graph->model))
			return true;
	return false;
}

/* The end of a notify ends the waits for it. */
void hccl_captures_release(struct hccl_comm *comm)
{
	for (struct hccl_graph *graph = comm->graphs; graph;
	     graph = graph->next)
		for (unsigned int r = 0; r < comm->ranks; r++) {
			struct hccl_line *line = &graph->lines[r];

			notifies_drop(line->from, HCCL_PHASES);
			notifies_drop(line->message_from,
				      HCCL_MESSAGE_NOTIFIES);
		}
}

struct hccl_graph *hccl_captures_end(struct hccl_comm *comm)
{
	struct hccl_graph *graphs;

	sweep(comm);
	graphs = comm->graphs;
	comm->graphs = NULL;
	for (struct hccl_graph *graph = graphs; graph; graph = graph->next)
		lines_free(graph);
	return graphs;
}
