// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each call with its first allocation or user copy failing, then its second,
 * and so on, until the call succeeds (/proc/self/fail-nth).
 *
 * Wherever it fails, a call either does all of its work or changes nothing.
 * kmemleak checks for leaks at the end of the machine.
 */
#include <dirent.h>

#include "../isolation/observe.h"
#include "fail_nth_engine.h"
#include "fail_nth_graph.h"
#include "fail_nth_memory.h"
#include "fail_nth_stream.h"
#include "host_charge.h"

#define LIMIT		2000	/* more than any call needs */

/* State that must be the same before and after a failed call. */
struct state {
	__u64 used;
	__u64 objects;
	__u64 bindings;
	__u64 files;
	/* number of the remaining ones */
	__u64 streams, counters, events;
	__u64 pinned;		/* KiB */
	__u64 charged;		/* pages of host memory */
	__u64 clients;
};

FIXTURE_SETUP(fail_nth)
{
	int ret = fail_begin(&self->fail);

	if (ret == -EOPNOTSUPP)
		SKIP(return, "the kernel has no fault injection");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	self->file = -1;
	self->has_event = false;
	self->wrong = 0;
	self->own = aligned_alloc(PAGE, PIECE);
	ASSERT_TRUE(self->own);
	memset(self->own, 1, PIECE);
}

FIXTURE_TEARDOWN(fail_nth)
{
	client_close(&self->c);
	free(self->own);
	fail_end(&self->fail);
}

static __u64 count_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	__u64 n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static struct state look(const struct client *c)
{
	struct vnpu_limits_query l = { .size = sizeof(l) };
	struct vnpu_device_query d = { };
	struct vnpu_va_query q;
	struct state s = { };
	__u64 va = 0;

	device_query(c, 0, &d);
	s.used = d.out_total - d.out_free;
	s.objects = d.out_client_objects;
	for (; !va_query(c, VNPU_VA_QUERY_F_NEXT, va, &q); s.bindings++)
		va = q.out_va + q.out_length;
	s.files = count_files();
	call(c->fd, VNPU_IOCTL_LIMITS_QUERY, &l);
	s.streams = l.out_streams;
	s.counters = l.out_counters;
	s.events = l.out_events;
	s.pinned = pinned_kib();
	s.charged = host_charge(c->fd);
	s.clients = observe_clients(NULL, 0);
	return s;
}

static const char *difference(const struct state *a, const struct state *b)
{
	static char text[256];

	snprintf(text, sizeof(text),
		 "%+lld bytes %+lld objects %+lld bindings %+lld files %+lld streams %+lld counters %+lld events left, %+lld KiB pinned %+lld pages charged %+lld clients",
		 b->used - a->used, b->objects - a->objects,
		 b->bindings - a->bindings, b->files - a->files,
		 b->streams - a->streams, b->counters - a->counters,
		 b->events - a->events, b->pinned - a->pinned,
		 b->charged - a->charged, b->clients - a->clients);
	return text;
}

static bool is_fault(int ret)
{
	return ret == -ENOMEM || ret == -EFAULT;
}

static void sweep_all(struct __test_metadata *_metadata, data_t *self,
		      const struct sweep *s)
{
	unsigned int n, failed = 0;
	struct state start, before, after;
	bool hit = true;
	int ret;

	/*
	 * Create accounts and the like now, as they are created once and kept.
	 */
	ASSERT_EQ(0, s->before ? s->before(self) : 0);
	ASSERT_EQ(0, ret = s->call(self));
	if (s->after)
		s->after(self, ret);
	start = look(&self->c);

	for (n = 1; hit; n++) {
		ASSERT_GT(LIMIT, n);
		ASSERT_EQ(0, s->before ? s->before(self) : 0);
		before = look(&self->c);
		is_armed = true;
		fail_arm(&self->fail, n);
		ret = s->call(self);
		hit = fail_disarm(&self->fail);
		is_armed = false;
		after = look(&self->c);
		if (ret) {
			failed++;
			EXPECT_TRUE(hit && is_fault(ret)) {
				TH_LOG("failure %u: %d", n, ret);
			}
			if (s->keeps)
				EXPECT_EQ(0, memcmp(&before, &after,
						    sizeof(after))) {
					TH_LOG("failure %u: %s", n,
					       difference(&before, &after));
				}
		}
		if (s->after)
			s->after(self, ret);
		after = look(&self->c);
		EXPECT_EQ(0, memcmp(&start, &after, sizeof(after))) {
			TH_LOG("failure %u left %s", n,
			       difference(&start, &after));
			start = after;
		}
	}
	EXPECT_EQ(0, self->wrong);
	printf("# %u injected, %u calls failed\n", n - 2, failed);
	fflush(stdout);
}

