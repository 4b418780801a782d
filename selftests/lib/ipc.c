// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that two processes share, by key and by shareable handle: the test,
 * and a peer that does what it is told.
 */
#include "acl-test.h"

#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#define SIZE		(4 * MIB)
#define KEY_LENGTH	65

#define NOT_ALLOWED	ACL_ERROR_RT_NO_PERMISSION
#define NO_SUCH_KEY	BAD_VALUE

/* By what memory is shared. */
enum kind { KEY, NUMBER, FABRIC };

/* What is sent from one process to the other: a key or a handle. */
union name {
	char key[KEY_LENGTH];
	uint64_t number;
	aclrtMemFabricHandle fabric;
};

/* Memory of one process, shared or imported. */
struct memory {
	enum kind kind;
	union name name;
	aclrtDrvMemHandle handle;	/* unless the kind is KEY */
	void *at;
};

static aclError map(struct memory *m)
{
	aclError err = aclrtReserveMemAddress(&m->at, SIZE, 0, NULL, 0);

	return err ? err : aclrtMapMem(m->at, SIZE, 0, m->handle, 0);
}

static aclError make(struct memory *m, enum kind kind)
{
	const aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE,
		.location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE },
	};
	aclError err;

	memset(m, 0, sizeof(*m));
	m->kind = kind;
	if (kind == KEY)
		return aclrtMallocAlign32(&m->at, SIZE,
					  ACL_MEM_MALLOC_HUGE_ONLY);
	err = aclrtMallocPhysical(&m->handle, SIZE, &prop, 0);
	return err ? err : map(m);
}

static aclError export(struct memory *m, uint64_t flags)
{
	switch (m->kind) {
	case KEY:
		return aclrtIpcMemGetExportKey(m->at, SIZE, m->name.key,
					       KEY_LENGTH, flags);
	case NUMBER:
		return aclrtMemExportToShareableHandle(m->handle,
			ACL_MEM_HANDLE_TYPE_NONE, flags, &m->name.number);
	default:
		return aclrtMemExportToShareableHandleV2(m->handle, flags,
			ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &m->name.fabric);
	}
}

static aclError allow(struct memory *m, int32_t pid)
{
	switch (m->kind) {
	case KEY:
		return aclrtIpcMemSetImportPid(m->name.key, &pid, 1);
	case NUMBER:
		return aclrtMemSetPidToShareableHandle(m->name.number, &pid, 1);
	default:
		return aclrtMemSetPidToShareableHandleV2(&m->name.fabric,
			ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &pid, 1);
	}
}

static aclError import(struct memory *m, enum kind kind,
		       const union name *name)
{
	aclError err;

	memset(m, 0, sizeof(*m));
	m->kind = kind;
	m->name = *name;
	if (kind == KEY)
		return aclrtIpcMemImportByKey(&m->at, m->name.key,
			ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS);
	if (kind == NUMBER)
		err = aclrtMemImportFromShareableHandle(m->name.number, 0,
							&m->handle);
	else
		err = aclrtMemImportFromShareableHandleV2(&m->name.fabric,
			ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 0, &m->handle);
	return err ? err : map(m);
}

static aclError unmap(struct memory *m)
{
	aclError err = aclrtUnmapMem(m->at);

	if (!err)
		err = aclrtReleaseMemAddress(m->at);
	return err ? err : aclrtFreePhysical(m->handle);
}

/* Give back what was imported. */
static aclError drop(struct memory *m)
{
	return m->kind == KEY ? aclrtIpcMemClose(m->name.key) : unmap(m);
}

static aclError destroy(struct memory *m)
{
	return m->kind == KEY ? aclrtFree(m->at) : unmap(m);
}

static aclError fill(struct memory *m, int value)
{
	return aclrtMemset(m->at, SIZE, value, SIZE);
}

static bool holds(struct memory *m, int value)
{
	static uint8_t back[SIZE];

	return !aclrtMemcpy(back, SIZE, m->at, SIZE, ACL_MEMCPY_DEFAULT) &&
	       is_all(back, value, SIZE);
}

/* What the peer can be told to do. */
enum order { MAKE, EXPORT, ALLOW, IMPORT, DROP, DESTROY, FILL, CHECK, FORK };

struct command {
	enum order order;
	enum kind kind;
	int64_t value;
	union name name;
};

struct answer {
	aclError err;
	union name name;
};

struct peer {
	pid_t pid;
	int fd;
};

