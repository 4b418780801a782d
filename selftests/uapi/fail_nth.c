// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every call with its first allocation or user copy failing, then its second,
 * and so on, until the call needs no more of them (/proc/self/fail-nth).
 *
 * However far it came, a call either does all that it is for or leaves
 * everything as it was. That nothing leaked meanwhile, the kernel's own detector
 * says at the end of the machine.
 */
#include <dirent.h>

#include "kselftest_harness.h"

#include "fail_noted.h"
#include "client.h"
#include "fail.h"
#include "sync.h"
#include "util.h"

#define PIECE		(16 * PAGE)
#define PIECES		64
#define LIMIT		2000	/* no call needs that many */

/* What must be the same after a call that failed as it was before it. */
struct state {
	__u64 used;
	__u64 objects;
	__u64 bindings;
	__u64 files;
	__u64 streams, counters, events;	/* that are left */
};

FIXTURE(fail_nth)
{
	struct fail fail;
	struct client c;
	__u64 rest;	/* of the device, but for what the pieces need */
	__u32 id;
	__u32 new_id;
	int file;
	__u64 bytes[8];
	__u8 *own;	/* memory of the process */
	struct stream stream;
	__u64 timeline;
	__u32 event;
	bool has_event;
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
	return s;
}

typedef FIXTURE_DATA(fail_nth) data_t;

/**
 * struct sweep - a call to be made to fail
 * @before: makes what the call needs
 * @call: the call alone; 0 or -errno
 * @after: takes back what @before and a successful call made
 * @keeps: a call that fails has changed nothing
 */
struct sweep {
	int (*before)(data_t *self);
	int (*call)(data_t *self);
	void (*after)(data_t *self, int ret);
	bool keeps;
};

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

	/* What is made once and kept, such as accounts, is made now. */
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
					TH_LOG("failure %u", n);
				}
		}
		if (s->after)
			s->after(self, ret);
		after = look(&self->c);
		EXPECT_EQ(0, memcmp(&start, &after, sizeof(after))) {
			TH_LOG("failure %u: %lld bytes %lld objects %lld bindings %lld files",
			       n, after.used - start.used,
			       after.objects - start.objects,
			       after.bindings - start.bindings,
			       after.files - start.files);
			start = after;
		}
	}
	printf("# %u injected, %u calls failed\n", n - 2, failed);
	fflush(stdout);
}

static int have_memory(data_t *self)
{
	return mem_alloc(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PIECE,
			 &self->id);
}

static int have_bound(data_t *self)
{
	return have_memory(self) ?:
	       va_bind(&self->c, self->id, self->c.base, PIECE, 0);
}

static int have_file(data_t *self)
{
	int ret = have_memory(self);

	self->file = ret ?: mem_export(&self->c, self->id);
	return self->file < 0 ? self->file : 0;
}

static int have_dmabuf(data_t *self)
{
	int ret = have_memory(self);

	self->file = ret ?: mem_export_dmabuf(&self->c, 0, self->id);
	return self->file < 0 ? self->file : 0;
}

static int have_dmabuf_to_read(data_t *self)
{
	int ret = have_memory(self);

	self->file = ret ?: mem_export_dmabuf(&self->c,
					      VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY,
					      self->id);
	return self->file < 0 ? self->file : 0;
}

/* Takes back all that any of them makes. */
static void have_nothing(data_t *self, int ret)
{
	va_unbind(&self->c, self->c.base, self->c.size);
	mem_free(&self->c, self->id);
	if (!ret && self->new_id)
		mem_free(&self->c, self->new_id);
	if (self->file >= 0)
		close(self->file);
	self->id = 0;
	self->new_id = 0;
	self->file = -1;
}

