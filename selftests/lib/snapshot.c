// SPDX-License-Identifier: GPL-2.0-only
/* Snapshots of a process: states, callbacks, and calls that wait. */
#include "acl-stream.h"

#define BLOCKED_MS	100

static struct {
	int stage, device;
	void *args;
} seen[16];
static int nr_seen;
static uint32_t result;

/* There is one callback for each stage, so that it knows its stage. */
#define CALLBACK(number)						\
static uint32_t on_##number(int32_t device, void *args)			\
{									\
	seen[nr_seen % 16].stage = number;				\
	seen[nr_seen % 16].device = device;				\
	seen[nr_seen++ % 16].args = args;				\
	return result;							\
}

CALLBACK(0)
CALLBACK(1)
CALLBACK(2)
CALLBACK(3)
CALLBACK(4)
CALLBACK(5)

static aclrtSnapShotCallBack const callbacks[] = {
	on_0, on_1, on_2, on_3, on_4, on_5,
};

FIXTURE(snapshot) {
	struct work work;
	int pid;
};

FIXTURE_SETUP(snapshot)
{
	OK(work_init(&self->work));
	self->pid = getpid();
	nr_seen = 0;
	result = 0;
}

FIXTURE_TEARDOWN(snapshot)
{
	aclrtSnapShotProcessUnlock(self->pid, NULL);
	work_fini(&self->work);
}

TEST_F(snapshot, states)
{
	int pid = self->pid;

	EXPECT_ACL(ACL_ERROR_SNAPSHOT_UNLOCK_FAILED,
		   aclrtSnapShotProcessUnlock(pid, NULL));
	EXPECT_ACL(ACL_ERROR_SNAPSHOT_BACKUP_FAILED,
		   aclrtSnapShotProcessBackup(pid, NULL));
	EXPECT_ACL(ACL_ERROR_SNAPSHOT_RESTORE_FAILED,
		   aclrtSnapShotProcessRestore(pid, NULL));

	OK(aclrtSnapShotProcessLock(pid, NULL));
	EXPECT_ACL(ACL_ERROR_SNAPSHOT_LOCK_FAILED,
		   aclrtSnapShotProcessLock(pid, NULL));
	EXPECT_ACL(ACL_ERROR_SNAPSHOT_RESTORE_FAILED,
		   aclrtSnapShotProcessRestore(pid, NULL));
	OK(aclrtSnapShotProcessBackup(pid, NULL));
	EXPECT_ACL(ACL_ERROR_SNAPSHOT_BACKUP_FAILED,
		   aclrtSnapShotProcessBackup(pid, NULL));
	OK(aclrtSnapShotProcessRestore(pid, NULL));
	OK(aclrtSnapShotProcessBackup(pid, NULL));
	OK(aclrtSnapShotProcessUnlock(pid, NULL));
	OK(aclrtMemset(self->work.dev, AREA, 1, AREA));
}

TEST_F(snapshot, arguments)
{
	aclrtSnapShotBackupArgs backup = { 2, { 0 } };
	aclrtSnapShotRestoreArgs restore = { 2, { 0 } };
	int pid = self->pid;

	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtSnapShotProcessLock(1, NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtSnapShotProcessLock(pid, &pid));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtSnapShotProcessUnlock(0, NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtSnapShotProcessUnlock(pid, &pid));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtSnapShotProcessBackup(-1, NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtSnapShotProcessRestore(getppid(), NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtSnapShotProcessBackup(pid, &backup));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtSnapShotProcessRestore(pid, &restore));
	backup.backupFlags = 1;
	restore.restoreFlags = 0;
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtSnapShotProcessBackup(pid, &backup));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtSnapShotProcessRestore(pid, &restore));
}

static void expect_seen(struct __test_metadata *_metadata, int at, int stage)
{
	EXPECT_EQ(stage, seen[at].stage);
	EXPECT_EQ(0, seen[at].device);
	EXPECT_EQ((void *)&seen[stage], seen[at].args);
}

