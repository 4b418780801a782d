// SPDX-License-Identifier: GPL-2.0-only
/* Notifies of both kinds: lifetime, use by streams, and sharing. */
#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "acl-test.h"

#define KEY_LENGTH	65

FIXTURE(notify) {
	aclrtStream a, b;
	aclrtNotify notify;
	aclrtCntNotify count;
};

FIXTURE_SETUP(notify)
{
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->a));
	OK(aclrtCreateStream(&self->b));
	OK(aclrtCreateNotify(&self->notify, ACL_NOTIFY_DEFAULT));
	OK(aclrtCntNotifyCreate(&self->count, 0));
}

FIXTURE_TEARDOWN(notify)
{
	aclrtResetDeviceForce(0);
}

static bool is_done(aclrtStream stream)
{
	aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;

	return aclrtStreamQuery(stream, &status) == ACL_SUCCESS &&
	       status == ACL_STREAM_STATUS_COMPLETE;
}

/* Long enough for a stream that does not wait to be done. */
static bool waits(aclrtStream stream)
{
	usleep(20000);
	return !is_done(stream);
}

TEST(need_a_context)
{
	aclrtCntNotify count;
	aclrtNotify notify;
	char key[KEY_LENGTH] = "";

	EXPECT_ACL(NO_CONTEXT, aclrtCreateNotify(&notify, 0));
	EXPECT_ACL(NO_CONTEXT, aclrtCntNotifyCreate(&count, 0));
	EXPECT_ACL(NO_CONTEXT, aclrtNotifyImportByKey(&notify, key, 0));
}

TEST_F(notify, null_and_values)
{
	aclrtCntNotifyRecordInfo record = { .mode = 3 };
	aclrtCntNotifyWaitInfo wait = { .mode = 5 };
	char key[KEY_LENGTH];
	aclrtNotify n;
	uint32_t id;
	int32_t pid = 1;

	EXPECT_ACL(NULL_OR_ZERO, aclrtCreateNotify(NULL, 0));
	EXPECT_ACL(BAD_VALUE, aclrtCreateNotify(&n, 2));
	EXPECT_ACL(BAD_VALUE, aclrtCreateNotify(&n, UINT64_MAX));
	EXPECT_ACL(NULL_OR_ZERO, aclrtDestroyNotify(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtRecordNotify(NULL, self->a));
	EXPECT_ACL(NULL_OR_ZERO, aclrtWaitAndResetNotify(NULL, self->a, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetNotifyId(NULL, &id));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetNotifyId(self->notify, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtNotifyBatchReset(NULL, 1));
	EXPECT_ACL(BAD_VALUE, aclrtNotifyBatchReset(&self->notify, 0));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtNotifyGetExportKey(NULL, key, KEY_LENGTH, 0));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtNotifyGetExportKey(self->notify, NULL, KEY_LENGTH, 0));
	EXPECT_ACL(BAD_VALUE,
		   aclrtNotifyGetExportKey(self->notify, key, KEY_LENGTH - 1, 0));
	EXPECT_ACL(BAD_VALUE,
		   aclrtNotifyGetExportKey(self->notify, key, KEY_LENGTH, 1));
	EXPECT_ACL(NULL_OR_ZERO, aclrtNotifyImportByKey(NULL, key, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtNotifyImportByKey(&n, NULL, 0));
	EXPECT_ACL(BAD_VALUE, aclrtNotifyImportByKey(&n, "nonsense", 0));
	EXPECT_ACL(BAD_VALUE, aclrtNotifyImportByKey(&n, "nonsense", 1));
	EXPECT_ACL(NULL_OR_ZERO, aclrtNotifySetImportPid(NULL, &pid, 1));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtNotifySetImportPid(self->notify, NULL, 1));
	EXPECT_ACL(BAD_VALUE, aclrtNotifySetImportPid(self->notify, &pid, 0));
	EXPECT_ACL(BAD_VALUE, aclrtNotifySetImportPid(self->notify, &pid, 1));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtNotifySetImportPidInterServer(self->notify, NULL, 0));

	EXPECT_ACL(BAD_VALUE, aclrtCntNotifyCreate(NULL, 0));
	EXPECT_ACL(BAD_VALUE, aclrtCntNotifyCreate(&n, 1));
	EXPECT_ACL(BAD_VALUE, aclrtCntNotifyDestroy(NULL));
	EXPECT_ACL(BAD_VALUE, aclrtCntNotifyReset(NULL, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtCntNotifyGetId(NULL, &id));
	EXPECT_ACL(BAD_VALUE, aclrtCntNotifyGetId(self->count, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtCntNotifyRecord(self->count, NULL, NULL));
	EXPECT_ACL(BAD_VALUE,
		   aclrtCntNotifyRecord(self->count, NULL, &record));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtCntNotifyWaitWithTimeout(self->count, NULL, NULL));
	EXPECT_ACL(BAD_VALUE,
		   aclrtCntNotifyWaitWithTimeout(self->count, NULL, &wait));
	wait.mode = ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE;
	EXPECT_ACL(BAD_VALUE,
		   aclrtCntNotifyWaitWithTimeout(NULL, NULL, &wait));
	wait.isClear = 2;
	EXPECT_ACL(BAD_VALUE,
		   aclrtCntNotifyWaitWithTimeout(self->count, NULL, &wait));
	record.mode = ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE;
	EXPECT_ACL(BAD_VALUE, aclrtCntNotifyRecord(NULL, NULL, &record));
}

