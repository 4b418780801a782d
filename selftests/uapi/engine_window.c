// SPDX-License-Identifier: GPL-2.0-only
/*
 * The window in an engine file: a core can access what its client has bound, with
 * the rights of the device, and nothing else.
 */
#include "engine.h"

#include <pthread.h>

/* More threads than processors, so that some are interrupted in the kernel. */
#define POKERS	16

static int access_by(FIXTURE_DATA(engine) * self, __u64 function, __u64 va)
{
	self->args[4] = va;
	return stream_do(&self->s, task_launch(function, self->va + 32, 8));
}

TEST_F(engine, rights_are_those_of_the_device)
{
	__u64 va = self->va + MIB(64);
	__u8 seen = 0;
	__u32 id;

	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	EXPECT_EQ(-EFAULT, access_by(self, CORE_READ, va));
	/* The host has no access, but the device has. */
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, 4 * PAGE, &id));
	ASSERT_EQ(0, va_bind(&self->c, id, va, 4 * PAGE, 0));
	EXPECT_EQ(SIGSEGV, touch_read(va));
	EXPECT_EQ(0, access_by(self, CORE_READ, va));
	EXPECT_EQ(0, access_by(self, CORE_WRITE, va + 5));
	ASSERT_EQ(0, copy(&self->c, addr(&seen), va + 5, 1));
	EXPECT_EQ(0x77, seen);
	/* Read-only, then none: also for pages that the core has mapped. */
	ASSERT_EQ(0, va_protect(&self->c, va, 4 * PAGE, 0, VNPU_ACCESS_READ));
	EXPECT_EQ(0, access_by(self, CORE_READ, va));
	EXPECT_EQ(-EFAULT, access_by(self, CORE_WRITE, va));
	ASSERT_EQ(0, va_protect(&self->c, va, 4 * PAGE, 0, VNPU_ACCESS_NONE));
	EXPECT_EQ(-EFAULT, access_by(self, CORE_READ, va));
	ASSERT_EQ(0, va_protect(&self->c, va, 4 * PAGE, VNPU_DEVICE_ALL,
				VNPU_ACCESS_READ_WRITE));
	EXPECT_EQ(0, access_by(self, CORE_WRITE, va));
	ASSERT_EQ(0, va_unbind(&self->c, va, 4 * PAGE));
	EXPECT_EQ(-EFAULT, access_by(self, CORE_READ, va));
	EXPECT_EQ(-EFAULT, access_by(self, CORE_READ, self->c.base + self->c.size
				     - 1));
	mem_free(&self->c, id);
}

/* A process can read and write its own memory like a debugger. */
TEST_F(engine, rights_hold_for_debuggers)
{
	__u64 va = self->va + MIB(64);
	__u8 seen = 0;
	__u32 id;

	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, 4 * PAGE, &id));
	ASSERT_EQ(0, va_bind(&self->c, id, va, 4 * PAGE, 0));
	EXPECT_EQ(0, access_by(self, CORE_PEEK, va));
	EXPECT_EQ(0, access_by(self, CORE_POKE, va));
	ASSERT_EQ(0, va_protect(&self->c, va, 4 * PAGE, 0, VNPU_ACCESS_READ));
	EXPECT_EQ(0, access_by(self, CORE_PEEK, va));
	EXPECT_EQ(-EIO, access_by(self, CORE_POKE, va + 1));
	ASSERT_EQ(0, va_protect(&self->c, va, 4 * PAGE, 0, VNPU_ACCESS_NONE));
	EXPECT_EQ(-EIO, access_by(self, CORE_PEEK, va));
	EXPECT_EQ(-EIO, access_by(self, CORE_POKE, va + 1));
	EXPECT_EQ(-EIO, access_by(self, CORE_PEEK, va + MIB(1)));
	ASSERT_EQ(0, va_protect(&self->c, va, 4 * PAGE, 0,
				VNPU_ACCESS_READ_WRITE));
	ASSERT_EQ(0, copy(&self->c, addr(&seen), va, 1));
	EXPECT_EQ(0x66, seen);
	ASSERT_EQ(0, copy(&self->c, addr(&seen), va + 1, 1));
	EXPECT_EQ(0, seen);
	ASSERT_EQ(0, va_unbind(&self->c, va, 4 * PAGE));
	mem_free(&self->c, id);
}