/* A child that outlives the peer, and has whatever it left open. */
static aclError leave_child(void)
{
	pid_t pid = fork();

	if (pid)
		return pid < 0;
	close(0);
	close(1);
	close(2);
	sleep(20);
	_exit(0);
}

static aclError obey(const struct command *c, struct memory *m)
{
	switch (c->order) {
	case MAKE:
		return make(m, c->kind);
	case EXPORT:
		return export(m, c->value);
	case ALLOW:
		return allow(m, c->value);
	case IMPORT:
		return import(m, c->kind, &c->name);
	case DROP:
		return drop(m);
	case DESTROY:
		return destroy(m);
	case FILL:
		return fill(m, c->value);
	case CHECK:
		return !holds(m, c->value);
	default:
		return leave_child();
	}
}

static void peer_run(int fd)
{
	struct memory m = { .kind = KEY };
	struct command c;

	if (aclrtSetDevice(0))
		_exit(1);
	while (read(fd, &c, sizeof(c)) == sizeof(c)) {
		struct answer a = { .err = obey(&c, &m), .name = m.name };

		if (write(fd, &a, sizeof(a)) != sizeof(a))
			_exit(1);
	}
	_exit(0);
}

/* To be called before this process uses the library: then both may. */
static void peer_start(struct peer *peer)
{
	int fds[2];

	fflush(stdout);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		abort();
	peer->pid = fork_bound();
	if (!peer->pid) {
		close(fds[0]);
		peer_run(fds[1]);
	}
	close(fds[1]);
	peer->fd = fds[0];
}

static int peer_kill(struct peer *peer)
{
	int ret = kill(peer->pid, SIGKILL);

	child_wait(peer->pid);
	close(peer->fd);
	peer->pid = 0;
	return ret;
}

static aclError tell(struct peer *peer, enum order order, enum kind kind,
		     int64_t value, union name *name)
{
	struct command c = { .order = order, .kind = kind, .value = value };
	struct answer a;

	if (name)
		c.name = *name;
	if (write(peer->fd, &c, sizeof(c)) != sizeof(c) ||
	    read(peer->fd, &a, sizeof(a)) != sizeof(a))
		return -1;
	if (name)
		*name = a.name;
	return a.err;
}

FIXTURE(share) {
	struct peer peer;
	size_t free_before;
	struct memory m;
	union name name;
};

FIXTURE_VARIANT(share) {
	enum kind kind;
};

FIXTURE_VARIANT_ADD(share, key) { .kind = KEY };
FIXTURE_VARIANT_ADD(share, number) { .kind = NUMBER };
FIXTURE_VARIANT_ADD(share, fabric) { .kind = FABRIC };

FIXTURE_SETUP(share)
{
	memset(&self->name, 0, sizeof(self->name));
	peer_start(&self->peer);
	OK(aclrtSetDevice(0));
	self->free_before = free_bytes();
}

/* However it was shared, nothing is left of it. */
FIXTURE_TEARDOWN(share)
{
	if (self->peer.pid)
		peer_kill(&self->peer);
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->free_before, free_bytes());
}

#define TELL(order, value) \
	tell(&self->peer, order, variant->kind, value, NULL)

/* The peer makes memory, full of 0x11, and shares it. */
static aclError peer_shares(FIXTURE_DATA(share) * self, enum kind kind,
			    uint64_t flags)
{
	aclError err = tell(&self->peer, MAKE, kind, 0, NULL);

	if (!err)
		err = tell(&self->peer, FILL, kind, 0x11, NULL);
	return err ? err : tell(&self->peer, EXPORT, kind, flags, &self->name);
}

TEST_F(share, data_goes_both_ways)
{
	OK(peer_shares(self, variant->kind, 0));
	OK(TELL(ALLOW, getpid()));
	OK(import(&self->m, variant->kind, &self->name));
	EXPECT_TRUE(holds(&self->m, 0x11));
	OK(fill(&self->m, 0x22));
	OK(TELL(CHECK, 0x22));
	OK(TELL(FILL, 0x33));
	EXPECT_TRUE(holds(&self->m, 0x33));
	/* It is there once. */
	EXPECT_EQ(self->free_before - SIZE, free_bytes());

	OK(drop(&self->m));
	OK(TELL(CHECK, 0x33));
	OK(TELL(DESTROY, 0));
	EXPECT_EQ(self->free_before, free_bytes());
}