TEST_F(notify, garbage_is_not_a_notify)
{
	void *const garbage[] = { GARBAGE_HANDLES, self->a };
	aclrtCntNotifyRecordInfo record = { 0 };
	aclrtCntNotifyWaitInfo wait = { 0 };
	char key[KEY_LENGTH];
	aclrtNotify pair[2] = { self->notify };
	uint32_t id;
	size_t i;

	for (i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		pair[1] = garbage[i];
		EXPECT_ACL(BAD_HANDLE, aclrtDestroyNotify(garbage[i]));
		EXPECT_ACL(BAD_HANDLE, aclrtRecordNotify(garbage[i], NULL));
		EXPECT_ACL(BAD_HANDLE,
			   aclrtWaitAndResetNotify(garbage[i], NULL, 0));
		EXPECT_ACL(BAD_HANDLE, aclrtGetNotifyId(garbage[i], &id));
		EXPECT_ACL(BAD_HANDLE, aclrtNotifyBatchReset(pair, 2));
		EXPECT_ACL(BAD_HANDLE,
			   aclrtNotifyGetExportKey(garbage[i], key, 65, 0));
		EXPECT_ACL(BAD_HANDLE, aclrtCntNotifyDestroy(garbage[i]));
		EXPECT_ACL(BAD_HANDLE,
			   aclrtCntNotifyRecord(garbage[i], NULL, &record));
		EXPECT_ACL(BAD_HANDLE,
			   aclrtCntNotifyWaitWithTimeout(garbage[i], NULL,
							 &wait));
		EXPECT_ACL(BAD_HANDLE, aclrtCntNotifyReset(garbage[i], NULL));
		EXPECT_ACL(BAD_HANDLE, aclrtCntNotifyGetId(garbage[i], &id));
	}
	/* One kind cannot be used as the other. */
	EXPECT_ACL(BAD_HANDLE, aclrtDestroyNotify(self->count));
	EXPECT_ACL(BAD_HANDLE, aclrtCntNotifyDestroy(self->notify));
	OK(aclrtDestroyNotify(self->notify));
	EXPECT_ACL(BAD_HANDLE, aclrtDestroyNotify(self->notify));
	EXPECT_ACL(BAD_HANDLE, aclrtRecordNotify(self->count, (void *)1));
}

TEST_F(notify, streams_are_checked)
{
	aclrtContext other, primary;
	aclrtCntNotifyRecordInfo record = { 0 };

	OK(aclrtGetCurrentContext(&primary));
	OK(aclrtCreateContext(&other, 0));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CONTEXT,
		   aclrtRecordNotify(self->notify, self->a));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CONTEXT,
		   aclrtWaitAndResetNotify(self->notify, self->a, 1));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CONTEXT,
		   aclrtCntNotifyRecord(self->count, self->a, &record));
	EXPECT_ACL(BAD_HANDLE,
		   aclrtRecordNotify(self->notify, (void *)0x1234));
	OK(aclrtDestroyContext(other));
	OK(aclrtSetCurrentContext(primary));
	OK(aclrtDestroyStream(self->a));
	EXPECT_ACL(BAD_HANDLE, aclrtRecordNotify(self->notify, self->a));
}

