// SPDX-License-Identifier: GPL-2.0-only
/*
 * Forks, from several threads, of a process whose stream, copies and mappings
 * are busy all the time. A child ends at once, executes another program,
 * becomes a client itself, forks again, or holds the file after its parent has
 * ended. The parent checks every byte and every task.
 */
#include "kselftest_harness.h"

#include <pthread.h>

#include "../uapi/stream.h"
#include "storm.h"

#define THREADS		3
#define FORKS		150
#define LENGTH		KIB(256)

struct shared {
	const struct client *c;
	struct rng r;
	uint64_t forks;
	int error;
};

/* Open a client in the child, if there is room for one. */
static int child_works(void)
{
	struct client own;
	__u8 byte = 7;

	if (client_open(&own) ||
	    mem_alloc_at(&own, 0, 0, 0, PAGE, own.base) ||
	    fill(&own, own.base, PAGE, 9, 1) ||
	    copy(&own, addr(&byte), own.base + 100, 1))
		return 1;
	return byte == 9 ? 0 : 2;
}

static int child(const struct client *c, __u64 kind)
{
	struct vnpu_info i;

	switch (kind) {
	case 0:
		return 0;
	case 1:
		execl("/bin/true", "true", NULL);
		return 3;
	case 2:
		return child_works();
	case 3:
		return info(c, &i) == -EPERM ? 0 : 4;
	case 4:
		if (!fork_bound())
			_exit(info(c, &i) == -EPERM ? 0 : 5);
		while (wait(NULL) > 0)
			;
		return 0;
	default:
		return touch_read(c->base) ? 0 : 6;
	}
}

static void *forker(void *arg)
{
	struct shared *s = arg;
	pid_t pid;

	while (s->forks-- && !s->error) {
		__u64 kind = rng_below(&s->r, 6);

		pid = fork_bound();
		if (pid < 0) {
			s->error = errno;
		} else if (!pid) {
			_exit(child(s->c, kind));
		} else {
			s->error = child_wait(pid);
		}
	}
	return NULL;
}

FIXTURE(fork)
{
	struct calm calm;
};

FIXTURE_SETUP(fork)
{
	ASSERT_EQ(0, calm_begin(&self->calm));
}

FIXTURE_TEARDOWN(fork)
{
	EXPECT_STREQ("", calm_again(&self->calm) ?: "");
	calm_end(&self->calm);
}

/* Do one round of the parent's work: 0 or -errno. */
static int work(struct stream *s, __u8 value)
{
	const struct client *c = s->c;
	__u8 *mem = ptr(c->base);
	int ret;

	ret = stream_do(s, task_fill(c->base, LENGTH, value, 1));
	if (!ret)
		ret = copy(c, c->base + MIB(4), c->base, LENGTH);
	if (!ret)
		ret = stream_do(s, task_copy(c->base + MIB(8),
					     c->base + MIB(4), LENGTH));
	if (!ret && !is_all(mem + MIB(8), value, LENGTH))
		ret = -EBADMSG;
	/* Mappings that are made and removed while forks copy them. */
	if (!ret)
		ret = va_unbind(c, c->base + MIB(4), 0);
	if (!ret)
		ret = mem_alloc_at(c, 0, VNPU_MEM_F_HOST_ACCESS, 0, LENGTH,
				   c->base + MIB(4));
	return ret;
}

TEST_F_TIMEOUT(fork, while_it_works, STORM_SECONDS)
{
	const uint64_t forks = storm_times(FORKS);
	struct shared shared[THREADS];
	pthread_t threads[THREADS];
	struct rng r = rng_init();
	unsigned long rounds = 0;
	struct client c;
	struct stream s;
	bool busy = true;
	int i;

	ASSERT_EQ(0, client_open_only(&c));
	ASSERT_EQ(0, window_map(&c, MIB(64), PROT_READ | PROT_WRITE));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, mem_alloc_at(&c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
					  LENGTH, c.base + i * MIB(4)));
	}
	ASSERT_EQ(0, stream_create(&s, &c, 0));
	for (i = 0; i < THREADS; i++) {
		shared[i] = (struct shared){
			.c = &c, .r = { rng_next(&r) | 1 },
			.forks = forks / THREADS,
		};
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, forker,
					    &shared[i]));
	}
	while (busy) {
		ASSERT_EQ(0, work(&s, ++rounds));
		busy = false;
		for (i = 0; i < THREADS; i++)
			busy |= shared[i].forks + 1 && !shared[i].error;
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(0, shared[i].error);
	}
	printf("# %llu forks during %lu rounds of work\n",
	       (unsigned long long)forks, rounds);
	stream_destroy(&s);
	client_close(&c);
}

/*
 * Generations: each is the child of a process that has ended, and has its file.
 */
TEST_F_TIMEOUT(fork, a_line_of_orphans, STORM_SECONDS)
{
	const uint64_t generations = storm_times(50);
	struct vnpu_info i;
	int ends[2], status;
	struct client c;
	uint64_t n;
	char byte;

	ASSERT_EQ(0, pipe(ends));
	if (!fork_bound()) {
		if (client_open(&c) ||
		    mem_alloc_at(&c, 0, 0, 0, MIB(8), c.base))
			_exit(1);
		for (n = 0; n < generations; n++) {
			if (fork())
				_exit(0);
			if (info(&c, &i) != -EPERM)
				_exit(2);
		}
		/* The last one reports. */
		if (write(ends[1], "", 1) != 1)
			_exit(3);
		_exit(0);
	}
	close(ends[1]);
	ASSERT_EQ(1, read(ends[0], &byte, 1));
	/* All have the pipe; it ends when they have. */
	ASSERT_EQ(0, read(ends[0], &byte, 1));
	ASSERT_LT(0, wait(&status));
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