TEST_F(snapshot, callbacks)
{
	int pid = self->pid;

	for (int i = 0; i < 6; i++)
		OK(aclrtSnapShotCallbackRegister((aclrtSnapShotStage)i,
						 callbacks[i], &seen[i]));
	EXPECT_ACL(ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED,
		   aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_LOCK_PRE,
						 on_0, NULL));
	OK(aclrtSnapShotProcessLock(pid, NULL));
	EXPECT_EQ(1, nr_seen);
	OK(aclrtSnapShotProcessBackup(pid, NULL));
	EXPECT_EQ(3, nr_seen);
	OK(aclrtSnapShotProcessRestore(pid, NULL));
	EXPECT_EQ(5, nr_seen);
	OK(aclrtSnapShotProcessUnlock(pid, NULL));
	ASSERT_EQ(6, nr_seen);
	for (int i = 0; i < 6; i++)
		expect_seen(_metadata, i, i);

	for (int i = 0; i < 6; i++)
		OK(aclrtSnapShotCallbackUnregister((aclrtSnapShotStage)i,
						   callbacks[i]));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_LOCK_PRE,
						   on_0));
	OK(aclrtSnapShotProcessLock(pid, NULL));
	EXPECT_EQ(6, nr_seen);
}

TEST_F(snapshot, callback_arguments)
{
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtSnapShotCallbackRegister((aclrtSnapShotStage)6, on_0,
						 NULL));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtSnapShotCallbackRegister((aclrtSnapShotStage)-1, on_0,
						 NULL));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_LOCK_PRE, NULL,
						 NULL));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_LOCK_PRE,
						   NULL));
}

/* A callback that fails leaves the process in its state. */
TEST_F(snapshot, callback_fails)
{
	int pid = self->pid;

	for (int i = 0; i < 6; i++)
		OK(aclrtSnapShotCallbackRegister((aclrtSnapShotStage)i,
						 callbacks[i], NULL));
	result = 5;
	EXPECT_ACL(ACL_ERROR_SNAPSHOT_CALLBACK_FAILED,
		   aclrtSnapShotProcessLock(pid, NULL));
	OK(aclrtMemset(self->work.dev, AREA, 1, AREA));
	result = 0;
	OK(aclrtSnapShotProcessLock(pid, NULL));
	result = 5;
	EXPECT_ACL(ACL_ERROR_SNAPSHOT_CALLBACK_FAILED,
		   aclrtSnapShotProcessBackup(pid, NULL));
	EXPECT_ACL(ACL_ERROR_SNAPSHOT_RESTORE_FAILED,
		   aclrtSnapShotProcessRestore(pid, NULL));
	EXPECT_ACL(ACL_ERROR_SNAPSHOT_CALLBACK_FAILED,
		   aclrtSnapShotProcessUnlock(pid, NULL));
	OK(aclrtMemset(self->work.dev, AREA, 1, AREA));
	for (int i = 0; i < 6; i++)
		OK(aclrtSnapShotCallbackUnregister((aclrtSnapShotStage)i,
						   callbacks[i]));
}

struct caller {
	aclError (*call)(struct work *w);
	struct work *work;
	aclrtContext context;
	aclError err;
	atomic_bool is_done;
};

static aclError call_malloc(struct work *w)
{
	(void)w;
	void *p;
	aclError err = aclrtMalloc(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY);

	return err ? err : aclrtFree(p);
}

static aclError call_copy(struct work *w)
{
	return aclrtMemcpy(w->dev, AREA, w->pinned, AREA,
			   ACL_MEMCPY_HOST_TO_DEVICE);
}

static aclError call_submit(struct work *w)
{
	return aclrtMemsetAsync(w->dev, AREA, 1, AREA, w->b);
}

static aclError call_write_value(struct work *w)
{
	return aclrtValueWrite(w->gate + 1, 1, 0, w->b);
}

static aclError call_operator(struct work *w)
{
	const int64_t dim = 16;
	aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 1, &dim,
						  ACL_FORMAT_ND);
	aclDataBuffer *buffer = aclCreateDataBuffer(w->dev, AREA);
	aclError err = aclopExecuteV2("ZerosLike", 0, NULL, NULL, 1, &desc,
				      &buffer, NULL, w->b);

	aclDestroyDataBuffer(buffer);
	aclDestroyTensorDesc(desc);
	return err;
}

static aclError call_stream(struct work *w)
{
	aclrtStream stream;
	aclError err = aclrtCreateStream(&stream);

	(void)w;
	return err ? err : aclrtDestroyStream(stream);
}

static aclError call_event(struct work *w)
{
	aclrtEvent event;
	aclError err = aclrtCreateEvent(&event);

	(void)w;
	return err ? err : aclrtDestroyEvent(event);
}

static aclError call_set_device(struct work *w)
{
	aclError err = aclrtSetDevice(0);

	(void)w;
	return err ? err : aclrtResetDevice(0);
}

