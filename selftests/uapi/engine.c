// SPDX-License-Identifier: GPL-2.0-only
/*
 * Engine files: a core runs launches in the order of their streams, and ends them
 * once each. See engine_window.c for the rights of cores, and engine_end.c for cores
 * that hang or die.
 */
#include "engine.h"
#include "pass.h"
#include "sync.h"

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

/* Each field of a name is checked, and a number keeps its name. */
TEST_F(engine, kernels_have_names)
{
	struct vnpu_engine_name a = { .size = sizeof(a), .number = 1 };
	struct vnpu_engine_attach at;
	int fd = engine_create(&self->c, 0, 2);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EPERM, engine_name(fd, 1, "add"));
	ASSERT_EQ(0, engine_attach(fd, &at));
	EXPECT_EQ(-EINVAL, engine_name(fd, 0, "add"));
	EXPECT_EQ(-EINVAL, engine_name(fd, VNPU_ENGINE_KERNELS_MAX, "add"));
	EXPECT_EQ(-EINVAL, engine_name(fd, ~0U, "add"));
	EXPECT_EQ(-EINVAL, engine_name(fd, 1, ""));
	EXPECT_EQ(-EINVAL, engine_name(fd, 1, "a\x1b[2J"));
	EXPECT_EQ(-EINVAL, engine_name(fd, 1, "\xc3\xa4"));
	memset(a.name, 'a', sizeof(a.name));
	EXPECT_EQ(-EINVAL, call(fd, VNPU_IOCTL_ENGINE_NAME, &a));
	a.name[10] = 0;
	EXPECT_EQ(-EINVAL, call(fd, VNPU_IOCTL_ENGINE_NAME, &a));
	memset(a.name + 11, 0, sizeof(a.name) - 11);
	a.__reserved = 1;
	EXPECT_EQ(-EOPNOTSUPP, call(fd, VNPU_IOCTL_ENGINE_NAME, &a));
	a.__reserved = 0;
	a.flags = 1;
	EXPECT_EQ(-EOPNOTSUPP, call(fd, VNPU_IOCTL_ENGINE_NAME, &a));
	a.flags = 0;
	a.size = 16;
	EXPECT_EQ(-EINVAL, call(fd, VNPU_IOCTL_ENGINE_NAME, &a));
	a.size = sizeof(a);
	EXPECT_EQ(0, call(fd, VNPU_IOCTL_ENGINE_NAME, &a));
	EXPECT_EQ(-EBUSY, call(fd, VNPU_IOCTL_ENGINE_NAME, &a));
	EXPECT_EQ(0, engine_name(fd, VNPU_ENGINE_KERNELS_MAX - 1, "last"));
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
	struct core_report *report;
	int fd, pair[2];
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	/* In the child, this could take the place of the window. */
	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, report);
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(self->c.fd);
		fd = file_receive(pair[1]);
		if (fd < 0)
			_exit(1);
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
	munmap(report, sizeof(*report));
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