TEST_F(notify, one_stream_waits_for_another)
{
	OK(aclrtWaitAndResetNotify(self->notify, self->b, 0));
	EXPECT_TRUE(waits(self->b));
	OK(aclrtRecordNotify(self->notify, self->a));
	OK(aclrtSynchronizeStream(self->b));

	/* It was consumed, and setting it twice sets it once. */
	OK(aclrtRecordNotify(self->notify, NULL));
	OK(aclrtRecordNotify(self->notify, NULL));
	OK(aclrtSynchronizeStream(NULL));
	OK(aclrtWaitAndResetNotify(self->notify, self->b, 0));
	OK(aclrtSynchronizeStream(self->b));
	OK(aclrtWaitAndResetNotify(self->notify, self->b, 0));
	EXPECT_TRUE(waits(self->b));
	OK(aclrtRecordNotify(self->notify, self->a));
	OK(aclrtSynchronizeStream(self->b));
}

TEST_F(notify, one_of_two_consumes_it)
{
	OK(aclrtWaitAndResetNotify(self->notify, self->a, 0));
	OK(aclrtWaitAndResetNotify(self->notify, self->b, 0));
	OK(aclrtRecordNotify(self->notify, NULL));
	OK(aclrtSynchronizeStream(NULL));
	while (!is_done(self->a) && !is_done(self->b))
		usleep(1000);
	EXPECT_TRUE(waits(self->a) || waits(self->b));
	OK(aclrtRecordNotify(self->notify, NULL));
	OK(aclrtSynchronizeStream(self->a));
	OK(aclrtSynchronizeStream(self->b));
}

TEST_F(notify, wait_that_exceeds_its_timeout_fails)
{
	OK(aclrtWaitAndResetNotify(self->notify, self->a, 1));
	EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(self->a));
	OK(aclrtSynchronizeStream(self->a));
}

TEST_F(notify, batch_reset)
{
	aclrtNotify two[2] = { self->notify };

	OK(aclrtCreateNotify(&two[1], ACL_NOTIFY_DEVICE_USE_ONLY));
	OK(aclrtRecordNotify(two[0], self->a));
	OK(aclrtRecordNotify(two[1], self->a));
	OK(aclrtSynchronizeStream(self->a));
	OK(aclrtNotifyBatchReset(two, 2));
	OK(aclrtWaitAndResetNotify(two[0], self->a, 0));
	OK(aclrtWaitAndResetNotify(two[1], self->b, 0));
	EXPECT_TRUE(waits(self->a));
	EXPECT_TRUE(waits(self->b));
	OK(aclrtRecordNotify(two[0], NULL));
	OK(aclrtRecordNotify(two[1], NULL));
	OK(aclrtSynchronizeDevice());
	OK(aclrtDestroyNotify(two[1]));
}

TEST_F(notify, destroyed_while_waited_for)
{
	aclrtCntNotifyWaitInfo wait = {
		.mode = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE,
	};

	OK(aclrtWaitAndResetNotify(self->notify, self->a, 0));
	OK(aclrtCntNotifyWaitWithTimeout(self->count, self->b, &wait));
	EXPECT_TRUE(waits(self->a));
	EXPECT_TRUE(waits(self->b));
	OK(aclrtDestroyNotify(self->notify));
	OK(aclrtCntNotifyDestroy(self->count));
	OK(aclrtSynchronizeStreamWithTimeout(self->a, 10000));
	OK(aclrtSynchronizeStreamWithTimeout(self->b, 10000));
}

TEST_F(notify, ids_are_unique)
{
	uint32_t id, other, count;
	aclrtNotify n;

	OK(aclrtCreateNotify(&n, 0));
	OK(aclrtGetNotifyId(self->notify, &id));
	OK(aclrtGetNotifyId(n, &other));
	OK(aclrtCntNotifyGetId(self->count, &count));
	EXPECT_NE(id, other);
	EXPECT_NE(id, count);
	EXPECT_NE(other, count);
	OK(aclrtDestroyNotify(n));
}