TEST_F(share, only_who_was_allowed)
{
	OK(peer_shares(self, variant->kind, 0));
	EXPECT_ACL(NOT_ALLOWED,
		   import(&self->m, variant->kind, &self->name));
	OK(TELL(ALLOW, getpid() + 1));
	EXPECT_ACL(NOT_ALLOWED,
		   import(&self->m, variant->kind, &self->name));
	OK(TELL(ALLOW, 0));
	OK(TELL(ALLOW, -1));
	EXPECT_ACL(NOT_ALLOWED,
		   import(&self->m, variant->kind, &self->name));
	/* An importer has no say in it. */
	memcpy(&self->m.name, &self->name, sizeof(self->name));
	self->m.kind = variant->kind;
	EXPECT_ACL(BAD_VALUE, allow(&self->m, getpid()));

	OK(TELL(ALLOW, getpid()));
	OK(import(&self->m, variant->kind, &self->name));
	EXPECT_TRUE(holds(&self->m, 0x11));
}

TEST_F(share, everyone)
{
	OK(peer_shares(self, variant->kind, 1));
	OK(import(&self->m, variant->kind, &self->name));
	EXPECT_TRUE(holds(&self->m, 0x11));
}

TEST_F(share, exporter_dies_first)
{
	OK(peer_shares(self, variant->kind, 1));
	OK(import(&self->m, variant->kind, &self->name));
	ASSERT_EQ(0, peer_kill(&self->peer));
	EXPECT_TRUE(holds(&self->m, 0x11));
	OK(fill(&self->m, 0x44));
	EXPECT_TRUE(holds(&self->m, 0x44));
	EXPECT_EQ(self->free_before - SIZE, free_bytes());
	OK(drop(&self->m));
	EXPECT_EQ(self->free_before, free_bytes());
}

TEST_F(share, importer_dies_first)
{
	OK(make(&self->m, variant->kind));
	OK(fill(&self->m, 0x55));
	OK(export(&self->m, 0));
	OK(allow(&self->m, self->peer.pid));
	OK(tell(&self->peer, IMPORT, variant->kind, 0, &self->m.name));
	OK(TELL(CHECK, 0x55));
	OK(TELL(FILL, 0x66));
	ASSERT_EQ(0, peer_kill(&self->peer));
	EXPECT_TRUE(holds(&self->m, 0x66));
	OK(destroy(&self->m));
	EXPECT_EQ(self->free_before, free_bytes());
}

/* Whoever has it keeps it; nobody else gets it. */
TEST_F(share, closed)
{
	struct memory late;

	OK(peer_shares(self, variant->kind, 1));
	OK(import(&self->m, variant->kind, &self->name));
	OK(TELL(DROP, 0));
	EXPECT_TRUE(holds(&self->m, 0x11));
	if (variant->kind != KEY)
		EXPECT_ACL(NO_SUCH_KEY,
			   import(&late, variant->kind, &self->name));
	OK(drop(&self->m));
	EXPECT_ACL(NO_SUCH_KEY, import(&late, variant->kind, &self->name));
}

TEST_F(share, freed)
{
	OK(peer_shares(self, variant->kind, 1));
	OK(TELL(DESTROY, 0));
	EXPECT_EQ(self->free_before, free_bytes());
	EXPECT_ACL(NO_SUCH_KEY, import(&self->m, variant->kind, &self->name));
}

TEST_F(share, exporter_is_gone)
{
	uint64_t start;

	OK(peer_shares(self, variant->kind, 1));
	ASSERT_EQ(0, peer_kill(&self->peer));
	start = now_ms();
	EXPECT_ACL(NO_SUCH_KEY, import(&self->m, variant->kind, &self->name));
	EXPECT_GT(2000, now_ms() - start);
}

TEST_F(share, wrong_names)
{
	union name wrong;
	size_t i, length = variant->kind == NUMBER ? sizeof(wrong.number) : 42;

	OK(peer_shares(self, variant->kind, 1));
	for (i = 0; i < length; i += 3) {
		wrong = self->name;
		wrong.key[i] ^= 1;
		EXPECT_ACL(NO_SUCH_KEY,
			   import(&self->m, variant->kind, &wrong));
	}
	memset(&wrong, 0, sizeof(wrong));
	EXPECT_ACL(NO_SUCH_KEY, import(&self->m, variant->kind, &wrong));
	memset(&wrong, 0xff, sizeof(wrong));
	EXPECT_ACL(NO_SUCH_KEY, import(&self->m, variant->kind, &wrong));
	OK(import(&self->m, variant->kind, &self->name));
}