/* Write to an address like a debugger, again and again. */
static void *poke_always(void *va)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	__u64 value;

	for (value = 1; fd >= 0; value++)
		if (pwrite(fd, &value, sizeof(value), (off_t)addr(va)) < 0)
			sched_yield();
	return NULL;
}

/* Be a core that does so in many threads, and never stops its only launch. */
static void poker_main(int fd, __u64 va, bool has_launch)
{
	struct vnpu_engine_event event;
	struct vnpu_engine_attach a;
	pthread_t thread;
	int i;

	if (engine_attach(fd, &a) ||
	    engine_map_window(fd, a.out_window, a.out_window_length,
			      PROT_READ | PROT_WRITE) == MAP_FAILED)
		_exit(1);
	if (has_launch && engine_next(fd, &event, 1, NO_TIMEOUT) != 1)
		_exit(2);
	for (i = 0; i < POKERS; i++)
		if (pthread_create(&thread, NULL, poke_always, ptr(va)))
			_exit(3);
	for (;;)
		pause();
}

/* Start it, and wait until it writes. Return 0 or -errno. */
static int poker_start(struct core *k, struct client *c, volatile __u64 *word,
		       bool has_launch)
{
	int i;

	*word = 0;
	k->fd = engine_create(c, 0, 0);
	if (k->fd < 0)
		return k->fd;
	k->pid = fork_bound();
	if (!k->pid)
		poker_main(k->fd, addr((void *)word), has_launch);
	for (i = 0; i < 10000 && !*word; i++)
		usleep(1000);
	return *word ? 0 : -ETIMEDOUT;
}

/* Count the changes of a word that nothing may change any more. */
static int changes(const volatile __u64 *word)
{
	__u64 first = *word;

	usleep(20000);
	return *word != first;
}

/* A write that has begun ends before the right is revoked. */
TEST_F_TIMEOUT(engine, debugger_loses_its_rights, 120)
{
	int i, late = 0;

	ASSERT_EQ(0, poker_start(&self->k, &self->c, self->data, false));
	for (i = 0; i < 25; i++) {
		ASSERT_EQ(0, va_protect(&self->c, self->va, MIB(4), 0,
					VNPU_ACCESS_READ));
		late += changes(self->data);
		ASSERT_EQ(0, va_protect(&self->c, self->va, MIB(4), 0,
					VNPU_ACCESS_READ_WRITE));
		usleep(1000);
	}
	EXPECT_EQ(0, late);
}

/* A write that has begun ends before the launches of the core do. */
TEST_F_TIMEOUT(engine, debugger_ends_with_its_core, 120)
{
	struct vnpu_task t = task_launch(CORE_STUCK, self->va, 16);
	int i, late = 0;

	t.timeout_ms = 500;
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, stream_run(&self->s, t));
		ASSERT_EQ(0, poker_start(&self->k, &self->c, self->data, true));
		EXPECT_EQ(0, stream_wait(&self->s, 60000));
		late += changes(self->data);
		EXPECT_EQ(ETIMEDOUT, self->s.ring->error);
		EXPECT_TRUE(engine_has_ended(self->k.fd, 0));
		core_end(&self->k);
	}
	EXPECT_EQ(0, late);
}

