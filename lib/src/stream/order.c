// SPDX-License-Identifier: MIT
/*
 * The order between streams, see order.h.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/fork.h"
#include "base/tree.h"
#include "base/util.h"
#include "order.h"

struct note {
	struct vnpu_tree_node by_pair;	/* {waiter, timeline} */
	struct vnpu_tree_node by_other;	/* {timeline, waiter} */
	uint64_t value;
};

/* No other lock is taken under it. */
static pthread_mutex_t order_mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint nr_caring;		/* written under the lock */
static struct vnpu_tree_node *notes;	/* protected by the lock, like others */
static struct vnpu_tree_node *others;	/* the notes by_other */

void vnpu_order_lock(void)
{
	pthread_mutex_lock(&order_mutex);
}

void vnpu_order_unlock(void)
{
	pthread_mutex_unlock(&order_mutex);
}

void vnpu_order_care(void)
{
	vnpu_order_lock();
	atomic_fetch_add(&nr_caring, 1);
	vnpu_order_unlock();
}

static void notes_drop(struct vnpu_tree_node *node)
{
	if (!node)
		return;
	notes_drop(node->left);
	notes_drop(node->right);
	free(container_of(node, struct note, by_pair));
}

void vnpu_order_forget(void)
{
	vnpu_order_lock();
	if (atomic_fetch_sub(&nr_caring, 1) == 1) {
		notes_drop(notes);
		notes = NULL;
		others = NULL;
	}
	vnpu_order_unlock();
}

/* Find a note, or NULL; the lock is held. */
static struct note *note_find(uint64_t waiter, uint64_t timeline)
{
	struct vnpu_tree_node *node = vnpu_tree_at_most(notes, waiter,
							timeline);

	return node && node->hi == waiter && node->lo == timeline ?
	       container_of(node, struct note, by_pair) : NULL;
}

void vnpu_order_note(const struct vnpu_stream *stream, uint64_t timeline,
		     uint64_t value)
{
	uint64_t waiter = stream->queue.id;
	struct note *note;

	if (!atomic_load_explicit(&nr_caring, memory_order_relaxed))
		return;
	vnpu_order_lock();
	note = note_find(waiter, timeline);
	if (!note && (note = calloc(1, sizeof(*note)))) {
		note->by_pair.hi = waiter;
		note->by_pair.lo = timeline;
		vnpu_tree_add(&notes, &note->by_pair);
		note->by_other.hi = timeline;
		note->by_other.lo = waiter;
		vnpu_tree_add(&others, &note->by_other);
	}
	/*
	 * Without memory for a note, the pool just does not reuse the memory.
	 */
	if (note && note->value < value)
		note->value = value;
	vnpu_order_unlock();
}

static void note_drop(struct note *note)
{
	vnpu_tree_remove(&notes, &note->by_pair);
	vnpu_tree_remove(&others, &note->by_other);
	free(note);
}

void vnpu_order_end(const struct vnpu_stream *stream)
{
	uint64_t id = stream->queue.id;
	struct vnpu_tree_node *node;

	if (!atomic_load_explicit(&nr_caring, memory_order_relaxed))
		return;
	vnpu_order_lock();
	while ((node = vnpu_tree_at_least(notes, id, 0)) && node->hi == id)
		note_drop(container_of(node, struct note, by_pair));
	while ((node = vnpu_tree_at_least(others, id, 0)) && node->hi == id)
		note_drop(container_of(node, struct note, by_other));
	vnpu_order_unlock();
}

uint64_t vnpu_order_after(const struct vnpu_stream *stream, uint64_t timeline)
{
	const struct note *note;
	uint64_t value = 0;

	vnpu_order_lock();
	note = note_find(stream->queue.id, timeline);
	if (note)
		value = note->value;
	vnpu_order_unlock();
	return value;
}