static void *caller(void *arg)
{
	struct caller *c = arg;

	c->err = aclrtSetCurrentContext(c->context);
	if (!c->err)
		c->err = c->call(c->work);
	atomic_store(&c->is_done, true);
	return NULL;
}

/* Calls that change something wait until the process is unlocked. */
TEST_F(snapshot, calls_wait)
{
	aclError (*const calls[])(struct work *) = {
		call_malloc, call_copy, call_submit, call_write_value,
		call_operator, call_stream, call_event, call_set_device,
	};
	pthread_t threads[ARRAY_SIZE(calls)];
	struct caller callers[ARRAY_SIZE(calls)];
	aclrtContext context;
	int32_t device = -1;

	OK(aclrtGetCurrentContext(&context));
	OK(aclrtSnapShotProcessLock(self->pid, NULL));
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		callers[i] = (struct caller){
			.call = calls[i], .work = &self->work,
			.context = context,
		};
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, caller,
					    &callers[i]));
	}
	OK(aclrtSnapShotProcessBackup(self->pid, NULL));
	usleep(BLOCKED_MS * 1000);
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		EXPECT_FALSE(atomic_load(&callers[i].is_done));
	/* Queries do not wait. */
	OK(aclrtGetDevice(&device));
	OK(aclrtSynchronizeStream(self->work.a));

	OK(aclrtSnapShotProcessUnlock(self->pid, NULL));
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		pthread_join(threads[i], NULL);
		OK(callers[i].err);
	}
	OK(aclrtSynchronizeDevice());
}

static void *unlock_later(void *arg)
{
	usleep(BLOCKED_MS * 1000);
	*(aclError *)arg = aclrtSnapShotProcessUnlock(getpid(), NULL);
	return NULL;
}

/* The thread that has locked the process waits, too. */
TEST_F(snapshot, own_calls_wait)
{
	aclError err = ACL_ERROR_FAILURE;
	uint64_t start = now_ms();
	pthread_t thread;

	OK(aclrtSnapShotProcessLock(self->pid, NULL));
	ASSERT_EQ(0, pthread_create(&thread, NULL, unlock_later, &err));
	OK(aclrtMemset(self->work.dev, AREA, 1, AREA));
	EXPECT_LE(start + BLOCKED_MS, now_ms());
	pthread_join(thread, NULL);
	OK(err);
}

static atomic_int funcs;

static void slow_func(void *arg)
{
	(void)arg;
	usleep(BLOCKED_MS * 1000);
	funcs++;
}

/* A backup waits for the streams of all contexts. */
TEST_F(snapshot, backup_waits)
{
	aclrtContext context, other;
	aclrtStream stream;

	OK(aclrtGetCurrentContext(&context));
	OK(aclrtCreateContext(&other, 0));
	OK(aclrtCreateStream(&stream));
	OK(aclrtLaunchHostFunc(stream, slow_func, NULL));
	OK(aclrtSetCurrentContext(context));
	OK(aclrtLaunchHostFunc(self->work.a, slow_func, NULL));
	OK(aclrtSnapShotProcessLock(self->pid, NULL));
	OK(aclrtSnapShotProcessBackup(self->pid, NULL));
	EXPECT_EQ(2, funcs);
	OK(aclrtSnapShotProcessUnlock(self->pid, NULL));
}

/* A task that failed makes the backup fail, once. */
TEST_F(snapshot, backup_reports_failures)
{
	uint8_t *freed;

	OK(freed_address(&freed));
	OK(aclrtMemsetAsync(freed, 64, 1, 64, self->work.a));
	OK(aclrtSnapShotProcessLock(self->pid, NULL));
	EXPECT_ACL(ACL_ERROR_RT_SYS_DMA,
		   aclrtSnapShotProcessBackup(self->pid, NULL));
	OK(aclrtSnapShotProcessBackup(self->pid, NULL));
}

/* A child of fork() is not locked, and its calls fail as always. */
TEST_F(snapshot, fork_while_locked)
{
	int status;
	pid_t child;

	OK(aclrtSnapShotProcessLock(self->pid, NULL));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(aclrtMemset(self->work.dev, 1, 0, 1) !=
			ACL_ERROR_RT_NO_PERMISSION ||
		      aclrtSnapShotProcessUnlock(getpid(), NULL) !=
			ACL_ERROR_RT_NO_PERMISSION);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	OK(aclrtSnapShotProcessBackup(self->pid, NULL));
}

TEST_HARNESS_MAIN