TEST_F(engine, kinds_of_memory)
{
	__u64 va = self->va + MIB(64), slabs = self->va + MIB(128), slab;
	__u8 *own, seen = 0;
	__u32 id;
	int i;

	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	/* Memory of the host that the driver allocated. */
	ASSERT_EQ(0, host_alloc(&self->c, 2 * PAGE, &id));
	ASSERT_EQ(0, va_bind(&self->c, id, va, 2 * PAGE, 0));
	EXPECT_EQ(0, access_by(self, CORE_WRITE, va + PAGE + 9));
	ASSERT_EQ(0, copy(&self->c, addr(&seen), va + PAGE + 9, 1));
	EXPECT_EQ(0x77, seen);
	/* Memory of the process. */
	own = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, own);
	ASSERT_EQ(0, host_register(&self->c, 0, own, 2 * PAGE, &id));
	ASSERT_EQ(0, va_bind(&self->c, id, va + MIB(1), 2 * PAGE, 0));
	EXPECT_EQ(0, access_by(self, CORE_WRITE, va + MIB(1) + 3));
	EXPECT_EQ(0x77, own[3]);
	ASSERT_EQ(0, host_register(&self->c, VNPU_HOST_REGISTER_F_READ_ONLY,
				   own, PAGE, &id));
	ASSERT_EQ(0, va_bind(&self->c, id, va + MIB(2), PAGE, 0));
	EXPECT_EQ(0, access_by(self, CORE_READ, va + MIB(2)));
	EXPECT_EQ(-EFAULT, access_by(self, CORE_WRITE, va + MIB(2)));
	munmap(own, 2 * PAGE);
	/* A worker takes the pages from the core, slightly later. */
	for (i = 0; i < 10000; i++) {
		if (access_by(self, CORE_READ, va + MIB(1) + PAGE) == -EIO)
			break;
		usleep(1000);
	}
	EXPECT_GT(10000, i);
	/* Small objects of device memory, before and after they are freed. */
	ASSERT_EQ(0, slab_window(&self->c, 0, slabs, MIB(64)));
	ASSERT_EQ(0, slab_alloc(&self->c, 0, 256, &slab, NULL));
	EXPECT_EQ(0, access_by(self, CORE_WRITE, slab));
	ASSERT_EQ(0, copy(&self->c, addr(&seen), slab, 1));
	EXPECT_EQ(0x77, seen);
	ASSERT_EQ(0, slab_free(&self->c, slab));
	/* Pages of 2 MiB. */
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, VNPU_PAGE_SHIFT_2M, MIB(4),
				  va + MIB(4)));
	EXPECT_EQ(0, access_by(self, CORE_READ, va + MIB(5)));
	EXPECT_EQ(0, access_by(self, CORE_WRITE, va + MIB(5)));
	EXPECT_EQ(0, access_by(self, CORE_WRITE, va + MIB(8) - 1));
	ASSERT_EQ(0, va_unbind_flags(&self->c, VNPU_VA_UNBIND_F_FREE,
				     va + MIB(4), MIB(4)));
	EXPECT_EQ(-EFAULT, access_by(self, CORE_READ, va + MIB(5)));
}

/* Remove pages from the core's mapping again and again while it writes. */
TEST_F(engine, pages_are_removed_under_a_launch)
{
	__u64 i, words = MIB(1) / 8, *mem = ptr(self->va + MIB(1));

	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	memset(mem, 0, MIB(1));
	self->args[0] = self->va + MIB(1);
	self->args[1] = words;
	ASSERT_EQ(0, stream_run(&self->s, task_launch(CORE_KEEP_ADDING,
						      self->va, 16)));
	for (i = 0; i < 200; i++) {
		ASSERT_EQ(0, va_protect(&self->c, self->va, MIB(4), 0,
					VNPU_ACCESS_READ_WRITE));
		usleep(500);
	}
	ASSERT_EQ(0, stream_abort(&self->s, NULL));
	EXPECT_EQ(1, self->s.ring->cancelled);
	/* No addition was lost or made twice. */
	for (i = 1; i < words; i++)
		ASSERT_EQ(mem[0], mem[i]) TH_LOG("%llu", i);
	EXPECT_LT(0, mem[0]);
	EXPECT_EQ(1, self->k.report->stops);
	/* Nothing is added later. */
	i = mem[0];
	usleep(20000);
	EXPECT_EQ(i, mem[0]);
}