TEST_F(notify, number_of_notifies_is_8192)
{
	static aclrtNotify all[8193];
	aclError err = ACL_SUCCESS;
	size_t n = 0, i;

	while (n < 8193 && !(err = aclrtCreateNotify(&all[n], 0)))
		n++;
	EXPECT_EQ(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, err);
	EXPECT_LE(8192 - 2, n + 2);
	EXPECT_LE(n, 8190);
	for (i = 0; i < n; i++)
		ASSERT_EQ(ACL_SUCCESS, aclrtDestroyNotify(all[i]));
	OK(aclrtCreateNotify(&all[0], 0));
}

TEST_F(notify, reset_ends_them)
{
	OK(aclrtWaitAndResetNotify(self->notify, self->a, 0));
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_ACL(BAD_HANDLE, aclrtRecordNotify(self->notify, NULL));
	EXPECT_ACL(BAD_HANDLE, aclrtCntNotifyReset(self->count, NULL));
}

static void record(aclrtCntNotify count, aclrtCntNotifyRecordMode mode,
		   uint32_t value)
{
	aclrtCntNotifyRecordInfo info = { .mode = mode, .value = value };

	if (aclrtCntNotifyRecord(count, NULL, &info))
		abort();
}

/* The result of a wait of this kind within this time, with this count. */
static aclError wait_for(aclrtCntNotify count, aclrtCntNotifyWaitMode mode,
			 uint32_t value, int32_t ms)
{
	aclrtCntNotifyWaitInfo info = { .mode = mode, .value = value };
	aclrtStream stream;
	aclError err;

	if (aclrtSynchronizeStream(NULL) || aclrtCreateStream(&stream) ||
	    aclrtCntNotifyWaitWithTimeout(count, stream, &info))
		abort();
	err = aclrtSynchronizeStreamWithTimeout(stream, ms);
	if (aclrtDestroyStreamForce(stream))
		abort();
	return err;
}

static bool ends(aclrtCntNotify count, aclrtCntNotifyWaitMode mode,
		 uint32_t value)
{
	return wait_for(count, mode, value, 60000) == ACL_SUCCESS;
}

static bool blocks(aclrtCntNotify count, aclrtCntNotifyWaitMode mode,
		   uint32_t value)
{
	return wait_for(count, mode, value, 30) ==
	       ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
}

TEST_F(notify, all_modes_of_a_count)
{
	aclrtCntNotify c = self->count;

	record(c, ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 5);
	EXPECT_TRUE(ends(c, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 5));
	EXPECT_TRUE(blocks(c, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 4));
	EXPECT_TRUE(ends(c, ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, 6));
	EXPECT_TRUE(blocks(c, ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE, 5));
	EXPECT_TRUE(ends(c, ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, 4));
	EXPECT_TRUE(blocks(c, ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE, 5));
	EXPECT_TRUE(ends(c, ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 5));
	EXPECT_TRUE(blocks(c, ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 6));
	EXPECT_TRUE(ends(c, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, 4));
	EXPECT_TRUE(blocks(c, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, 6));
	EXPECT_TRUE(ends(c, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE, 0));

	record(c, ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE, 0x8);
	EXPECT_TRUE(ends(c, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 13));
	record(c, ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE, 0xc);
	EXPECT_TRUE(ends(c, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 12));
	record(c, ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 3);
	EXPECT_TRUE(ends(c, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 15));
	/* 32 bits. */
	record(c, ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, UINT32_MAX);
	EXPECT_TRUE(ends(c, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 14));
	OK(aclrtCntNotifyReset(c, NULL));
	EXPECT_TRUE(ends(c, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 0));
}

TEST_F(notify, a_wait_can_clear)
{
	aclrtCntNotifyWaitInfo wait = {
		.mode = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE,
		.isClear = 1,
	};

	record(self->count, ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 7);
	OK(aclrtSynchronizeStream(NULL));
	OK(aclrtCntNotifyWaitWithTimeout(self->count, self->a, &wait));
	OK(aclrtSynchronizeStream(self->a));
	EXPECT_TRUE(ends(self->count, ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 0));
	wait.timeout = 1;
	OK(aclrtCntNotifyWaitWithTimeout(self->count, self->a, &wait));
	EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(self->a));
}

