// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads of one client work at the same time: on addresses of their own, where
 * every byte must be right, and on shared ones, where calls may fail only with
 * the documented errors. VNPU_STORM multiplies the time.
 */
#include "kselftest_harness.h"

#include <pthread.h>

#include "../storm/storm.h"

#define THREADS	6
#define SHARED	8	/* addresses that all threads use */
#define SLOT	KIB(256)

FIXTURE(stress)
{
	struct calm calm;
	struct client c;
};

FIXTURE_SETUP(stress)
{
	ASSERT_EQ(0, calm_begin(&self->calm));
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, MIB(64), PROT_READ | PROT_WRITE));
}

FIXTURE_TEARDOWN(stress)
{
	client_close(&self->c);
	EXPECT_STREQ("", calm_again(&self->calm) ?: "");
	calm_end(&self->calm);
}

struct worker {
	const struct client *c;
	struct rng r;
	int index;
	uint64_t until;
	unsigned long rounds;
	int error;	/* an errno that no call may return here */
	int line;
};

static void start(struct __test_metadata *_metadata,
		  FIXTURE_DATA(stress) * self, void *(*run)(void *),
		  struct worker *w, pthread_t *thread, unsigned int ms)
{
	const uint64_t until = now_ms() + storm_times(ms);
	struct rng r = rng_init();
	int i;

	for (i = 0; i < THREADS; i++) {
		w[i] = (struct worker){
			.c = &self->c,
			.r = { rng_next(&r) | 1 },
			.index = i,
			.until = until,
		};
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, run, &w[i]));
	}
}

static void finish(struct __test_metadata *_metadata,
		   FIXTURE_DATA(stress) * self, struct worker *w,
		   pthread_t *thread)
{
	struct vnpu_device_query q;
	int i;

	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		EXPECT_EQ(0, w[i].error)
			TH_LOG("thread %d after %lu rounds, line %d", i,
			       w[i].rounds, w[i].line);
		EXPECT_LT(0, w[i].rounds);
	}
	va_unbind(&self->c, self->c.base, self->c.size);
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(0, q.out_client_used);
	EXPECT_EQ(0, q.out_client_objects);
	EXPECT_EQ(q.out_total, q.out_free);
}

#define TRY(w, expression)						\
	do {								\
		(w)->error = (expression);				\
		(w)->line = __LINE__;					\
		if ((w)->error)						\
			return NULL;					\
	} while (0)

/* Other threads have no effect on a thread's own addresses. */
static void *own_run(void *arg)
{
	struct worker *w = arg;
	const __u64 va = w->c->base + MIB(8) + w->index * 4 * SLOT;
	__u8 *host = malloc(SLOT);
	__u64 length, v;
	__u32 id;

	for (; !w->rounds || now_ms() < w->until; w->rounds++) {
		length = (1 + rng_below(&w->r, SLOT / PAGE)) * PAGE;
		v = rng_next(&w->r) & 0xff;
		TRY(w, mem_alloc(w->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, length,
				 &id));
		TRY(w, va_bind(w->c, id, va, length, 0));
		TRY(w, va_bind(w->c, id, va + SLOT, PAGE, length - PAGE));
		TRY(w, mem_free(w->c, id));
		TRY(w, mem_alloc_at(w->c, 0, 0, 0, length, va + 2 * SLOT));

		TRY(w, fill(w->c, va, length, v, 1));
		TRY(w, copy(w->c, va + 2 * SLOT, va, length));
		memset(host, ~v, length);
		TRY(w, copy(w->c, addr(host), va + 2 * SLOT, length));
		TRY(w, is_all(host, v, length) ? 0 : -EBADMSG);
		TRY(w, touch_read(va + length - 1));
		TRY(w, *(volatile __u8 *)ptr(va + SLOT) == v ? 0 : -EBADMSG);

		TRY(w, va_unbind(w->c, va, 2 * SLOT));
		TRY(w, touch_read(va) == SIGSEGV ? 0 : -EBADMSG);
		TRY(w, va_unbind_flags(w->c, VNPU_VA_UNBIND_F_FREE,
				       va + 2 * SLOT, 0));
	}
	free(host);
	return NULL;
}