TEST_F(share, many_imports)
{
	struct memory many[32];
	int i, round;

	OK(peer_shares(self, variant->kind, 1));
	for (round = 0; round < 2; round++) {
		for (i = 0; i < 32; i++) {
			OK(import(&many[i], variant->kind, &self->name));
			/* A key is an address, a handle is a new one. */
			EXPECT_EQ(variant->kind == KEY || !i,
				  many[i].at == many[0].at);
		}
		EXPECT_TRUE(holds(&many[31], 0x11));
		EXPECT_EQ(self->free_before - SIZE, free_bytes());
		for (i = 0; i < 31; i++)
			OK(drop(&many[i]));
		EXPECT_TRUE(holds(&many[31], 0x11));
		OK(drop(&many[31]));
	}
}

TEST_F(share, in_one_process)
{
	struct memory back;

	OK(make(&self->m, variant->kind));
	OK(fill(&self->m, 0x77));
	OK(export(&self->m, 0));
	OK(import(&back, variant->kind, &self->m.name));
	EXPECT_NE(self->m.at, back.at);
	EXPECT_TRUE(holds(&back, 0x77));
	EXPECT_EQ(self->free_before - SIZE, free_bytes());
	OK(drop(&back));
	EXPECT_TRUE(holds(&self->m, 0x77));
	OK(destroy(&self->m));
	EXPECT_EQ(self->free_before, free_bytes());
}

TEST_F(share, reset_drops_both_ends)
{
	OK(peer_shares(self, variant->kind, 1));
	OK(import(&self->m, variant->kind, &self->name));
	OK(aclrtResetDevice(0));
	EXPECT_NE(ACL_SUCCESS, drop(&self->m));
	EXPECT_ACL(NO_CONTEXT, import(&self->m, variant->kind, &self->name));
	OK(aclrtSetDevice(0));

	OK(make(&self->m, variant->kind));
	OK(export(&self->m, 1));
	OK(tell(&self->peer, IMPORT, variant->kind, 0, &self->m.name));
	OK(aclrtResetDevice(0));
	OK(aclrtSetDevice(0));
	EXPECT_ACL(NO_SUCH_KEY, import(&self->m, variant->kind,
				       &self->m.name));
	OK(TELL(FILL, 0x12));
	OK(TELL(CHECK, 0x12));
}

/* A child of the exporter neither answers in its place nor keeps the memory. */
TEST_F(share, child_does_not_serve)
{
	OK(peer_shares(self, variant->kind, 1));
	OK(TELL(FORK, 0));
	OK(import(&self->m, variant->kind, &self->name));
	EXPECT_TRUE(holds(&self->m, 0x11));
	OK(drop(&self->m));
	ASSERT_EQ(0, peer_kill(&self->peer));
	EXPECT_ACL(NO_SUCH_KEY, import(&self->m, variant->kind, &self->name));
	EXPECT_EQ(self->free_before, free_bytes());
}

/* The key's own calls, and the errors of all of them. */

FIXTURE(key) {
	struct memory m;
	char *key;
	size_t free_before;
};

FIXTURE_SETUP(key)
{
	OK(aclrtSetDevice(0));
	self->free_before = free_bytes();
	OK(make(&self->m, KEY));
	OK(fill(&self->m, 0x21));
	OK(export(&self->m, 0));
	self->key = self->m.name.key;
}

FIXTURE_TEARDOWN(key)
{
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->free_before, free_bytes());
}

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

TEST_F(key, imported_memory_is_not_to_be_freed)
{
	void *p;

	OK(aclrtIpcMemImportByKey(&p, self->key, 0));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p));
	EXPECT_ACL(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtUnmapMem(p));
	OK(aclrtMemset(p, 1, 0x41, 1));
	OK(aclrtIpcMemClose(self->key));
	EXPECT_NE(ACL_SUCCESS, aclrtMemset(p, 1, 0x41, 1));
}

