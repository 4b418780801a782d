// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compaction while all memory is in use: contents that are moved must not be
 * lost, and free memory must stay available to other clients.
 */
#include "compact.h"

#include <pthread.h>
#include <stdatomic.h>

struct fire {
	FIXTURE_DATA(compact) * self;
	atomic_bool stop;
	atomic_long errors;
	__u64 first;
};

/* Each piece is written by one thread only, which must read its own data. */
static void *fire_host(void *arg)
{
	struct fire *f = arg;
	__u64 round, i;

	for (round = 1; !atomic_load(&f->stop); round++) {
		for (i = f->first; i < f->self->pieces; i += 8) {
			volatile __u64 *p = ptr(piece(f->self, i));

			p[round % 512] = round ^ i;
			if (p[round % 512] != (round ^ i))
				atomic_fetch_add(&f->errors, 1);
		}
	}
	return NULL;
}

/* As fire_host(), but by dma-bufs that are created and destroyed. */
static void *fire_dmabuf(void *arg)
{
	struct fire *f = arg;
	__u64 round, i;

	for (round = 1; !atomic_load(&f->stop); round++) {
		for (i = f->first; i < f->self->pieces; i += 16) {
			__u32 id;
			int fd;
			volatile __u64 *p;

			if (mem_open(&f->self->c, piece(f->self, i), &id)) {
				atomic_fetch_add(&f->errors, 1);
				continue;
			}
			fd = mem_export_dmabuf(&f->self->c, 0, id);
			p = mmap(NULL, PIECE, PROT_READ | PROT_WRITE,
				 MAP_SHARED, fd, 0);
			close(fd);
			mem_free(&f->self->c, id);
			if (p == MAP_FAILED) {
				atomic_fetch_add(&f->errors, 1);
				continue;
			}
			p[round % 512] = round ^ i;
			if (p[round % 512] != (round ^ i))
				atomic_fetch_add(&f->errors, 1);
			munmap((void *)p, PIECE);
		}
	}
	return NULL;
}

static void *fire_copy(void *arg)
{
	struct fire *f = arg;
	__u64 round, i, k;

	for (round = 1; !atomic_load(&f->stop); round++) {
		for (i = f->first; i < f->self->pieces; i += 8) {
			__u64 buffer[512];

			if (fill(&f->self->c, piece(f->self, i) + PAGE, PAGE,
				 round ^ i, 8) ||
			    copy(&f->self->c, addr(buffer),
				 piece(f->self, i) + PAGE, PAGE))
				atomic_fetch_add(&f->errors, 1);
			for (k = 0; k < 512; k++)
				if (buffer[k] != (round ^ i))
					atomic_fetch_add(&f->errors, 1);
		}
	}
	return NULL;
}

/* Another thread may have taken the freed memory. */
static int allocate_again(struct fire *f, __u64 va)
{
	int ret;

	do {
		ret = mem_alloc_at(&f->self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				   PIECE, va);
	} while (ret == -ENOSPC && !atomic_load(&f->stop));
	return ret;
}

static void *fire_rebind(void *arg)
{
	struct fire *f = arg;
	__u64 i;

	while (!atomic_load(&f->stop)) {
		for (i = f->first; i < f->self->pieces; i += 8) {
			__u64 va = piece(f->self, i);
			int ret = va_unbind(&f->self->c, va, 0);

			if (!ret)
				ret = allocate_again(f, va);
			if (ret == -ENOSPC)
				return NULL;
			if (ret ||
			    fill(&f->self->c, va, PIECE, 0x5eed0000 + i, 8) ||
			    !piece_is_whole(f->self, i))
				atomic_fetch_add(&f->errors, 1);
		}
	}
	return NULL;
}

/* Fragment free memory: fill it with pieces, and free every second one. */
static void scatter(struct __test_metadata *_metadata,
		    FIXTURE_DATA(compact) * self)
{
	const __u64 base = self->c.base + GIB(4);
	__u64 n = 0, i;

	va_unbind(&self->c, base, GIB(4));
	while (!mem_alloc_at(&self->c, 0, 0, 0, PIECE, base + n * PIECE))
		n++;
	for (i = 0; i < n; i += 2)
		ASSERT_EQ(0, va_unbind(&self->c, base + i * PIECE, 0));
}

