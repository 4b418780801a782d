// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory contents do not cross from one client to another. A victim takes all
 * memory of all devices, writes to it in one way and gives it up in another. A
 * spy then takes all of it, in every page class, and reads zeros only.
 * secret_task.c looks for what tasks write, and secret_end.c has more ways of
 * giving memory up.
 */
#include "kselftest_harness.h"

#include "secret.h"

/* Write single words: the driver must not miss small dirty parts. */
static int write_sparse_fill(const struct client *c, __u64 va, __u64 length)
{
	__u64 at;
	int ret = 0;

	for (at = PAGE - 8; at < length && !ret; at += 37 * PAGE + 8)
		ret = fill(c, va + at, 8, SECRET, 8);
	return ret;
}

static int write_copy(const struct client *c, __u64 va, __u64 length)
{
	__u64 *buffer = malloc(STEP);
	__u64 at, i;
	int ret = buffer ? 0 : -ENOMEM;

	for (i = 0; !ret && i < STEP / 8; i++)
		buffer[i] = SECRET;
	for (at = 0; at < length && !ret; at += STEP)
		ret = copy(c, va + at, addr(buffer),
			   length - at < STEP ? length - at : STEP);
	free(buffer);
	return ret;
}

static int write_device_copy(const struct client *c, __u64 va, __u64 length)
{
	int ret = fill(c, va, PAGE, SECRET, 8);

	/* Each copy doubles the secrets. */
	for (__u64 have = PAGE; have < length && !ret; have *= 2)
		ret = copy(c, va + have, va,
			   length - have < have ? length - have : have);
	return ret;
}

/* A copy that fails half-way has written its first half. */
static int write_failing_copy(const struct client *c, __u64 va, __u64 length)
{
	__u64 *host = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u64 at, i;
	int ret = -EFAULT;

	if (host == MAP_FAILED || munmap(host + PAGE / 8, PAGE))
		return -ENOMEM;
	for (i = 0; i < PAGE / 8; i++)
		host[i] = SECRET;
	for (at = 0; at + 2 * PAGE <= length && ret == -EFAULT; at += 64 * PAGE)
		ret = copy(c, va + at + 16, addr(host), 2 * PAGE);
	return ret == -EFAULT ? 0 : ret;
}

static int write_host(const struct client *c, __u64 va, __u64 length)
{
	__u64 at;

	if (mprotect(ptr(c->base), c->size, PROT_READ | PROT_WRITE))
		return -errno;
	for (at = 0; at < length; at += 8 * PAGE)
		*(volatile __u64 *)ptr(va + at + 1024) = SECRET;
	return 0;
}

/* Pages are faulted in for reading, and are made writable afterwards. */
static int write_host_after_read(const struct client *c, __u64 va,
				 __u64 length)
{
	__u64 at, sum = 0;

	if (mprotect(ptr(c->base), c->size, PROT_READ))
		return -errno;
	for (at = 0; at < length; at += 8 * PAGE)
		sum += *(volatile __u64 *)ptr(va + at);
	return sum ? -EIO : write_host(c, va, length);
}

/* Write as a debugger does. */
static int write_proc_mem(const struct client *c, __u64 va, __u64 length)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	__u64 secret = SECRET, at;
	int ret = fd < 0 ? -errno : 0;

	(void)c;
	for (at = 0; at < length && !ret; at += 16 * PAGE)
		if (pwrite(fd, &secret, 8, va + at + 2048) != 8)
			ret = -errno;
	close(fd);
	return ret;
}

enum end {
	END_UNBIND,	/* freed one by one; the client goes on */
	END_CLOSE,	/* last close; the process goes on */
	END_EXIT,
	END_KILL,
	END_ORPHAN,	/* exit, with a child that keeps the file */
};

FIXTURE(secret)
{
	struct client spy;
};

