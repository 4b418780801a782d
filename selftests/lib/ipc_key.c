// SPDX-License-Identifier: GPL-2.0-only
/* The calls for keys and shareable handles, and the errors of all of them. */
#include "ipc_key.h"

TEST_F(key, export_refused)
{
	char key[KEY_LENGTH] = "unchanged";
	char *end = (char *)self->m.at + SIZE;

	EXPECT_ACL(NULL_OR_ZERO, aclrtIpcMemGetExportKey(NULL, SIZE, key,
							 KEY_LENGTH, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtIpcMemGetExportKey(self->m.at, SIZE,
							 NULL, KEY_LENGTH, 0));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemGetExportKey(self->m.at, 0, key,
						      KEY_LENGTH, 0));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemGetExportKey(self->m.at, SIZE, key,
						      KEY_LENGTH - 1, 0));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemGetExportKey(self->m.at, SIZE, key,
						      KEY_LENGTH + 1, 0));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemGetExportKey(self->m.at, SIZE, key,
						      KEY_LENGTH, 2));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemGetExportKey(self->m.at, SIZE + 1,
						      key, KEY_LENGTH, 0));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemGetExportKey(self->m.at, SIZE_MAX,
						      key, KEY_LENGTH, 0));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemGetExportKey(end, 1, key, KEY_LENGTH,
						      0));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemGetExportKey(end - 1, 2, key,
						      KEY_LENGTH, 0));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemGetExportKey(key, 1, key, KEY_LENGTH,
						      0));
	EXPECT_STREQ("unchanged", key);
}

TEST_F(key, other_calls_refused)
{
	int32_t pid = 1;
	void *p;

	EXPECT_ACL(NULL_OR_ZERO, aclrtIpcMemSetImportPid(NULL, &pid, 1));
	EXPECT_ACL(NULL_OR_ZERO, aclrtIpcMemSetImportPid(self->key, NULL, 1));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemSetImportPid(self->key, &pid, 0));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemSetImportPid("", &pid, 1));
	EXPECT_ACL(NULL_OR_ZERO, aclrtIpcMemImportByKey(NULL, self->key, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtIpcMemImportByKey(&p, NULL, 0));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemImportByKey(&p, self->key, 2));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemImportByKey(&p, "", 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtIpcMemClose(NULL));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemClose("vnpu"));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtIpcMemSetAttr(self->key,
				      ACL_RT_IPC_MEM_ATTR_ACCESS_LINK,
				      ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtIpcMemImportPidInterServer(self->key, NULL, 0));
}

TEST_F(key, is_text)
{
	size_t length = strnlen(self->key, KEY_LENGTH);

	EXPECT_GT(KEY_LENGTH, length);
	EXPECT_TRUE(is_all(self->key + length, 0, KEY_LENGTH - length));
}

/* A part of a block: the importer's address is that of the part. */
TEST_F(key, inside_a_block)
{
	char *part = (char *)self->m.at + 3 * MIB + 100;
	char key[KEY_LENGTH];
	uint8_t back[50];
	void *p;

	OK(aclrtMemset(part, 50, 0x31, 50));
	OK(aclrtIpcMemGetExportKey(part, 50, key, KEY_LENGTH, 0));
	OK(aclrtIpcMemImportByKey(&p, key, 0));
	OK(aclrtMemcpy(back, 50, p, 50, ACL_MEMCPY_DEFAULT));
	EXPECT_TRUE(is_all(back, 0x31, 50));
	EXPECT_EQ((uintptr_t)part % HUGE_SIZE, (uintptr_t)p % HUGE_SIZE);
	OK(aclrtIpcMemClose(key));
	OK(aclrtIpcMemClose(key));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemClose(key));
}

TEST_F(key, imported_memory_cannot_be_freed)
{
	void *p;

	OK(aclrtIpcMemImportByKey(&p, self->key, 0));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p));
	EXPECT_ACL(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtUnmapMem(p));
	OK(aclrtMemset(p, 1, 0x41, 1));
	OK(aclrtIpcMemClose(self->key));
	EXPECT_NE(ACL_SUCCESS, aclrtMemset(p, 1, 0x41, 1));
}

/* The memory is freed before its key is closed: importers keep it. */
TEST_F(key, free_first)
{
	void *p, *other, *imported;

	OK(aclrtIpcMemImportByKey(&imported, self->key, 0));
	OK(aclrtFree(self->m.at));
	/* Perhaps at the same address; the old key does not apply to it. */
	OK(aclrtMallocAlign32(&other, SIZE, ACL_MEM_MALLOC_HUGE_ONLY));
	OK(aclrtMemset(imported, 1, 0x51, 1));
	OK(aclrtIpcMemClose(self->key));
	EXPECT_ACL(NO_SUCH_KEY, aclrtIpcMemImportByKey(&p, self->key, 0));
	OK(aclrtIpcMemClose(self->key));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemClose(self->key));
	EXPECT_EQ(self->free_before - SIZE, free_bytes());
}

TEST_F(key, of_mapped_memory)
{
	struct memory mapped;
	char key[KEY_LENGTH];
	void *p;

	OK(make(&mapped, NUMBER));
	OK(aclrtIpcMemGetExportKey(mapped.at, SIZE, key, KEY_LENGTH, 0));
	OK(aclrtIpcMemImportByKey(&p, key, 0));
	OK(aclrtIpcMemClose(key));
	OK(destroy(&mapped));
	EXPECT_ACL(NO_SUCH_KEY, aclrtIpcMemImportByKey(&p, key, 0));
	EXPECT_EQ(self->free_before - SIZE, free_bytes());
}