/* Freed before its key is closed: who has imported it keeps it. */
TEST_F(key, free_first)
{
	void *p, *other, *imported;

	OK(aclrtIpcMemImportByKey(&imported, self->key, 0));
	OK(aclrtFree(self->m.at));
	/* Perhaps at the same address; the old key is not for it. */
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

	/* A key is no handle. */
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

/* Signals go to the program's threads, whatever the library runs. */
static volatile sig_atomic_t caught_by;

static void caught(int sig)
{
	(void)sig;
	caught_by = gettid();
}

TEST_F(key, takes_no_signals)
{
	struct sigaction act = { .sa_handler = caught };
	sigset_t usr1;

	sigaction(SIGUSR1, &act, NULL);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	ASSERT_EQ(0, pthread_sigmask(SIG_BLOCK, &usr1, NULL));
	ASSERT_EQ(0, kill(getpid(), SIGUSR1));
	usleep(50000);
	EXPECT_EQ(0, caught_by);
	ASSERT_EQ(0, pthread_sigmask(SIG_UNBLOCK, &usr1, NULL));
	EXPECT_EQ(gettid(), caught_by);
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

/* Peers that mean no good.  Whom to talk to is told by the key. */

static socklen_t service_address(const char *key, struct sockaddr_un *address)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	return offsetof(struct sockaddr_un, sun_path) + 1 +
	       sprintf(address->sun_path + 1, "vnpu-share-%.5s", key + 5);
}

/* A connection to the service, or -1. */
static int service_connect(const char *key)
{
	struct sockaddr_un address;
	socklen_t length = service_address(key, &address);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, length)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void send_junk(int fd, struct rng *rng, size_t bytes, bool with_fd)
{
	union {
		struct cmsghdr align;
		char buffer[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	char junk[512];
	struct iovec iov = { .iov_base = junk, .iov_len = bytes };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

	rng_fill(rng, junk, sizeof(junk));
	/* Half of them look right at first sight. */
	if (rng_next(rng) % 2)
		memcpy(junk, "VPNUVSH1", 8);
	if (with_fd) {
		struct cmsghdr *cmsg;

		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		cmsg = CMSG_FIRSTHDR(&message);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	}
	sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

TEST_F(key, junk_is_sent)
{
	static const size_t sizes[] = { 0, 1, 8, 23, 24, 25, 40, 512 };
	struct rng rng = rng_init();
	int i, fd;
	void *p;

	for (i = 0; i < 400; i++) {
		fd = service_connect(self->key);
		ASSERT_LE(0, fd);
		/* Some say nothing; answers are never read. */
		if (i % 7)
			send_junk(fd, &rng, sizes[i % ARRAY_SIZE(sizes)],
				  i % 5 == 0);
		close(fd);
	}
	OK(aclrtIpcMemImportByKey(&p, self->key, 0));
	OK(aclrtIpcMemClose(self->key));
}

/* As many places as there are for a user are taken, and stay so. */
TEST_F(key, peers_are_silent)
{
	int fds[16], i;
	char byte;
	void *p;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = service_connect(self->key);
		ASSERT_LE(0, fds[i]);
	}
	/* This user, too, gets its turn when their time is up. */
	OK(aclrtIpcMemImportByKey(&p, self->key, 0));
	OK(aclrtIpcMemClose(self->key));
	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		EXPECT_EQ(0, recv(fds[i], &byte, 1, 0));
		close(fds[i]);
	}
}

#define FLOODERS	4

static void flood(const char *key)
{
	struct rng rng = rng_init();
	int held[64], i = 0;

	memset(held, -1, sizeof(held));
	for (;; i = (i + 1) % ARRAY_SIZE(held)) {
		if (held[i] >= 0)
			close(held[i]);
		held[i] = service_connect(key);
		/* One in four is silent until it is closed. */
		if (held[i] >= 0 && i % 4)
			send_junk(held[i], &rng, 24, false);
	}
}

static bool is_user(uid_t uid)
{
	return !setresuid(uid, uid, uid);
}

/* Other users may connect, and guess: none of them keeps this one from its memory. */
TEST_F(key, others_flood)
{
	pid_t pids[FLOODERS];
	int i, round;
	void *p;

	if (geteuid())
		SKIP(return, "needs root, to be other users");
	fflush(stdout);
	for (i = 0; i < FLOODERS; i++) {
		pids[i] = fork_bound();
		if (!pids[i]) {
			if (!is_user(65534 - i / 2))
				_exit(1);
			flood(self->key);
		}
	}
	usleep(200000);
	for (round = 0; round < 10; round++) {
		OK(aclrtIpcMemImportByKey(&p, self->key, 0));
		OK(aclrtIpcMemClose(self->key));
	}
	for (i = 0; i < FLOODERS; i++) {
		EXPECT_EQ(0, kill(pids[i], SIGKILL));
		EXPECT_EQ(pids[i], waitpid(pids[i], NULL, 0));
	}
}

/* What takes the name of a service that is gone cannot pass for it. */
static void *impostor(void *arg)
{
	uint64_t reply[5] = { 0, 0, 0x1234, 0, SIZE };
	int listener = *(int *)arg, rounds = 2, fd;
	char request[64];

	memcpy(reply, "VPNUVSH1", 8);
	while (rounds--) {
		fd = accept(listener, NULL, NULL);
		if (fd < 0)
			break;
		if (recv(fd, request, sizeof(request), 0) > 0)
			send(fd, reply, rounds ? 3 : sizeof(reply),
			     MSG_NOSIGNAL);
		close(fd);
	}
	return NULL;
}

TEST(impostor_is_found_out)
{
	struct sockaddr_un address;
	struct memory m;
	struct peer peer;
	union name name;
	pthread_t thread;
	socklen_t length;
	int fd;

	peer_start(&peer);
	OK(aclrtSetDevice(0));
	OK(tell(&peer, MAKE, KEY, 0, NULL));
	OK(tell(&peer, EXPORT, KEY, 1, &name));
	ASSERT_EQ(0, peer_kill(&peer));

	length = service_address(name.key, &address);
	fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	ASSERT_EQ(0, bind(fd, (struct sockaddr *)&address, length));
	ASSERT_EQ(0, listen(fd, 1));
	ASSERT_EQ(0, pthread_create(&thread, NULL, impostor, &fd));
	EXPECT_ACL(NO_SUCH_KEY, import(&m, KEY, &name));
	EXPECT_ACL(NO_SUCH_KEY, import(&m, KEY, &name));
	pthread_join(thread, NULL);
	close(fd);
	EXPECT_ACL(NO_SUCH_KEY, import(&m, KEY, &name));
}

TEST(exporter_is_stopped)
{
	struct memory m;
	struct peer peer;
	union name name;

	peer_start(&peer);
	OK(aclrtSetDevice(0));
	OK(tell(&peer, MAKE, KEY, 0, NULL));
	OK(tell(&peer, EXPORT, KEY, 1, &name));
	ASSERT_EQ(0, kill(peer.pid, SIGSTOP));
	ASSERT_EQ(peer.pid, waitpid(peer.pid, NULL, WUNTRACED));
	EXPECT_ACL(ACL_ERROR_RT_WAIT_TIMEOUT, import(&m, KEY, &name));
	ASSERT_EQ(0, kill(peer.pid, SIGCONT));
	OK(import(&m, KEY, &name));
	peer_kill(&peer);
}

/* Starts a peer that is process 1 of a namespace of its own. */
static void peer_start_inside(struct peer *peer)
{
	int fds[2];
	pid_t pid;

	fflush(stdout);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		abort();
	pid = fork_bound();
	if (!pid) {
		if (unshare(CLONE_NEWPID))
			_exit(1);
		pid = fork_bound();
		if (!pid)
			peer_run(fds[1]);
		if (write(fds[1], &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		_exit(child_wait(pid));
	}
	close(fds[1]);
	peer->fd = fds[0];
	if (read(peer->fd, &peer->pid, sizeof(peer->pid)) != sizeof(peer->pid))
		abort();
}

/* Process ids are those that the exporter sees; whom it does not see has none. */
TEST(pid_namespaces)
{
	struct memory m;
	struct peer peer;
	union name name;
	enum kind kind;

	peer_start_inside(&peer);
	OK(aclrtSetDevice(0));
	for (kind = KEY; kind <= FABRIC; kind++) {
		OK(make(&m, kind));
		OK(export(&m, 0));
		name = m.name;
		OK(allow(&m, 1));
		EXPECT_EQ(NOT_ALLOWED, tell(&peer, IMPORT, kind, 0, &name));
		OK(allow(&m, peer.pid));
		OK(tell(&peer, IMPORT, kind, 0, &name));
		OK(tell(&peer, DROP, kind, 0, NULL));
		OK(destroy(&m));

		OK(tell(&peer, MAKE, kind, 0, NULL));
		OK(tell(&peer, EXPORT, kind, 0, &name));
		OK(tell(&peer, ALLOW, kind, getpid(), NULL));
		OK(tell(&peer, ALLOW, kind, 0, NULL));
		EXPECT_ACL(NOT_ALLOWED, import(&m, kind, &name));
		OK(tell(&peer, DESTROY, kind, 0, NULL));
	}
	close(peer.fd);
}

TEST_HARNESS_MAIN