/* The other process: import the notify of the key that it gets, and set it. */
static int importer(int fd, aclError expected)
{
	char key[KEY_LENGTH];
	aclrtNotify notify;
	aclError err;

	if (aclrtSetDevice(0) || read(fd, key, sizeof(key)) != sizeof(key))
		return 1;
	err = aclrtNotifyImportByKey(&notify, key,
			ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS);
	if (err != expected)
		return 2;
	if (err)
		return 0;
	if (aclrtNotifyGetExportKey(notify, key, sizeof(key), 0) != BAD_VALUE)
		return 3;
	return aclrtRecordNotify(notify, NULL) ||
	       aclrtSynchronizeStream(NULL) || aclrtDestroyNotify(notify) ||
	       aclrtResetDevice(0) ? 4 : 0;
}

/* @allow: 0 no process, 1 this process by its id, 2 all processes. */
static int share(int allow, bool *was_set)
{
	uint64_t flags = allow == 2 ?
		ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION :
		ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT;
	char key[KEY_LENGTH];
	aclrtNotify notify;
	int fds[2], status;
	int32_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return -1;
	pid = fork();
	if (!pid)
		_exit(importer(fds[1], allow ? ACL_SUCCESS :
			       ACL_ERROR_RT_NO_PERMISSION));
	if (aclrtSetDevice(0) || aclrtCreateNotify(&notify, 0) ||
	    aclrtNotifyGetExportKey(notify, key, sizeof(key), flags) ||
	    (allow == 1 && aclrtNotifySetImportPid(notify, &pid, 1)) ||
	    aclrtWaitAndResetNotify(notify, NULL, 0) ||
	    write(fds[0], key, sizeof(key)) != sizeof(key) ||
	    waitpid(pid, &status, 0) != pid)
		return -1;
	*was_set = !aclrtSynchronizeStreamWithTimeout(NULL, 100);
	if (aclrtDestroyNotify(notify) || aclrtResetDeviceForce(0))
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(another_process_sets_it)
{
	bool was_set;

	EXPECT_EQ(0, share(2, &was_set));
	EXPECT_TRUE(was_set);
}

TEST(an_allowed_process_sets_it)
{
	bool was_set;

	EXPECT_EQ(0, share(1, &was_set));
	EXPECT_TRUE(was_set);
}

TEST(other_processes_do_not_get_it)
{
	bool was_set;

	EXPECT_EQ(0, share(0, &was_set));
	EXPECT_FALSE(was_set);
}

TEST_F(notify, a_key_ends_with_the_notify)
{
	char key[KEY_LENGTH + 3], again[KEY_LENGTH];
	aclrtNotify same;
	uint32_t id, other;

	OK(aclrtNotifyGetExportKey(self->notify, key, sizeof(key), 2));
	OK(aclrtNotifyGetExportKey(self->notify, again, sizeof(again), 2));
	EXPECT_EQ(0, memcmp(key, again, KEY_LENGTH));
	OK(aclrtNotifyImportByKey(&same, key, 0));
	OK(aclrtGetNotifyId(self->notify, &id));
	OK(aclrtGetNotifyId(same, &other));
	EXPECT_EQ(id, other);
	OK(aclrtWaitAndResetNotify(self->notify, self->a, 0));
	OK(aclrtRecordNotify(same, self->b));
	OK(aclrtSynchronizeStream(self->a));
	OK(aclrtDestroyNotify(self->notify));
	/* An importer keeps it. */
	OK(aclrtRecordNotify(same, self->b));
	OK(aclrtWaitAndResetNotify(same, self->a, 0));
	OK(aclrtSynchronizeStream(self->a));
	OK(aclrtDestroyNotify(same));
	EXPECT_ACL(BAD_VALUE, aclrtNotifyImportByKey(&same, key, 0));
}

TEST_F(notify, a_forked_child_has_none)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		aclrtNotify n;

		_exit(aclrtCreateNotify(&n, 0) != ACL_ERROR_RT_NO_PERMISSION ||
		      aclrtRecordNotify(self->notify, NULL) !=
		      ACL_ERROR_RT_NO_PERMISSION ||
		      aclrtNotifyBatchReset(&self->notify, 1) !=
		      ACL_ERROR_RT_NO_PERMISSION ||
		      aclrtDestroyNotify(self->notify) !=
		      ACL_ERROR_RT_NO_PERMISSION);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	OK(aclrtRecordNotify(self->notify, NULL));
}

TEST_HARNESS_MAIN