TEST_F_TIMEOUT(compact, under_fire, 120)
{
	static void *(*const by[])(void *) = {
		fire_host, fire_copy, fire_rebind, fire_dmabuf,
	};
	struct fire fires[ARRAY_SIZE(by)] = { };
	pthread_t threads[ARRAY_SIZE(by)];
	uint64_t end = now_ms() + env_u64("VNPU_FIRE_MS", 5000);
	unsigned int i, granted = 0, tried = 0;
	__u32 id;

	for (i = 0; i < ARRAY_SIZE(by); i++) {
		fires[i].self = self;
		fires[i].first = 2 * i + 1;
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, by[i],
					    &fires[i]));
	}
	for (; now_ms() < end || !granted; tried++) {
		struct vnpu_device_query q;
		int ret;

		scatter(_metadata, self);
		ASSERT_EQ(0, device_query(&self->c, 0, &q));
		ret = mem_alloc(&self->c, 0, tried % 2 ?
				VNPU_MEM_F_CONTIGUOUS : 0,
				tried % 2 ? 0 : VNPU_PAGE_SHIFT_2M,
				q.out_free / (2 + tried % 3), &id);

		/*
		 * Memory that is in use at the wrong moment can be in the way.
		 */
		ASSERT_TRUE(!ret || ret == -ENOSPC);
		if (!ret) {
			granted++;
			ASSERT_EQ(0, mem_free(&self->c, id));
		}
	}
	for (i = 0; i < ARRAY_SIZE(by); i++) {
		atomic_store(&fires[i].stop, true);
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
		EXPECT_EQ(0, atomic_load(&fires[i].errors));
	}
	TH_LOG("%u of %u granted", granted, tried);
	EXPECT_LT(0, granted);

	/* No thread wrote to these pieces. */
	for (i = 15; i < self->pieces; i += 16)
		ASSERT_TRUE(piece_is_whole(self, i));
}

/* Free memory is fragmented again, wherever compaction has put the pieces. */
static void interleave(struct __test_metadata *_metadata,
		       FIXTURE_DATA(compact) * self)
{
	__u64 i;

	for (i = 1; i < self->pieces; i += 2)
		ASSERT_EQ(0, va_unbind(&self->c, piece(self, i), 0));
	for (i = 0; i < self->pieces; i++)
		ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS,
					  0, PIECE, piece(self, i)));
	for (i = 0; i < self->pieces; i += 2)
		ASSERT_EQ(0, va_unbind(&self->c, piece(self, i), 0));
}

enum { STARTING, COMPACTING, GRANTED };

/*
 * Run a process that requests all free memory in one run, until it is killed.
 */
static _Noreturn void compacting(volatile int *state, __u64 want)
{
	struct client c;
	__u32 id;

	if (client_open_only(&c))
		_exit(1);
	*state = COMPACTING;
	if (!mem_alloc(&c, 0, VNPU_MEM_F_CONTIGUOUS, 0, want, &id))
		*state = GRANTED;
	for (;;)
		pause();
}

struct one_alloc {
	const struct client *c;
	__u64 va, length;
	int ret;
};

static void *one_alloc_run(void *arg)
{
	struct one_alloc *a = arg;

	a->ret = mem_alloc_at(a->c, 0, 0, 0, a->length, a->va);
	return NULL;
}

/*
 * Memory that a failed compaction had reserved is available to other clients.
 */
TEST_F_TIMEOUT(compact, other_clients_are_not_refused, 120)
{
	struct one_alloc one = {
		.c = &self->c,
		.va = self->c.base + GIB(4),
		.length = self->pieces / 8 * 3 * PIECE,
	};
	volatile int *state = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t end = now_ms() + env_u64("VNPU_FIRE_MS", 5000);
	unsigned int round, failed = 0;
	pthread_t thread;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, (void *)state);
	for (round = 0; round < 10 && (!round || now_ms() < end); round++) {
		*state = STARTING;
		pid = fork_bound();
		if (!pid)
			compacting(state, self->pieces / 2 * PIECE);
		while (*state == STARTING)
			sched_yield();
		usleep(1000);
		ASSERT_EQ(0, pthread_create(&thread, NULL, one_alloc_run,
					    &one));
		usleep(1000);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		child_wait(pid);
		ASSERT_EQ(0, pthread_join(thread, NULL));
		if (*state == COMPACTING) {
			EXPECT_EQ(0, one.ret);
			failed++;
		}
		if (!one.ret)
			ASSERT_EQ(0, va_unbind(&self->c, one.va, 0));
		interleave(_metadata, self);
	}
	TH_LOG("%u of %u compactions failed", failed, round);
}

TEST_HARNESS_MAIN
