// SPDX-License-Identifier: GPL-2.0-only
/*
 * Engine files: a core runs launches in the order of their streams, with the
 * rights of the device, and ends them once each. See engine_end.c for cores that
 * hang or die.
 */
#include "kselftest_harness.h"

#include "core.h"
#include "pass.h"
#include "sync.h"

FIXTURE(engine)
{
	struct client c;
	struct stream s;
	struct core k;
	__u64 va;	/* 4 MiB of device memory, with host access */
	__u64 *args;	/* its first page: arguments */
	__u64 *data;	/* its second page */
};

FIXTURE_SETUP(engine)
{
	memset(&self->k, 0, sizeof(self->k));
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	self->va = self->c.base;
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  MIB(4), self->va));
	self->args = ptr(self->va);
	self->data = ptr(self->va + PAGE);
	memset(self->args, 0, 2 * PAGE);
	self->args[0] = self->va + PAGE;
	self->args[1] = 8;
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
}

FIXTURE_TEARDOWN(engine)
{
	core_end(&self->k);
	stream_destroy(&self->s);
	client_close(&self->c);
}

static struct vnpu_task add(const struct client *c)
{
	return task_launch(CORE_ADD, c->base, 16);
}

TEST_F(engine, launch_computes)
{
	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	EXPECT_EQ(0, stream_do(&self->s, add(&self->c)));
	EXPECT_EQ(1, self->data[0]);
	EXPECT_EQ(1, self->data[7]);
	EXPECT_EQ(0, self->data[8]);
}

TEST_F(engine, launch_waits_for_a_core)
{
	const struct vnpu_engine_state *state;
	int fd;

	ASSERT_EQ(0, stream_run(&self->s, add(&self->c)));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->s, 50));
	fd = engine_create(&self->c, 0, 0);
	ASSERT_LE(0, fd);
	state = engine_map_state(fd);
	ASSERT_NE(MAP_FAILED, state);
	EXPECT_EQ(1, state->waiting);
	EXPECT_EQ(0, state->pending);
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->s, 50));
	ASSERT_EQ(0, core_start_on(&self->k, fd, &self->c));
	EXPECT_EQ(0, stream_wait(&self->s, 10000));
	EXPECT_EQ(0, state->waiting);
	EXPECT_EQ(0, self->s.ring->errors);
	EXPECT_EQ(1, self->data[0]);
	EXPECT_EQ(0, state->ended);
}

TEST_F(engine, keeps_the_order_of_its_stream)
{
	__u64 copies = self->va + 2 * PAGE;
	int i;

	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 1));
	stream_put(&self->s, task_fill(self->va + PAGE, 64, 5, 8));
	for (i = 0; i < 100; i++) {
		stream_put(&self->s, add(&self->c));
		stream_put(&self->s, task_copy(copies + 8 * i, self->va + PAGE,
					       8));
	}
	ASSERT_EQ(0, stream_submit(&self->s));
	ASSERT_EQ(0, stream_wait(&self->s, 20000));
	EXPECT_EQ(0, self->s.ring->errors);
	for (i = 0; i < 100; i++)
		ASSERT_EQ(6 + i, ((__u64 *)ptr(copies))[i]) TH_LOG("%d", i);
	EXPECT_EQ(100, core_launches(&self->k));
	EXPECT_EQ(2, self->k.report->seqs[0]);
	EXPECT_EQ(200, self->k.report->seqs[99]);
	EXPECT_EQ(self->s.id, self->k.report->streams[0]);
}

TEST_F(engine, many_streams_share_few_slots)
{
	enum { STREAMS = 40, EACH = 50 };
	struct stream s[STREAMS];
	int i, j;

	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 3));
	for (i = 0; i < STREAMS; i++) {
		__u64 args = self->va + (2 + i) * PAGE;

		((__u64 *)ptr(args))[0] = args + 64;
		((__u64 *)ptr(args))[1] = 1;
		((__u64 *)ptr(args))[8] = 0;
		ASSERT_EQ(0, stream_create_only(&s[i], &self->c, 0, i % 8, 0, 0));
		ASSERT_EQ(0, stream_map(&s[i]));
		for (j = 0; j < EACH; j++)
			stream_put(&s[i], task_launch(CORE_ADD, args, 16));
		ASSERT_EQ(0, stream_submit(&s[i]));
	}
	for (i = 0; i < STREAMS; i++) {
		ASSERT_EQ(0, stream_wait(&s[i], 30000));
		EXPECT_EQ(0, s[i].ring->errors);
		EXPECT_EQ(EACH, ((__u64 *)ptr(self->va + (2 + i) * PAGE))[8]);
		stream_destroy(&s[i]);
	}
	EXPECT_EQ(STREAMS * EACH, core_launches(&self->k));
}