TEST_F_TIMEOUT(stress, own_addresses, STORM_SECONDS)
{
	pthread_t thread[THREADS];
	struct worker w[THREADS];

	start(_metadata, self, own_run, w, thread, 2000);
	finish(_metadata, self, w, thread);
}

static bool is_one_of(int ret, int a, int b, int c)
{
	return !ret || ret == a || ret == b || ret == c;
}

#define TRY_ONE_OF(w, a, b, c, expression)				\
	do {								\
		int ret = (expression);					\
									\
		TRY(w, is_one_of(ret, a, b, c) ? 0 : ret);		\
	} while (0)

static void *shared_run(void *arg)
{
	struct worker *w = arg;
	static __u32 ids[SHARED];
	__u8 *host = malloc(SLOT);

	for (; !w->rounds || now_ms() < w->until; w->rounds++) {
		__u32 slot = rng_below(&w->r, SHARED), id;
		__u64 va = w->c->base + slot * SLOT;
		__u64 other = w->c->base + rng_below(&w->r, SHARED) * SLOT;
		__u64 length = (1 + rng_below(&w->r, SLOT / PAGE)) * PAGE;
		struct vnpu_va_query q;

		switch (rng_below(&w->r, 9)) {
		case 0:
			TRY_ONE_OF(w, -EEXIST, -EEXIST, -EEXIST,
				   mem_alloc_at(w->c, 0,
						VNPU_MEM_F_HOST_ACCESS, 0,
						length, va));
			break;
		case 1:
			id = __atomic_load_n(&ids[slot], __ATOMIC_RELAXED);
			TRY_ONE_OF(w, -ENOENT, -EEXIST, -EINVAL,
				   va_bind(w->c, id, va, length, 0));
			break;
		case 2:
			TRY(w, mem_alloc(w->c, 0, 0, 0, length, &id));
			id = __atomic_exchange_n(&ids[slot], id,
						 __ATOMIC_RELAXED);
			TRY_ONE_OF(w, id ? 0 : -ENOENT, 0, 0,
				   mem_free(w->c, id));
			break;
		case 3:
			TRY_ONE_OF(w, -ENOENT, -EINVAL, -EINVAL,
				   va_unbind(w->c, va, 0));
			break;
		case 4:
			TRY_ONE_OF(w, -EFAULT, 0, 0,
				   fill(w->c, va, length, 1, 1));
			break;
		case 5:
			TRY_ONE_OF(w, -EFAULT, 0, 0,
				   copy(w->c, va, other + 5, length));
			break;
		case 6:
			TRY_ONE_OF(w, -EFAULT, 0, 0,
				   copy(w->c, addr(host), va, length));
			break;
		case 7:
			TRY_ONE_OF(w, -ENOENT, 0, 0,
				   va_query(w->c, VNPU_VA_QUERY_F_NEXT, va,
					    &q));
			break;
		default:
			TRY_ONE_OF(w, SIGSEGV, 0, 0, touch_write(va, 1));
		}
	}
	/* Each remaining id belongs to a thread; any of them frees it. */
	for (__u32 i = 0; i < SHARED; i++) {
		__u32 id = __atomic_exchange_n(&ids[i], 0, __ATOMIC_RELAXED);

		if (id)
			TRY(w, mem_free(w->c, id));
	}
	free(host);
	return NULL;
}

TEST_F_TIMEOUT(stress, same_addresses, STORM_SECONDS)
{
	pthread_t thread[THREADS];
	struct worker w[THREADS];

	start(_metadata, self, shared_run, w, thread, 2500);
	finish(_metadata, self, w, thread);
}

