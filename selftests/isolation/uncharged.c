// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any user may query a device's memory without a quota, and any client may make
 * a request that fails. The memory that the kernel allocates for the reply is
 * charged to the calling process, with any number of threads: the host loses no
 * memory that the memory cgroup does not show.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "kselftest_harness.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "../tool/nl.h"
#include "../uapi/client.h"
#include "../uapi/util.h"

#define CGROUPS		"/sys/fs/cgroup"
#define ALICE		54321

#define THREADS		100
#define LIMIT		MIB(64)

/* Replies that are observed: each thread queries several times, all at once. */
#define ANSWERS		(2 * THREADS)
#define WATCH_MS	60000

/* Extents of other clients, if the device has as many pages; a few are free. */
#define MANY		32768
#define FREE_EVERY	64

/*
 * Memory that may be lost for other reasons: the kernel's counters lag by some
 * pages.
 */
#define NOISE		MIB(8)

struct attack {
	int (*ask)(void);
	bool has_node;
	int procs;	/* of the cgroup */
	int ready[2];
	int go[2];
	atomic_uint *answers;	/* shared with the attacking process */
};

FIXTURE(uncharged)
{
	struct client c;
	struct attack attack;
	pid_t attacker;
	char path[96];
	bool made;
};

FIXTURE_VARIANT(uncharged)
{
	int (*ask)(void);
	bool has_node;	/* otherwise the process cannot open the node */
};

static __thread int nl = -1;
static __thread struct client mine = { .fd = -1 };
static int family;

static int ask(struct nl_msg *m)
{
	static __thread __u8 answer[NL_BUFFER];

	if (nl < 0)
		nl = nl_open();
	m->head.nlmsg_type = (__u16)family;
	return nl < 0 ? -errno : nl_ask(nl, m, answer);
}

static int ask_map(void)
{
	struct nl_msg m;

	nl_init(&m, 0, 0, VNPU_CMD_MAP_GET);
	nl_put_u32(&m, VNPU_A_MAP_DEV_ID, 0);
	return ask(&m);
}

static int ask_fit(void)
{
	struct nl_msg m;

	nl_init(&m, 0, 0, VNPU_CMD_FIT_GET);
	nl_put_u32(&m, VNPU_A_FIT_DEV_ID, 0);
	nl_put_u64(&m, VNPU_A_FIT_LENGTH, 2 * PAGE);
	nl_put(&m, VNPU_A_FIT_CONTIGUOUS, NULL, 0);
	return ask(&m);
}

/*
 * The request fails, and the kernel checks whether compaction would have
 * helped.
 */
static int ask_contiguous(void)
{
	__u32 id;
	int ret;

	if (mine.fd < 0) {
		ret = client_open_only(&mine);
		if (ret)
			return ret;
	}
	ret = mem_alloc(&mine, 0, VNPU_MEM_F_CONTIGUOUS | VNPU_MEM_F_NO_COMPACT,
			0, 2 * PAGE, &id);
	return ret == -ENOSPC ? 0 : ret;
}

static void *attack_thread(void *arg)
{
	const struct attack *a = arg;
	if (a->ask())
		_exit(12);
	baton_pass(a->ready[1]);
	baton_take(a->go[0]);
	for (;; atomic_fetch_add(a->answers, 1))
		a->ask();
	return NULL;
}

static void attack_run(const struct attack *a)
{
	pthread_attr_t attr;
	pthread_t thread;
	int i;

	if (write(a->procs, "0", 1) != 1 ||
	    (!a->has_node && setresgid(ALICE, ALICE, ALICE)) ||
	    setresuid(ALICE, ALICE, ALICE) ||
	    (!a->has_node && !access(VNPU_NODE, R_OK)))
		_exit(10);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, KIB(256));
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, &attr, attack_thread, (void *)a))
			_exit(11);
	for (;;)
		pause();
}