#define SWEEP(_name, _before, _keeps, ...) \
static int call_##_name(data_t *self) \
{ \
	const struct client *c = &self->c; \
	(void)c; \
	__VA_ARGS__ \
} \
TEST_F(fail_nth, _name) \
{ \
	sweep_all(_metadata, self, &(struct sweep){ \
		_before, call_##_name, have_nothing, _keeps }); \
}

SWEEP(info, NULL, true, {
	struct vnpu_info i;

	return info(c, &i);
})

SWEEP(device_query, NULL, true, {
	struct vnpu_device_query q;

	return device_query(c, 0, &q);
})

SWEEP(mem_alloc, NULL, true, {
	return mem_alloc(c, 0, 0, 0, PIECE, &self->new_id);
})

SWEEP(mem_alloc_bound, NULL, true, {
	return mem_alloc_at(c, 0, 0, 0, PIECE, c->base);
})

SWEEP(mem_free, have_bound, true, {
	return mem_free(c, self->id);
})

SWEEP(mem_query, have_memory, true, {
	struct vnpu_mem_query q;

	return mem_query(c, self->id, &q);
})

SWEEP(mem_open, have_bound, true, {
	return mem_open(c, c->base, &self->new_id);
})

SWEEP(mem_export, have_memory, true, {
	int fd = mem_export(c, self->id);

	if (fd < 0)
		return fd;
	self->file = fd;
	return 0;
})

SWEEP(mem_import, have_file, true, {
	return mem_import(c, self->file, &self->new_id);
})

SWEEP(va_bind, have_memory, true, {
	return va_bind(c, self->id, c->base, PAGE, 0);
})

/* The answer is all that can fail once the bindings are gone. */
SWEEP(va_unbind, have_bound, false, {
	return va_unbind(c, c->base, 0);
})

SWEEP(va_protect, have_bound, true, {
	return va_protect(c, c->base, 0, VNPU_DEVICE_HOST, VNPU_ACCESS_READ);
})

SWEEP(va_query, have_bound, true, {
	struct vnpu_va_query q;

	return va_query(c, 0, c->base, &q);
})

SWEEP(copy_to_device, have_bound, true, {
	return copy(c, c->base, addr(self->bytes), sizeof(self->bytes));
})

SWEEP(copy_to_host, have_bound, true, {
	return copy(c, addr(self->bytes), c->base, sizeof(self->bytes));
})

SWEEP(copy_inside, have_bound, true, {
	return copy(c, c->base, c->base + PAGE, 2 * PAGE);
})

SWEEP(fill, have_bound, true, {
	return fill(c, c->base, PIECE, 0x55, 1);
})

SWEEP(host_alloc, NULL, true, {
	return host_alloc(c, PIECE, &self->new_id);
})

SWEEP(host_register, NULL, true, {
	return host_register(c, 0, self->own, PIECE, &self->new_id);
})

SWEEP(mem_export_dmabuf, have_memory, true, {
	int fd = mem_export_dmabuf(c, 0, self->id);

	if (fd < 0)
		return fd;
	self->file = fd;
	return 0;
})

SWEEP(mem_import_dmabuf, have_dmabuf, true, {
	struct vnpu_mem_import_dmabuf i;
	int ret = mem_import_dmabuf(c, self->file, &i);

	self->new_id = ret ? 0 : i.out_id;
	return ret;
})

SWEEP(mem_import_dmabuf_to_read, have_dmabuf_to_read, true, {
	struct vnpu_mem_import_dmabuf i;
	int ret = mem_import_dmabuf(c, self->file, &i);

	self->new_id = ret ? 0 : i.out_id;
	return ret;
})

/* No device has that much. */
static int have_failed(data_t *self)
{
	int ret = mem_alloc(&self->c, 0, 0, 0, 1ULL << 50, &self->id);

	return ret == -ENOSPC ? 0 : ret ?: -EPROTO;
}

SWEEP(oom_query, have_failed, true, {
	struct vnpu_oom_query q = { .size = sizeof(q) };

	return call(c->fd, VNPU_IOCTL_OOM_QUERY, &q);
})

/* The range is the kernel's until the client ends: so there is one for it. */
SWEEP(slab, NULL, true, {
	struct client other;
	__u64 va;
	int ret;

	ret = client_open(&other);
	if (ret)
		return ret;
	ret = slab_window(&other, 0, other.base, MIB(64));
	if (!ret)
		ret = slab_alloc(&other, 0, 100, &va, NULL);
	if (!ret)
		ret = slab_free(&other, va);
	client_close(&other);
	return ret;
})

/* A fault of the host that finds no memory is tried again. */
SWEEP(touch, have_bound, true, {
	return touch_write(c->base, 1);
})

/* A client from its open to its close, with an account and a holder. */
SWEEP(client, have_file, true, {
	struct client other;
	__u32 id;
	int ret;

	ret = client_open(&other);
	if (ret)
		return ret;
	ret = mem_import(&other, self->file, &id);
	if (!ret)
		ret = va_bind(&other, id, other.base, PIECE, 0);
	client_close(&other);
	return ret;
})

static int have_stream(data_t *self)
{
	return stream_create_only(&self->stream, &self->c, 0, 0, 0, 0);
}

/* With a task that is complete. */
static int have_ring(data_t *self)
{
	return stream_create(&self->stream, &self->c, 0) ?:
	       stream_do(&self->stream, (struct vnpu_task){ });
}

static int have_timeline(data_t *self)
{
	return timeline_create(&self->c, 0, 0, 1, &self->timeline);
}

static int have_timeline_file(data_t *self)
{
	int ret = have_timeline(self);

	self->file = ret ?: timeline_export(&self->c, self->timeline, 0);
	return self->file < 0 ? self->file : 0;
}

static int have_sync_file(data_t *self)
{
	int ret = have_ring(self);

	self->file = ret ?: sync_export(&self->c, self->stream.id, 1);
	return self->file < 0 ? self->file : 0;
}

static int have_event(data_t *self)
{
	struct vnpu_event_take t = { .size = sizeof(t) };
	int ret = call(self->c.fd, VNPU_IOCTL_EVENT_TAKE, &t);

	self->has_event = !ret;
	self->event = t.out_number;
	return ret;
}

static int event_give(data_t *self)
{
	struct vnpu_event_give g = { .size = sizeof(g), .number = self->event };
	int ret = call(self->c.fd, VNPU_IOCTL_EVENT_GIVE, &g);

	self->has_event = ret;
	return ret;
}

/* Takes back all that those above make, and the calls below. */
static void no_streams(data_t *self, int ret)
{
	if (self->has_event)
		event_give(self);
	if (self->stream.id)
		stream_destroy(&self->stream);
	if (self->timeline)
		timeline_destroy(&self->c, self->timeline);
	memset(&self->stream, 0, sizeof(self->stream));
	self->timeline = 0;
	have_nothing(self, ret);
}

#define SWEEP_STREAM(_name, _before, ...) \
static int call_##_name(data_t *self) \
{ \
	const struct client *c = &self->c; \
	(void)c; \
	__VA_ARGS__ \
} \
TEST_F(fail_nth, _name) \
{ \
	sweep_all(_metadata, self, &(struct sweep){ \
		_before, call_##_name, no_streams, true }); \
}

SWEEP_STREAM(stream_create, NULL, {
	return have_stream(self);
})

SWEEP_STREAM(stream_destroy, have_stream, {
	return stream_destroy(&self->stream);
})

SWEEP_STREAM(stream_map, have_stream, {
	return stream_map(&self->stream);
})

SWEEP_STREAM(stream_doorbell, have_ring, {
	return stream_doorbell(&self->stream);
})

SWEEP_STREAM(stream_query, have_ring, {
	struct vnpu_stream_query q;

	return stream_query(&self->stream, &q);
})

SWEEP_STREAM(stream_set, have_ring, {
	return stream_set(&self->stream, VNPU_STREAM_SET_F_PRIORITY, 1, 0, 0);
})

SWEEP_STREAM(stream_abort, have_ring, {
	return stream_abort(&self->stream, NULL);
})

SWEEP_STREAM(timeline_create, NULL, {
	return have_timeline(self);
})

SWEEP_STREAM(counter_create, NULL, {
	return timeline_create(c, VNPU_TIMELINE_F_COUNTER, 0, 0,
			       &self->timeline);
})

SWEEP_STREAM(timeline_destroy, have_timeline, {
	return timeline_destroy(c, self->timeline);
})

SWEEP_STREAM(timeline_query, have_timeline, {
	__u64 value;

	return timeline_value(c, self->timeline, &value);
})

SWEEP_STREAM(timeline_export, have_timeline, {
	int fd = timeline_export(c, self->timeline, 0);

	if (fd < 0)
		return fd;
	self->file = fd;
	return 0;
})

SWEEP_STREAM(timeline_import, have_timeline_file, {
	__u32 kind;
	__u64 id;

	return timeline_import(c, self->file, &id, &kind) ?:
	       timeline_destroy(c, id);
})

SWEEP_STREAM(signal, have_timeline, {
	return timeline_signal(c, self->timeline, 2, 0);
})

SWEEP_STREAM(wait_for_many, have_timeline, {
	struct vnpu_point points[100];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		points[i] = (struct vnpu_point){ self->timeline, 1 };
	return wait_points(c, points, ARRAY_SIZE(points), VNPU_WAIT_F_ALL, 0,
			   NULL);
})

SWEEP_STREAM(event_take, NULL, {
	return have_event(self);
})

SWEEP_STREAM(event_give, have_event, {
	return event_give(self);
})

SWEEP_STREAM(limits_query, NULL, {
	struct vnpu_limits_query q = { .size = sizeof(q) };

	return call(c->fd, VNPU_IOCTL_LIMITS_QUERY, &q);
})

/* Submitted when no engine looks, and without a doorbell. */
static int have_pending(data_t *self)
{
	int ret = have_ring(self);

	usleep(20000);
	stream_put(&self->stream, (struct vnpu_task){ });
	__atomic_store_n(&self->stream.ring->tail, 2, __ATOMIC_RELEASE);
	return ret;
}

SWEEP_STREAM(sync_export, have_pending, {
	int fd = sync_export(c, self->stream.id, 2);

	if (fd < 0)
		return fd;
	self->file = fd;
	return 0;
})

SWEEP_STREAM(sync_import, have_sync_file, {
	__u64 id;

	return sync_import(c, self->file, &id) ?: timeline_destroy(c, id);
})

static __u64 piece(const data_t *self, unsigned int i)
{
	return self->c.base + i * PIECE;
}

/* The free memory is that of every second piece. */
static int have_pieces(data_t *self)
{
	struct vnpu_device_query q;
	unsigned int i;
	int ret;

	if (!self->rest) {
		ret = device_query(&self->c, 0, &q);
		if (ret)
			return ret;
		self->rest = q.out_free - PIECES * PIECE;
	}
	ret = mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0, self->rest,
			&self->id);
	for (i = 0; !ret && i < PIECES; i++)
		ret = mem_alloc_at(&self->c, 0, 0, 0, PIECE, piece(self, i)) ?:
		      fill(&self->c, piece(self, i), PIECE, 1 + i, 1);
	for (i = 0; !ret && i < PIECES; i += 2)
		ret = va_unbind(&self->c, piece(self, i), 0);
	return ret;
}

static bool pieces_are_whole(const data_t *self)
{
	__u8 buffer[PIECE];
	unsigned int i;

	for (i = 1; i < PIECES; i += 2)
		if (copy(&self->c, addr(buffer), piece(self, i), PIECE) ||
		    !is_all(buffer, 1 + i, PIECE))
			return false;
	return true;
}

static void pieces_go(data_t *self, int ret)
{
	if (!pieces_are_whole(self))
		abort();
	have_nothing(self, ret);
}

static int call_compact(data_t *self)
{
	return mem_alloc(&self->c, 0, 0, VNPU_PAGE_SHIFT_2M,
			 PIECES / 2 * PIECE, &self->new_id);
}

TEST_F_TIMEOUT(fail_nth, compact, 120)
{
	sweep_all(_metadata, self, &(struct sweep){
		have_pieces, call_compact, pieces_go, true });
}

/* The last of all fixtures, when the others are done. */
FIXTURE(table)
{
	struct fail fail;
};

FIXTURE_SETUP(table)
{
	int ret = fail_begin(&self->fail);

	if (ret == -EOPNOTSUPP)
		SKIP(return, "the kernel has no fault injection");
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(table)
{
	fail_end(&self->fail);
}

TEST_F(table, is_complete)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ioctl_list); i++) {
		const char *name = ioctl_list[i].name;

		EXPECT_EQ(1, tried[_IOC_NR(ioctl_list[i].nr)]) {
			TH_LOG("%s was not to fail", name);
		}
	}
}

TEST_HARNESS_MAIN