/*
 * A test of each call of the headers. A call is repeated for each of its allocations
 * and user copies, and a busy machine may take half a second for each.
 */
#define TEST_SWEEP(_name) \
TEST_F_TIMEOUT(fail_nth, _name, 120) \
{ \
	sweep_all(_metadata, self, &_name##_sweep); \
}

TEST_SWEEP(info)
TEST_SWEEP(device_query)
TEST_SWEEP(attach)
TEST_SWEEP(query)
TEST_SWEEP(mem_alloc)
TEST_SWEEP(mem_alloc_bound)
TEST_SWEEP(mem_free)
TEST_SWEEP(mem_query)
TEST_SWEEP(mem_open)
TEST_SWEEP(mem_export)
TEST_SWEEP(mem_import)
TEST_SWEEP(key_create)
TEST_SWEEP(key_destroy)
TEST_SWEEP(key_allow)
TEST_SWEEP(key_open)
TEST_SWEEP(va_bind)
TEST_SWEEP(va_unbind)
TEST_SWEEP(va_protect)
TEST_SWEEP(va_query)
TEST_SWEEP(copy_to_device)
TEST_SWEEP(copy_to_host)
TEST_SWEEP(copy_inside)
TEST_SWEEP(fill)
TEST_SWEEP(host_alloc)
TEST_SWEEP(host_register)
TEST_SWEEP(mem_export_dmabuf)
TEST_SWEEP(mem_import_dmabuf)
TEST_SWEEP(mem_import_dmabuf_read_only)
TEST_SWEEP(oom_query)
TEST_SWEEP(slab)
TEST_SWEEP(touch)
TEST_SWEEP(client)

TEST_SWEEP(context_create)
TEST_SWEEP(context_destroy)
TEST_SWEEP(context_set)
TEST_SWEEP(context_query)
TEST_SWEEP(stream_in_a_context)

TEST_SWEEP(stream_create)
TEST_SWEEP(stream_destroy)
TEST_SWEEP(stream_map)
TEST_SWEEP(stream_doorbell)
TEST_SWEEP(stream_query)
TEST_SWEEP(stream_set)
TEST_SWEEP(stream_abort)
TEST_SWEEP(timeline_create)
TEST_SWEEP(counter_create)
TEST_SWEEP(timeline_destroy)
TEST_SWEEP(timeline_query)
TEST_SWEEP(timeline_export)
TEST_SWEEP(timeline_import)
TEST_SWEEP(signal)
TEST_SWEEP(wait_for_many)
TEST_SWEEP(event_alloc)
TEST_SWEEP(event_free)
TEST_SWEEP(limits_query)
TEST_SWEEP(sync_export)
TEST_SWEEP(sync_import)

TEST_SWEEP(graph_create)
TEST_SWEEP(graph_in_a_context)
TEST_SWEEP(graph_destroy)
TEST_SWEEP(graph_update)
TEST_SWEEP(graph_query)

TEST_SWEEP(engine_create)
TEST_SWEEP(engine_attach)
TEST_SWEEP(engine_set)
TEST_SWEEP(engine_name)
TEST_SWEEP(engine_state)
TEST_SWEEP(engine_map)
TEST_SWEEP(engine_touch)
TEST_SWEEP(engine_fetch)
TEST_SWEEP(engine_complete)
TEST_SWEEP(engine_next)
TEST_SWEEP(compact)

/* The last of all fixtures, which runs when the others are done. */
#include "fail_table.h"

TEST_F(table, all_calls_were_tried)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ioctl_list); i++) {
		const char *name = ioctl_list[i].name;

		EXPECT_EQ(1, tried[_IOC_NR(ioctl_list[i].nr)]) {
			TH_LOG("%s was not made to fail", name);
		}
	}
}

TEST_HARNESS_MAIN