TEST_F(key, handle_calls_refused)
{
	aclrtMemFabricHandle fabric;
	aclrtDrvMemHandle handle;
	struct memory m;
	int32_t pid = 1;
	uint64_t number;

	OK(make(&m, NUMBER));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemExportToShareableHandle(NULL,
		ACL_MEM_HANDLE_TYPE_NONE, 0, &number));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemExportToShareableHandle(m.handle,
		ACL_MEM_HANDLE_TYPE_NONE, 0, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemExportToShareableHandle(m.handle,
		ACL_MEM_HANDLE_TYPE_POSIX, 0, &number));
	EXPECT_ACL(BAD_VALUE, aclrtMemExportToShareableHandle(m.handle,
		ACL_MEM_HANDLE_TYPE_NONE, 2, &number));
	EXPECT_ACL(BAD_HANDLE, aclrtMemExportToShareableHandle(&m,
		ACL_MEM_HANDLE_TYPE_NONE, 0, &number));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemExportToShareableHandleV2(NULL, 0,
		ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &number));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemExportToShareableHandleV2(m.handle, 0,
		ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtMemExportToShareableHandleV2(m.handle, 0,
		(aclrtMemSharedHandleType)3, &number));

	/* One handle, one shareable handle; of either type by either call. */
	OK(aclrtMemExportToShareableHandleV2(m.handle, 0,
		ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &number));
	EXPECT_ACL(BAD_VALUE, aclrtMemExportToShareableHandle(m.handle,
		ACL_MEM_HANDLE_TYPE_NONE, 0, &number));
	EXPECT_ACL(BAD_VALUE, aclrtMemExportToShareableHandleV2(m.handle, 0,
		ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &fabric));

	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemSetPidToShareableHandle(number, NULL, 1));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemSetPidToShareableHandle(number, &pid, 0));
	EXPECT_ACL(BAD_VALUE, aclrtMemSetPidToShareableHandle(0, &pid, 1));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemSetPidToShareableHandle(number ^ 1, &pid, 1));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemSetPidToShareableHandleV2(NULL,
		ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &pid, 1));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemSetPidToShareableHandleV2(&number,
		ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, NULL, 1));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemSetPidToShareableHandleV2(&number,
		ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &pid, 0));
	EXPECT_ACL(BAD_VALUE, aclrtMemSetPidToShareableHandleV2(&number,
		(aclrtMemSharedHandleType)0, &pid, 1));

	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemImportFromShareableHandle(number, 0, NULL));
	EXPECT_ACL(BAD_DEVICE,
		   aclrtMemImportFromShareableHandle(number, 64, &handle));
	EXPECT_ACL(BAD_VALUE, aclrtMemImportFromShareableHandle(0, 0, &handle));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemImportFromShareableHandleV2(NULL,
		ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, 0, &handle));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemImportFromShareableHandleV2(&number,
		ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, 0, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemImportFromShareableHandleV2(&number,
		ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, 1, &handle));
	EXPECT_ACL(BAD_VALUE, aclrtMemImportFromShareableHandleV2(&number,
		(aclrtMemSharedHandleType)0, 0, &handle));

	/* A key is not a handle. */
	memset(&fabric, 0, sizeof(fabric));
	memcpy(&fabric, self->key, KEY_LENGTH);
	EXPECT_ACL(NO_SUCH_KEY, aclrtMemImportFromShareableHandleV2(&fabric,
		ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 0, &handle));

	OK(aclrtMemImportFromShareableHandle(number, 0, &handle));
	EXPECT_NE(m.handle, handle);
	EXPECT_EQ(self->free_before - 2 * SIZE, free_bytes());
}

static void *import_and_close(void *key)
{
	intptr_t wrong = 0;
	void *p;
	int i;

	if (aclrtSetDevice(0))
		return (void *)1;
	for (i = 0; i < 40; i++) {
		wrong += aclrtIpcMemImportByKey(&p, key, 0) != 0;
		wrong += aclrtMemset(p, 64, i, 64) != 0;
		wrong += aclrtIpcMemClose(key) != 0;
	}
	return (void *)wrong;
}

TEST_F_TIMEOUT(key, threads, 120)
{
	pthread_t thread[4];
	void *wrong;
	int i;

	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, import_and_close,
					    self->key));
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], &wrong);
		EXPECT_EQ(NULL, wrong);
	}
	OK(aclrtIpcMemClose(self->key));
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemClose(self->key));
}

static int child_calls(const char *key, int32_t pid)
{
	void *p;

	return !aclrtIpcMemImportByKey(&p, key, 0) ||
	       aclrtIpcMemClose(key) != ACL_ERROR_RT_NO_PERMISSION ||
	       aclrtIpcMemSetImportPid(key, &pid, 1) !=
	       ACL_ERROR_RT_NO_PERMISSION;
}

TEST_F(key, forked_child_has_none)
{
	void *p;
	pid_t pid;

	fflush(stdout);
	pid = fork_bound();
	if (!pid)
		_exit(child_calls(self->key, 1));
	EXPECT_EQ(0, child_wait(pid));
	OK(aclrtIpcMemImportByKey(&p, self->key, 0));
}

TEST_HARNESS_MAIN