FIXTURE_VARIANT(secret)
{
	int (*write)(const struct client *c, __u64 va, __u64 length);
	__u32 flags;
	bool victim_large, spy_large;
	enum end end;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(secret, fill_then_unbind)
{
	.write = write_fill, .end = END_UNBIND,
};

FIXTURE_VARIANT_ADD(secret, sparse_fill_then_close)
{
	.write = write_sparse_fill, .end = END_CLOSE, .spy_large = true,
};

FIXTURE_VARIANT_ADD(secret, copy_then_exit)
{
	.write = write_copy, .end = END_EXIT, .victim_large = true,
};

FIXTURE_VARIANT_ADD(secret, device_copy_then_kill)
{
	.write = write_device_copy, .end = END_KILL, .spy_large = true,
};

FIXTURE_VARIANT_ADD(secret, failing_copy_then_orphan)
{
	.write = write_failing_copy, .end = END_ORPHAN,
};

FIXTURE_VARIANT_ADD(secret, host_then_unbind)
{
	.write = write_host, .end = END_UNBIND,
	.flags = VNPU_MEM_F_HOST_ACCESS,
};

FIXTURE_VARIANT_ADD(secret, host_then_kill)
{
	.write = write_host, .end = END_KILL,
	.flags = VNPU_MEM_F_HOST_ACCESS, .victim_large = true,
};

FIXTURE_VARIANT_ADD(secret, host_after_read_then_orphan)
{
	.write = write_host_after_read, .end = END_ORPHAN,
	.flags = VNPU_MEM_F_HOST_ACCESS, .spy_large = true,
};

FIXTURE_VARIANT_ADD(secret, proc_mem_then_exit)
{
	.write = write_proc_mem, .end = END_EXIT,
};
/* clang-format on */

FIXTURE_SETUP(secret)
{
	ASSERT_EQ(0, client_open(&self->spy));
}

FIXTURE_TEARDOWN(secret)
{
	client_close(&self->spy);
}

/*
 * The victim: write everywhere, and signal the spy when all memory is given up.
 */
static int victim(const FIXTURE_VARIANT(secret) * v, int done, int hold)
{
	__u64 va, length;
	struct client c;
	__u32 d;

	if (client_open(&c))
		return 1;
	va = c.base;
	for (d = 0; d < device_count(&c); d++, va += length) {
		if (take_all(&c, d, v->flags, v->victim_large, va, &length) ||
		    v->write(&c, va, length))
			return 2;
	}
	switch (v->end) {
	case END_UNBIND:
		if (va_unbind(&c, c.base, c.size))
			return 3;
		baton_pass(done);
		pause();
		break;
	case END_CLOSE:
		client_close(&c);
		baton_pass(done);
		pause();
		break;
	case END_EXIT:
		break;
	case END_KILL:
		raise(SIGKILL);
		break;
	case END_ORPHAN:
		if (!fork()) {
			char byte;

			/* Wait until the test closes the other end. */
			close(done);
			_exit(read(hold, &byte, 1));
		}
		break;
	}
	return 0;
}

TEST_F_TIMEOUT(secret, spy_reads_only_zeros, 120)
{
	const __u32 count = device_count(&self->spy);
	int done[2], hold[2], status;
	bool waits = variant->end == END_UNBIND || variant->end == END_CLOSE;
	__u64 va, length;
	pid_t pid;
	__u32 d;

	ASSERT_EQ(0, pipe(done));
	ASSERT_EQ(0, pipe(hold));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(done[0]);
		close(hold[1]);
		client_close(&self->spy);
		_exit(victim(variant, done[1], hold[0]));
	}
	close(done[1]);
	close(hold[0]);
	if (waits) {
		baton_take(done[0]);
	} else {
		status = child_wait(pid);
		ASSERT_EQ(variant->end == END_KILL ? 256 + SIGKILL : 0,
			  status);
	}

	va = self->spy.base;
	for (d = 0; d < count; d++, va += length) {
		ASSERT_EQ(0, device_used(&self->spy, d));
		ASSERT_EQ(0, take_all(&self->spy, d, 0, variant->spy_large, va,
				      &length));
		ASSERT_EQ(NO_LEAK, find_leak(&self->spy, va, length))
			TH_LOG("device %u", d);
	}
	if (waits) {
		kill(pid, SIGKILL);
		child_wait(pid);
	}
	close(hold[1]);
}

/* Kill a client while its allocation is still being cleared. */
TEST(killed_while_clearing)
{
	struct vnpu_device_query q;
	struct rng r = rng_init();
	struct client spy;
	int round, go[2];
	__u64 length;
	pid_t pid;

	ASSERT_EQ(0, client_open(&spy));
	ASSERT_EQ(0, device_query(&spy, 0, &q));
	ASSERT_EQ(0, pipe(go));
	for (round = 0; round < 4; round++) {
		pid = fork_bound();
		ASSERT_LE(0, pid);
		if (!pid) {
			struct client c;

			if (client_open(&c) ||
			    take_all(&c, 0, 0, false, c.base, &length) ||
			    write_fill(&c, c.base, length) ||
			    va_unbind(&c, c.base, 0))
				_exit(1);
			client_close(&c);
			if (client_open(&c))
				_exit(1);
			baton_pass(go[1]);
			take_all(&c, 0, 0, false, c.base, &length);
			pause();
		}
		baton_take(go[0]);
		usleep(rng_below(&r, 20000));
		kill(pid, SIGKILL);
		ASSERT_EQ(256 + SIGKILL, child_wait(pid));
	}
	ASSERT_EQ(0, take_all(&spy, 0, 0, false, spy.base, &length));
	EXPECT_EQ(q.out_total, length);
	EXPECT_EQ(NO_LEAK, find_leak(&spy, spy.base, length));
	client_close(&spy);
}