/* Other threads call fork(), close() and mmap() while calls are in progress. */
static void *churn_run(void *arg)
{
	struct worker *w = arg;

	for (; !w->rounds || now_ms() < w->until; w->rounds++) {
		struct client c;
		pid_t pid;

		switch (w->index % 3) {
		case 0:
			TRY(w, client_open(&c));
			TRY(w, mem_alloc_at(&c, 0, 0, 0, SLOT, c.base));
			TRY(w, fill(&c, c.base, SLOT, 1, 1));
			client_close(&c);
			break;
		case 1:
			pid = fork();
			if (!pid)
				_exit(0);
			TRY(w, pid < 0 ? -errno : child_wait(pid));
			break;
		default:
			TRY(w, mem_alloc_at(w->c, 0, VNPU_MEM_F_HOST_ACCESS,
					    0, SLOT,
					    w->c->base + w->index * SLOT));
			TRY(w, touch_write(w->c->base + w->index * SLOT, 1));
			TRY(w, va_unbind(w->c, w->c->base + w->index * SLOT,
					 0));
		}
	}
	return NULL;
}

TEST_F_TIMEOUT(stress, churn, STORM_SECONDS)
{
	pthread_t thread[THREADS];
	struct worker w[THREADS];

	start(_metadata, self, churn_run, w, thread, 1500);
	finish(_metadata, self, w, thread);
}

/*
 * Half of the threads allocate, and the others free every possible id. An
 * object whose id was guessed before its owner knew it is freed or not, but
 * never leaks.
 */
static void *guess_run(void *arg)
{
	struct worker *w = arg;
	__u32 id;
	int i;

	for (; !w->rounds || now_ms() < w->until; w->rounds++) {
		if (w->index % 2) {
			for (id = 0; id < 16; id++)
				TRY_ONE_OF(w, -ENOENT, 0, 0,
					   mem_free(w->c, id));
			continue;
		}
		for (i = 0; i < 8; i++)
			TRY(w, mem_alloc(w->c, 0, 0, 0, PAGE, &id));
	}
	return NULL;
}

TEST_F_TIMEOUT(stress, guessed_ids, STORM_SECONDS)
{
	struct vnpu_device_query q;
	pthread_t thread[THREADS];
	struct worker w[THREADS];
	__u32 id;

	start(_metadata, self, guess_run, w, thread, 1500);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	for (id = 0; q.out_client_objects && id < 1000000; id++)
		if (!mem_free(&self->c, id))
			q.out_client_objects--;
	EXPECT_EQ(0, q.out_client_objects)
		TH_LOG("objects without an id");
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(0, q.out_client_used);
}

/*
 * A struct that another thread changes during the call is read once, or
 * refused.
 */
static volatile bool flip_stop;

static void *flip_run(void *arg)
{
	volatile __u32 *size = arg;

	while (!flip_stop) {
		*size = sizeof(struct vnpu_mem_query);
		*size = 0;
		*size = PAGE;
		*size = UINT32_MAX;
		*size = 12;
	}
	return NULL;
}

TEST_F(stress, struct_changes_during_the_call)
{
	__u8 *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct vnpu_mem_query *q = (void *)page;
	unsigned long failed = 0, n;
	pthread_t thread;
	__u32 id;

	ASSERT_NE(MAP_FAILED, (void *)page);
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &id));
	memset(page + sizeof(*q), 0x5a, PAGE - sizeof(*q));
	q->id = id;
	ASSERT_EQ(0, pthread_create(&thread, NULL, flip_run, &q->size));
	for (n = 0; n < 20000; n++) {
		int ret = call(self->c.fd, VNPU_IOCTL_MEM_QUERY, q);

		failed += ret && ret != -EINVAL && ret != -E2BIG;
	}
	flip_stop = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(0, failed);
	EXPECT_TRUE(is_all(page + sizeof(*q), 0x5a, PAGE - sizeof(*q)));
}

TEST_HARNESS_MAIN
