/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of shared memory: memory of each kind, and a peer,
 * which is a process that executes commands on its own memory.
 */
#ifndef SELFTESTS_LIB_IPC_H
#define SELFTESTS_LIB_IPC_H

#include "acl-test.h"

#include <dirent.h>
#include <sys/socket.h>

#define SIZE		(4 * MIB)
#define KEY_LENGTH	65

#define NOT_ALLOWED	ACL_ERROR_RT_NO_PERMISSION
#define NO_SUCH_KEY	BAD_VALUE

/* How memory is shared. */
enum kind { KEY, NUMBER, FABRIC };

/* Data sent from one process to the other: a key or a handle. */
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

static inline aclError map(struct memory *m)
{
	aclError err = aclrtReserveMemAddress(&m->at, SIZE, 0, NULL, 0);

	return err ? err : aclrtMapMem(m->at, SIZE, 0, m->handle, 0);
}

static inline aclError make(struct memory *m, enum kind kind)
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

static inline aclError export(struct memory *m, uint64_t flags)
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

static inline aclError allow(struct memory *m, int32_t pid)
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

static inline aclError import(struct memory *m, enum kind kind,
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

static inline aclError unmap(struct memory *m)
{
	aclError err = aclrtUnmapMem(m->at);

	if (!err)
		err = aclrtReleaseMemAddress(m->at);
	return err ? err : aclrtFreePhysical(m->handle);
}

/* Release the import. */
static inline aclError drop(struct memory *m)
{
	return m->kind == KEY ? aclrtIpcMemClose(m->name.key) : unmap(m);
}

static inline aclError destroy(struct memory *m)
{
	return m->kind == KEY ? aclrtFree(m->at) : unmap(m);
}

static inline aclError fill(struct memory *m, int value)
{
	return aclrtMemset(m->at, SIZE, value, SIZE);
}

static inline bool holds(struct memory *m, int value)
{
	static uint8_t back[SIZE];

	return !aclrtMemcpy(back, SIZE, m->at, SIZE, ACL_MEMCPY_DEFAULT) &&
	       is_all(back, value, SIZE);
}

/* Commands of the peer. */
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

/* A child that outlives the peer, and has its open files. */
static inline aclError leave_child(void)
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

static inline aclError obey(const struct command *c, struct memory *m)
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

static inline void peer_run(int fd)
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

/* Call this before this process uses the library, as both may then use it. */
static inline void peer_start(struct peer *peer)
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

static inline int peer_kill(struct peer *peer)
{
	int ret = kill(peer->pid, SIGKILL);

	child_wait(peer->pid);
	close(peer->fd);
	peer->pid = 0;
	return ret;
}

static inline aclError tell(struct peer *peer, enum order order, enum kind kind,
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

static inline int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	int count = 0;

	while (dir && readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static inline int count_fds(void)
{
	return count_entries("/proc/self/fd");
}

#endif
