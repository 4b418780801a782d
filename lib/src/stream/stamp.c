// SPDX-License-Identifier: MIT
/*
 * Stamps, see stamp.h.  They are allocated by the page, and reused.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/fork.h"
#include "mem/pinned.h"
#include "stamp.h"

#define PAGE		4096UL
#define PER_PAGE	(PAGE / sizeof(struct vnpu_stamp))

_Static_assert(sizeof(struct vnpu_stamp) == 16, "output of the device");

struct free_stamp {
	struct vnpu_stamp *stamp;
	uint64_t va;
};

static pthread_mutex_t stamp_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Free stamps, with room for all that exist; protected by the lock. */
static struct free_stamp *free_stamps;
static size_t nr_free, nr_stamps;

static _Atomic uint64_t last_cookie;

void vnpu_stamp_lock(void)
{
	pthread_mutex_lock(&stamp_mutex);
}

void vnpu_stamp_unlock(void)
{
	pthread_mutex_unlock(&stamp_mutex);
}

static int add_page_locked(void)
{
	struct free_stamp *more;
	uint64_t va;
	void *page;
	int ret;

	more = reallocarray(free_stamps, nr_stamps + PER_PAGE, sizeof(*more));
	if (!more)
		return -ENOMEM;
	free_stamps = more;
	ret = vnpu_pinned_alloc(PAGE, &page, &va);
	if (ret)
		return ret;

	nr_stamps += PER_PAGE;
	for (size_t i = PER_PAGE; i-- > 0;)
		free_stamps[nr_free++] = (struct free_stamp){
			.stamp = (struct vnpu_stamp *)page + i,
			.va = va + i * sizeof(struct vnpu_stamp),
		};
	return 0;
}

int vnpu_stamp_get(struct vnpu_stamp **stamp, uint64_t *va)
{
	int ret = 0;

	vnpu_stamp_lock();
	if (!nr_free)
		ret = add_page_locked();
	if (!ret) {
		nr_free--;
		*stamp = free_stamps[nr_free].stamp;
		*va = free_stamps[nr_free].va;
	}
	vnpu_stamp_unlock();
	return ret;
}

void vnpu_stamp_put(struct vnpu_stamp *stamp, uint64_t va)
{
	vnpu_stamp_lock();
	free_stamps[nr_free++] = (struct free_stamp){ stamp, va };
	vnpu_stamp_unlock();
}

uint64_t vnpu_stamp_cookie(void)
{
	return atomic_fetch_add_explicit(&last_cookie, 1,
					 memory_order_relaxed) + 1;
}