#define HOLES	512

/* Every second piece at the end of a device is free, and was written to. */
static int make_holes(const struct client *c)
{
	const __u64 size = 16 * PAGE;
	struct vnpu_device_query q;
	__u32 id, i;
	int ret;

	ret = device_query(c, 0, &q) ?:
	      mem_alloc(c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			q.out_free - 2 * HOLES * size, &id);
	for (i = 0; !ret && i < 2 * HOLES; i++)
		ret = mem_alloc_at(c, 0, 0, 0, size, c->base + i * size) ?:
		      write_fill(c, c->base + i * size, size);
	for (i = 0; !ret && i < 2 * HOLES; i += 2)
		ret = va_unbind(c, c->base + i * size, 0);
	return ret;
}

static _Noreturn void compact_once(int done)
{
	struct client c;
	__u32 id;

	if (client_open(&c))
		_exit(1);
	mem_alloc(&c, 0, 0, VNPU_PAGE_SHIFT_2M, MIB(2), &id);
	baton_pass(done);
	pause();
	_exit(0);
}

/* Memory that is not clear yet is moved as well, and stays dirty. */
TEST(killed_while_clearing_and_moved)
{
	struct rng r = rng_init();
	struct client spy, holder;
	int round, go[2], done[2];
	pid_t pid, mover;
	__u64 length;

	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(done));
	for (round = 0; round < 6; round++) {
		ASSERT_EQ(0, client_open(&holder));
		ASSERT_EQ(0, make_holes(&holder));
		mover = fork_bound();
		ASSERT_LE(0, mover);
		if (!mover)
			compact_once(done[1]);
		pid = fork_bound();
		ASSERT_LE(0, pid);
		if (!pid) {
			struct client c;

			if (client_open(&c))
				_exit(1);
			baton_pass(go[1]);
			mem_alloc_at(&c, 0, VNPU_MEM_F_NO_COMPACT, 0, MIB(28),
				     c.base);
			pause();
		}
		baton_take(go[0]);
		usleep(rng_below(&r, 150000));
		kill(pid, SIGKILL);
		ASSERT_EQ(256 + SIGKILL, child_wait(pid));
		baton_take(done[0]);
		kill(mover, SIGKILL);
		ASSERT_EQ(256 + SIGKILL, child_wait(mover));
		client_close(&holder);

		ASSERT_EQ(0, client_open(&spy));
		ASSERT_EQ(0, take_all(&spy, 0, 0, false, spy.base, &length));
		ASSERT_EQ(NO_LEAK, find_leak(&spy, spy.base, length))
			TH_LOG("round %d", round);
		client_close(&spy);
	}
}

/*
 * Two clients of one process allocate and free memory in pieces of all sizes:
 * each reads zeros or its own data.
 */
TEST(two_clients_share_an_arena)
{
	enum { SLOTS = 16, MAX = 64 };
	const __u64 rounds = env_u64("VNPU_ROUNDS", 2000);
	struct { __u64 va; __u64 length; } slot[2][SLOTS] = {};
	struct rng r = rng_init();
	struct client c[2];
	__u64 words[MAX * PAGE / 8];
	__u64 n, i, mine;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, client_open(&c[i]));
		for (n = 0; n < SLOTS; n++)
			slot[i][n].va = c[i].base + n * MAX * PAGE;
	}
	for (n = 0; n < rounds; n++) {
		int who = rng_below(&r, 2);
		int s = rng_below(&r, SLOTS);
		__u64 va = slot[who][s].va, length = slot[who][s].length;

		if (length) {
			ASSERT_EQ(0, va_unbind(&c[who], va, 0));
			slot[who][s].length = 0;
			continue;
		}
		length = (1 + rng_below(&r, MAX)) * PAGE;
		ASSERT_EQ(0, mem_alloc_at(&c[who], 0, 0, 0, length, va));
		slot[who][s].length = length;
		ASSERT_EQ(0, copy(&c[who], addr(words), va, length));
		mine = 0x1111111111111111ULL * (who + 1);
		for (i = 0; i < length / 8; i++) {
			ASSERT_TRUE(!words[i] || words[i] == mine)
				TH_LOG("round %llu word %llu: %#llx", n, i,
				       words[i]);
		}
		/* Write to some of it, seldom to all. */
		i = rng_below(&r, length / 8);
		ASSERT_EQ(0, fill(&c[who], va + i * 8,
				  (1 + rng_below(&r, length / 8 - i)) * 8,
				  mine, 8));
	}
	client_close(&c[0]);
	client_close(&c[1]);
}

TEST_HARNESS_MAIN