TEST_F(engine, mapping_has_rules)
{
	struct vnpu_engine_attach a;
	int fd, prot = PROT_READ | PROT_WRITE;
	pid_t pid;
	void *p;

	fd = engine_create(&self->c, 0, 1);
	ASSERT_LE(0, fd);
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		/* Before it attaches. */
		p = engine_map_window(fd, self->va, MIB(4), prot);
		if (p != MAP_FAILED || errno != EPERM)
			_exit(1);
		p = (void *)engine_map_state(fd);
		if (p != MAP_FAILED || errno != EPERM)
			_exit(2);
		if (engine_next(fd, NULL, 0, 0) != -EPERM ||
		    engine_set(fd, 0) != -EPERM)
			_exit(3);
		if (engine_attach(fd, &a) || engine_attach(fd, &a))
			_exit(4);
		if (a.out_window != self->c.base ||
		    a.out_window_length != self->c.size || a.out_slots != 1 ||
		    a.out_device || a.out_client_pid != (__u32)getppid() ||
		    a.out_client_id == 0)
			_exit(5);
		if (engine_map_window(fd, self->va, MIB(4),
				      prot | PROT_EXEC) != MAP_FAILED)
			_exit(6);
		if (engine_map_window(fd, self->va - PAGE, MIB(4), prot) !=
		    MAP_FAILED)
			_exit(7);
		p = engine_map_window(fd, self->va, MIB(4), prot);
		if (p != ptr(self->va))
			_exit(8);
		if (!mprotect(p, MIB(4), PROT_READ | PROT_EXEC))
			_exit(9);
		if (mremap(p, MIB(4), MIB(4), MREMAP_MAYMOVE | MREMAP_FIXED,
			   ptr(self->va + MIB(256))) != MAP_FAILED ||
		    mremap(p, 0, MIB(4), MREMAP_MAYMOVE) != MAP_FAILED)
			_exit(16);
		if (!madvise(p, MIB(4), MADV_DOFORK))
			_exit(10);
		p = mmap(NULL, PAGE, prot, MAP_SHARED, fd, 0);
		if (p != MAP_FAILED)
			_exit(11);
		p = (void *)engine_map_state(fd);
		if (p == MAP_FAILED || !mprotect(p, PAGE, prot))
			_exit(12);
		if (touch_write(self->va + 3 * PAGE, 1))
			_exit(13);
		if (call(fd, VNPU_IOCTL_INFO, &a) != -ENOTTY ||
		    call(fd, VNPU_IOCTL_ENGINE_CREATE, &a) != -ENOTTY)
			_exit(14);
		/* Its own child has no rights. */
		pid = fork_bound();
		if (!pid) {
			if (engine_next(fd, NULL, 0, 0) != -EPERM)
				_exit(1);
			if (engine_attach(fd, &a) != -EBUSY)
				_exit(2);
			if (touch_read(self->va) != SIGSEGV ||
			    touch_read(addr(p)) != SIGSEGV)
				_exit(3);
			_exit(0);
		}
		_exit(child_wait(pid) ? 15 : 0);
	}
	/* The client may only look. */
	p = (void *)engine_map_state(fd);
	EXPECT_NE(MAP_FAILED, p);
	EXPECT_EQ(MAP_FAILED, engine_map_window(fd, self->va + MIB(512), PAGE,
						prot));
	EXPECT_EQ(-EPERM, engine_next(fd, NULL, 0, 0));
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_TRUE(engine_has_ended(fd, 5000));
	EXPECT_EQ(1, ((struct vnpu_engine_state *)p)->ended);
	EXPECT_EQ(-ENODEV, engine_attach(fd, &a));
	close(fd);
}

TEST_HARNESS_MAIN