/* While one launch has the only slot, others wait; the urgent one is next. */
TEST_F(engine, priorities_decide_about_a_free_slot)
{
	struct stream late[2];

	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 1));
	self->args[2] = 200;
	ASSERT_EQ(0, stream_run(&self->s, task_launch(CORE_SLEEP,
						      self->va + 16, 8)));
	ASSERT_TRUE(core_wait_launches(&self->k, 1));
	ASSERT_EQ(0, stream_create_only(&late[0], &self->c, 0, 7, 0, 0));
	ASSERT_EQ(0, stream_create_only(&late[1], &self->c, 0, 0, 0, 0));
	ASSERT_EQ(0, stream_map(&late[0]));
	ASSERT_EQ(0, stream_map(&late[1]));
	ASSERT_EQ(0, stream_run(&late[0], add(&self->c)));
	usleep(50000);
	ASSERT_EQ(0, stream_run(&late[1], add(&self->c)));
	ASSERT_EQ(0, stream_wait(&late[0], 10000));
	ASSERT_EQ(0, stream_wait(&late[1], 10000));
	EXPECT_EQ(late[1].id, self->k.report->streams[1]);
	EXPECT_EQ(late[0].id, self->k.report->streams[2]);
	stream_destroy(&late[0]);
	stream_destroy(&late[1]);
}

TEST_F(engine, fields_are_checked)
{
	struct vnpu_task t = add(&self->c);

	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	t.mode = 0;
	EXPECT_EQ(-EINVAL, stream_do(&self->s, t));
	t.mode = 4;
	EXPECT_EQ(-EINVAL, stream_do(&self->s, t));
	t = add(&self->c);
	t.dst = 1;
	EXPECT_EQ(-EOPNOTSUPP, stream_do(&self->s, t));
	t = add(&self->c);
	t.flags = 1;
	EXPECT_EQ(-EOPNOTSUPP, stream_do(&self->s, t));
	t = add(&self->c);
	t.arg3 = 1;
	EXPECT_EQ(-EOPNOTSUPP, stream_do(&self->s, t));
	EXPECT_EQ(0, core_launches(&self->k));
	t = add(&self->c);
	t.mode = VNPU_LAUNCH_VECTOR | VNPU_LAUNCH_CUBE;
	t.arg1 = t.arg2 = ~0ULL;
	EXPECT_EQ(0, stream_do(&self->s, t));
}

TEST_F(engine, failures_have_an_address)
{
	static const int errors[] = {
		EINVAL, ENOENT, EFAULT, EACCES, EIO, ENOMEM, ENOEXEC, EDEADLK,
	};
	struct vnpu_stream_query q;
	unsigned int i;

	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		self->args[0] = errors[i];
		self->args[1] = self->va + 123 + i;
		EXPECT_EQ(-errors[i],
			  stream_do(&self->s, task_launch(CORE_FAIL, self->va,
							  16)));
		ASSERT_EQ(0, stream_query(&self->s, &q));
		EXPECT_EQ(self->va + 123 + i, q.out_error_addr);
	}
	self->args[0] = ECANCELED;
	EXPECT_EQ(-ECANCELED,
		  stream_do(&self->s, task_launch(CORE_FAIL, self->va, 16)));
}

TEST_F(engine, wrong_completions_are_refused)
{
	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	EXPECT_EQ(0, stream_do(&self->s, task_launch(CORE_LIE, 0, 0)));
	EXPECT_EQ(0, stream_do(&self->s, task_launch(CORE_LIE, 0, 0)));
	EXPECT_EQ(0, self->k.report->wrong);
	EXPECT_EQ(0, stream_do(&self->s, task_launch(CORE_NOTHING, 0, 0)));
}

/* Return what becomes of an access at @va, by a launch. */
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
	/* The core loses the pages slightly later. */
	for (i = 0; i < 5000; i++)
		if (access_by(self, CORE_READ, va + MIB(1) + PAGE) == -EIO)
			break;
	EXPECT_GT(5000, i);
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

TEST_F(engine, one_file_per_device)
{
	int fd, other;

	EXPECT_EQ(-EINVAL, engine_create(&self->c, 0, VNPU_ENGINE_SLOTS_MAX + 1));
	EXPECT_EQ(-ENODEV, engine_create(&self->c, 63, 0));
	fd = engine_create(&self->c, 0, VNPU_ENGINE_SLOTS_MAX);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EBUSY, engine_create(&self->c, 0, 0));
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	other = dup(fd);
	close(fd);
	EXPECT_EQ(-EBUSY, engine_create(&self->c, 0, 0));
	close(other);
	fd = engine_create(&self->c, 0, 0);
	EXPECT_LE(0, fd);
	close(fd);
}