static int write_to(const char *directory, const char *name, const char *text)
{
	char path[160];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

/* Return bytes, or 0. */
static __u64 memory_available(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	unsigned long long kib = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return KIB(kib);
}

/*
 * Allocate nearly all pages one by one, so that no two free pages are
 * neighbours.
 */
static int take_all(FIXTURE_DATA(uncharged) *self)
{
	struct vnpu_device_query q;
	__u32 pages, i, id;
	int ret = device_query(&self->c, 0, &q);

	if (ret)
		return ret;
	pages = q.out_free / PAGE < MANY ? q.out_free / PAGE : MANY;
	for (i = 0; !ret && i < pages; i++)
		ret = mem_alloc_at(&self->c, 0, 0, 0, PAGE,
				   self->c.base + i * PAGE);
	if (!ret && q.out_free > pages * PAGE)
		ret = mem_alloc(&self->c, 0, 0, 0, q.out_free - pages * PAGE,
				&id);
	for (i = 0; !ret && i < pages; i += FREE_EVERY)
		ret = va_unbind(&self->c, self->c.base + i * PAGE, PAGE);
	return ret;
}

FIXTURE_SETUP(uncharged)
{
	const struct sched_param first = { .sched_priority = 50 };
	char limit[24];

	self->c.fd = -1;
	/*
	 * With KASAN, freed memory is neither available nor charged any more.
	 */
	if (!access("/sys/kernel/debug/kmemleak", F_OK))
		SKIP(return, "KASAN keeps freed memory");
	snprintf(self->path, sizeof(self->path), CGROUPS "/vnpu-uncharged-%d",
		 getpid());
	write_to(CGROUPS, "cgroup.subtree_control", "+memory");
	if (mkdir(self->path, 0755))
		SKIP(return, "no cgroup2 at " CGROUPS);
	self->made = true;
	snprintf(limit, sizeof(limit), "%llu", (unsigned long long)LIMIT);
	if (write_to(self->path, "memory.max", limit))
		SKIP(return, "the kernel has no memory controller");
	nl = nl_open_family(&family);
	ASSERT_LE(0, nl);
	close(nl);
	nl = -1;
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, take_all(self));

	self->attack.ask = variant->ask;
	self->attack.has_node = variant->has_node;
	ASSERT_EQ(0, pipe2(self->attack.ready, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(self->attack.go, O_CLOEXEC));
	self->attack.answers = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->attack.answers);
	strcat(self->path, "/cgroup.procs");
	self->attack.procs = open(self->path, O_WRONLY | O_CLOEXEC);
	*strrchr(self->path, '/') = '\0';
	ASSERT_LE(0, self->attack.procs);
	/* Run first, to measure in time beside the attacking threads. */
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK,
					&first));
	self->attacker = fork_bound();
	ASSERT_LE(0, self->attacker);
	if (!self->attacker)
		attack_run(&self->attack);
	close(self->attack.ready[1]);
}

FIXTURE_TEARDOWN(uncharged)
{
	int i;

	if (self->attacker) {
		kill(self->attacker, SIGKILL);
		child_wait(self->attacker);
	}
	client_close(&self->c);
	for (i = 0; self->made && rmdir(self->path) && i < 100; i++)
		usleep(10000);
}

#define VARIANT(name, node)					\
	FIXTURE_VARIANT_ADD(uncharged, name)			\
	{							\
		.ask = ask_##name,				\
		.has_node = node,				\
	}

VARIANT(map, false);
VARIANT(fit, false);
VARIANT(contiguous, true);

TEST_F_TIMEOUT(uncharged, no_memory_is_uncharged, 120)
{
	__u64 available, current, until, loss, most = 0, worst = 0;
	int i;

	/*
	 * The memory of the threads themselves is allocated before they begin.
	 */
	for (i = 0; i < THREADS; i++)
		baton_take(self->attack.ready[0]);
	available = memory_available();
	current = file_u64("%s/memory.current", self->path);
	ASSERT_NE(0, available);
	ASSERT_NE(~0ULL, current);
	for (i = 0; i < THREADS; i++)
		baton_pass(self->attack.go[1]);
	until = now_ms() + WATCH_MS;
	while (atomic_load(self->attack.answers) < ANSWERS &&
	       now_ms() < until) {
		__u64 now = memory_available();
		__u64 charged = file_u64("%s/memory.current", self->path);

		loss = now < available ? available - now : 0;
		charged = charged > current ? charged - current : 0;
		most = loss > most ? loss : most;
		if (loss * 95 / 100 > charged &&
		    loss * 95 / 100 - charged > worst)
			worst = loss * 95 / 100 - charged;
		usleep(5000);
	}
	EXPECT_LE(ANSWERS, atomic_load(self->attack.answers));
	EXPECT_EQ(0, waitpid(self->attacker, NULL, WNOHANG));
	printf("# the host had %llu KiB less, of which %llu were not charged\n",
	       most >> 10, worst >> 10);
	EXPECT_GE(NOISE, worst);
}

TEST_HARNESS_MAIN