TEST_F(engine, next_checks_its_arguments)
{
	struct vnpu_engine_event events[2] = {};
	struct vnpu_engine_next a = { .size = sizeof(a) };
	struct vnpu_engine_attach at;
	__u64 begin, id;
	int fd;

	/* The client itself is the core, for debugging. */
	fd = engine_create(&self->c, 0, 2);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, engine_attach(fd, &at));
	EXPECT_EQ(0, engine_next(fd, events, 2, 0));
	begin = now_ns();
	EXPECT_EQ(-ETIMEDOUT, engine_next(fd, events, 2, begin + 20000000));
	EXPECT_LE(20000000, now_ns() - begin);
	a.event_count = 1;
	a.event_stride = sizeof(events[0]) - 1;
	EXPECT_EQ(-EINVAL, call(fd, VNPU_IOCTL_ENGINE_NEXT, &a));
	a.event_stride = 8192;
	EXPECT_EQ(-EINVAL, call(fd, VNPU_IOCTL_ENGINE_NEXT, &a));
	a.event_stride = sizeof(events[0]);
	a.event_count = 2 * VNPU_ENGINE_SLOTS_MAX + 1;
	EXPECT_EQ(-EINVAL, call(fd, VNPU_IOCTL_ENGINE_NEXT, &a));
	a.event_count = 0;
	a.completion_count = VNPU_ENGINE_SLOTS_MAX + 1;
	a.completion_stride = sizeof(struct vnpu_engine_completion);
	EXPECT_EQ(-EINVAL, call(fd, VNPU_IOCTL_ENGINE_NEXT, &a));
	a.completion_count = 1;
	EXPECT_EQ(-EFAULT, call(fd, VNPU_IOCTL_ENGINE_NEXT, &a));

	/* An event that cannot be written is not lost. */
	ASSERT_EQ(0, stream_run(&self->s, add(&self->c)));
	a.completion_count = 0;
	a.event_count = 1;
	a.timeout_ns = NO_TIMEOUT;
	EXPECT_EQ(-EFAULT, call(fd, VNPU_IOCTL_ENGINE_NEXT, &a));
	EXPECT_EQ(-ENOENT, engine_complete(fd, 1ULL << 6, 0, 0));
	ASSERT_EQ(1, engine_next(fd, events, 2, NO_TIMEOUT));
	EXPECT_EQ(VNPU_ENGINE_EVENT_LAUNCH, events[0].kind);
	EXPECT_EQ(VNPU_LAUNCH_VECTOR, events[0].cores);
	EXPECT_EQ(self->va, events[0].args);
	EXPECT_EQ(16, events[0].args_length);
	EXPECT_EQ(1, events[0].blocks);
	EXPECT_EQ(1, events[0].seq);
	EXPECT_EQ(self->s.id, events[0].stream);
	EXPECT_EQ(0, engine_next(fd, events + 1, 1, 0));
	id = events[0].id;
	EXPECT_EQ(0, engine_complete(fd, id, 0, 0));
	EXPECT_EQ(-ENOENT, engine_complete(fd, id, 0, 0));
	EXPECT_EQ(0, stream_wait(&self->s, 10000));
	EXPECT_EQ(0, self->s.ring->errors);
	close(fd);
}

/* A fence must be signalled in bounded time, which a launch does not promise. */
TEST_F(engine, no_fence_stands_for_a_launch)
{
	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	ASSERT_EQ(0, stream_run(&self->s, task_launch(CORE_HANG, 0, 0)));
	EXPECT_EQ(-EBUSY, sync_export(&self->c, self->s.id, 1));
	ASSERT_EQ(0, stream_abort(&self->s, NULL));
}

/* A process that gets the file can become the core, and nothing else. */
TEST_F(engine, file_is_passed)
{
	int fd, pair[2];
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct core_report *report;

		close(self->c.fd);
		fd = file_receive(pair[1]);
		if (fd < 0)
			_exit(1);
		report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		core_main(fd, report);
	}
	fd = engine_create(&self->c, 0, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, file_send(pair[0], fd));
	EXPECT_EQ(0, stream_do(&self->s, add(&self->c)));
	EXPECT_EQ(1, self->data[0]);
	close(fd);
	/* The core runs on without the client's descriptor. */
	EXPECT_EQ(0, stream_do(&self->s, add(&self->c)));
	/* The end of the client kills it. */
	stream_destroy(&self->s);
	client_close(&self->c);
	EXPECT_EQ(256 + SIGKILL, child_wait(pid));
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
}

TEST_F(engine, two_clients_have_two_cores)
{
	struct client other;
	struct stream s;
	struct core k;
	__u64 *args;

	ASSERT_EQ(0, client_open_only(&other));
	ASSERT_EQ(0, window_map(&other, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, mem_alloc_at(&other, 0, VNPU_MEM_F_HOST_ACCESS, 0, MIB(1),
				  other.base));
	args = ptr(other.base);
	args[0] = other.base + PAGE;
	args[1] = 1;
	ASSERT_EQ(0, stream_create(&s, &other, 0));
	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	ASSERT_EQ(0, core_start(&k, &other, 0, 0));
	EXPECT_EQ(0, stream_do(&self->s, add(&self->c)));
	EXPECT_EQ(0, stream_do(&s, task_launch(CORE_ADD, other.base, 16)));
	EXPECT_EQ(1, core_launches(&self->k));
	EXPECT_EQ(1, core_launches(&k));
	EXPECT_EQ(1, self->data[0]);
	core_end(&k);
	stream_destroy(&s);
	client_close(&other);
}

TEST_HARNESS_MAIN
