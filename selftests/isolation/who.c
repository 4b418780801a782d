// SPDX-License-Identifier: GPL-2.0-only
/*
 * Access rights: the table of Documentation/isolation.md, with a variant for
 * each line of it, in which a process of that kind looks at a client of root's
 * in the initial namespaces.
 */
#include "kselftest_harness.h"

#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "../uapi/core.h"
#include "../uapi/coredump.h"
#include "../uapi/stream.h"
#include "../uapi/trouble.h"
#include "../uapi/util.h"

#define NOBODY	65534
#define HELD	KIB(64)

/* Operations that need an administrator, and operations that do not. */
static const __u8 admin[] = {
	VNPU_CMD_COMPACT, VNPU_CMD_QUOTA_SET, VNPU_CMD_QUOTA_REMOVE,
	VNPU_CMD_INJECT_SET, VNPU_CMD_RESET, VNPU_CMD_DEV_ADD,
	VNPU_CMD_DEV_REMOVE,
};

static const __u8 dumps[] = {
	VNPU_CMD_DEV_GET, VNPU_CMD_MEM_GET, VNPU_CMD_CLIENT_GET,
	VNPU_CMD_SLAB_GET, VNPU_CMD_QUOTA_GET, VNPU_CMD_STREAM_GET,
	VNPU_CMD_ENGINE_GET, VNPU_CMD_HISTORY_GET, VNPU_CMD_KERNEL_GET,
};

/*
 * The driver's files: the access that is tried for each, and the processes that
 * have it.
 */
static const struct {
	const char *path;
	int flags;
	bool takes_admin;
} files[] = {
	{ "/sys/class/vnpu/vnpu0/health", O_RDONLY, false },
	{ "/sys/class/vnpu/vnpu0/memory_used_bytes", O_RDONLY, false },
	{ "/sys/class/vnpu/vnpu0/copy_busy_time_us", O_RDONLY, false },
	{ "/sys/class/vnpu/new_device", O_WRONLY, true },
	{ "/sys/class/vnpu/del_device", O_WRONLY, true },
	{ "/sys/module/vnpu/parameters/hang_timeout_ms", O_RDONLY, false },
	{ "/sys/module/vnpu/parameters/hang_timeout_ms", O_WRONLY, true },
	{ "/sys/kernel/debug/vnpu/0/allocator", O_RDONLY, true },
	{ "/sys/kernel/debug/vnpu/0/engines", O_RDONLY, true },
	{ "/sys/kernel/tracing/events/vnpu/enable", O_RDWR, true },
	{ "/sys/kernel/tracing/events/vnpu/vnpu_task_fault/format", O_RDONLY,
	  true },
};

/* A client as it is reported, while it is open or when it has ended. */
struct report {
	__u64 id;	/* the client to look for */
	bool found;
	__u32 pid, host_pid, uid;
	char name[16];
};

/* The results of a process of some kind, which shares this memory. */
struct seen {
	int use;	/* result of using the client's file, which it has */
	/* result of importing memory into a client of its own */
	int import;
	int admin[ARRAY_SIZE(admin)];
	int faults;	/* result of listing them */
	int dumps[ARRAY_SIZE(dumps)];
	int map, fit;
	struct report client, exited;
	int kernels;	/* of the client */
	/* result of waiting for the event of a refused request */
	int event;
	__u64 event_client;
	int files[ARRAY_SIZE(files)];
	char coredump[PATH_MAX];
	int open_coredump;
};

FIXTURE(who)
{
	struct client c;
	int memory;	/* a file of the client's */
	pid_t exited;	/* a process that had a client */
	int listens[2];
	struct seen *seen;
};

FIXTURE_VARIANT(who)
{
	int spaces;	/* namespaces that it enters before it looks */
	bool is_nobody;
	bool is_admin;
	bool sees_process;
	__u32 uid;	/* pid of the client as it sees it */
};

/* clang-format off */
FIXTURE_VARIANT_ADD(who, its_child)
{ .is_admin = true, .sees_process = true };
FIXTURE_VARIANT_ADD(who, another_user)
{ .is_nobody = true };
FIXTURE_VARIANT_ADD(who, root_of_a_user_namespace)
{ .spaces = CLONE_NEWUSER | CLONE_NEWNET, .is_nobody = true, .uid = NOBODY };
FIXTURE_VARIANT_ADD(who, in_a_pid_namespace)
{ .spaces = CLONE_NEWPID, .is_admin = true };
FIXTURE_VARIANT_ADD(who, in_a_network_namespace)
{ .spaces = CLONE_NEWNET, .is_admin = true, .sees_process = true };
FIXTURE_VARIANT_ADD(who, in_a_container)
{ .spaces = CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWPID, .is_nobody = true,
  .uid = NOBODY };
/* clang-format on */

/* Run a process that has used the device and has ended; return its pid. */
static pid_t run_and_exit(struct report *report)
{
	pid_t pid = fork_bound();

	if (!pid) {
		struct client c;
		__u32 id;

		if (client_open(&c) || mem_alloc(&c, 0, 0, 0, HELD, &id))
			_exit(1);
		report->id = client_id(&c);
		_exit(0);
	}
	return child_wait(pid) ? -1 : pid;
}

/* The client is its own core, and runs a kernel with a name. */
static int run_kernel(const struct client *c)
{
	struct vnpu_engine_attach at;
	struct stream s;
	int fd = engine_create(c, 0, 1), ret;

	if (fd < 0)
		return fd;
	ret = stream_create(&s, c, 0) ?: engine_attach(fd, &at) ?:
	      engine_name(fd, 1, "secret");
	return ret ?: engine_run_kernel(fd, &s, 1, 0);
}

FIXTURE_SETUP(who)
{
	__u32 id;

	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, HELD, &id));
	self->memory = mem_export(&self->c, id);
	ASSERT_LE(0, self->memory);
	self->seen = mmap(NULL, sizeof(*self->seen), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->seen);
	self->seen->client.id = client_id(&self->c);
	ASSERT_EQ(0, run_kernel(&self->c));
	self->exited = run_and_exit(&self->seen->exited);
	ASSERT_LT(0, self->exited);
	ASSERT_EQ(0, pipe(self->listens));
}

FIXTURE_TEARDOWN(who)
{
	close(self->listens[0]);
	close(self->listens[1]);
	close(self->memory);
	client_close(&self->c);
}

static int take_client(const struct nlmsghdr *head, void *arg)
{
	struct report *report = arg;
	const char *name;
	__u16 size;

	if (nl_u64(head, VNPU_A_CLIENT_ID) != report->id)
		return 0;
	report->found = true;
	report->pid = nl_u32(head, VNPU_A_CLIENT_PID);
	report->host_pid = nl_u32(head, VNPU_A_CLIENT_HOST_PID);
	report->uid = nl_u32(head, VNPU_A_CLIENT_UID);
	name = nl_attr(head, VNPU_A_CLIENT_NAME, &size);
	if (name)
		strncpy(report->name, name, sizeof(report->name) - 1);
	return 0;
}

static int take_kernel(const struct nlmsghdr *head, void *arg)
{
	struct seen *seen = arg;

	if (nl_u64(head, VNPU_A_KERNEL_CLIENT_ID) == seen->client.id)
		seen->kernels++;
	return 0;
}

/* A list may change while it is read. */
static int dump(int fd, int family, __u8 command,
		int (*each)(const struct nlmsghdr *head, void *arg), void *arg)
{
	int ret;

	do
		ret = nl_dump(fd, family, command, each, arg);
	while (ret == -EINTR);
	return ret;
}

/* There is no such device, so a permitted request does no harm. */
static int ask_for_nothing(int fd, int family, __u8 command)
{
	static __u8 answer[NL_BUFFER];
	struct nl_msg m;

	nl_init(&m, (__u16)family, 0, command);
	nl_put_u32(&m, VNPU_A_DEV_ID, VNPU_MAX_DEVICES);
	return nl_ask(fd, &m, answer);
}

static int ask_for_map(int fd, int family)
{
	static __u8 answer[NL_BUFFER];
	struct nl_msg m;

	nl_init(&m, (__u16)family, 0, VNPU_CMD_MAP_GET);
	nl_put_u32(&m, VNPU_A_MAP_DEV_ID, 0);
	return nl_ask(fd, &m, answer);
}

static int ask_for_fit(int fd, int family)
{
	static __u8 answer[NL_BUFFER];
	struct nl_msg m;

	nl_init(&m, (__u16)family, 0, VNPU_CMD_FIT_GET);
	nl_put_u32(&m, VNPU_A_FIT_DEV_ID, 0);
	nl_put_u64(&m, VNPU_A_FIT_LENGTH, HELD);
	return nl_ask(fd, &m, answer);
}

/* The client's next request is reported to all listeners. */
static void listen_to(FIXTURE_DATA(who) * self, struct seen *seen)
{
	static __u8 event[NL_BUFFER];
	int fd = nl_open_events(event);

	baton_pass(self->listens[1]);
	seen->event = fd < 0 ? fd : event_wait(fd, VNPU_CMD_OOM_NTF, event);
	seen->event_client = nl_u64((void *)event, VNPU_A_OOM_CLIENT_ID);
	close(fd);
}

static int try_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void look(FIXTURE_DATA(who) * self, struct seen *seen)
{
	int fd = nl_open(), family = nl_family(fd);
	struct vnpu_info i;
	struct client own;
	__u32 id;
	size_t n;

	seen->use = info(&self->c, &i);
	for (n = 0; n < ARRAY_SIZE(admin); n++)
		seen->admin[n] = ask_for_nothing(fd, family, admin[n]);
	seen->faults = dump(fd, family, VNPU_CMD_INJECT_GET, NULL, NULL);
	for (n = 0; n < ARRAY_SIZE(dumps); n++)
		seen->dumps[n] = dump(fd, family, dumps[n], NULL, NULL);
	dump(fd, family, VNPU_CMD_CLIENT_GET, take_client, &seen->client);
	dump(fd, family, VNPU_CMD_HISTORY_GET, take_client, &seen->exited);
	dump(fd, family, VNPU_CMD_KERNEL_GET, take_kernel, seen);
	seen->map = ask_for_map(fd, family);
	seen->fit = ask_for_fit(fd, family);
	for (n = 0; n < ARRAY_SIZE(files); n++)
		seen->files[n] = try_open(files[n].path, files[n].flags);
	seen->open_coredump = try_open(seen->coredump, O_RDONLY);
	listen_to(self, seen);
	seen->import = client_open_only(&own);
	if (!seen->import)
		seen->import = mem_import(&own, self->memory, &id);
}

/* Skip a file that this kernel does not have. */
static int make_coredump(struct seen *seen)
{
	struct client c;
	struct stream s;
	int ret;

	if (access(COREDUMPS, F_OK))
		return 0;
	forget_coredump();
	ret = client_open(&c) ?: stream_create(&s, &c, 0) ?:
	      stream_do(&s, (struct vnpu_task){}) ?: device_reset(0);
	client_close(&c);
	return ret ?: find_coredump(seen->coredump) ? 0 : -ENOENT;
}

static void mount_all(void)
{
	if (access("/sys/kernel/debug/vnpu", F_OK))
		mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	if (access("/sys/kernel/tracing/events", F_OK))
		mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
}

static void expect_told(struct __test_metadata *_metadata,
			const FIXTURE_VARIANT(who) * v,
			const struct report *report, pid_t pid)
{
	const bool sees_host = v->sees_process || v->is_admin;

	ASSERT_TRUE(report->found);
	EXPECT_EQ(v->sees_process ? pid : 0, report->pid);
	EXPECT_EQ(sees_host ? pid : UINT32_MAX, report->host_pid);
	EXPECT_STREQ(v->sees_process ? "who" : "", report->name);
	EXPECT_EQ(v->uid, report->uid);
}

static void expect_files(struct __test_metadata *_metadata,
			 const FIXTURE_VARIANT(who) * v,
			 const struct seen *seen)
{
	size_t n;

	for (n = 0; n < ARRAY_SIZE(files); n++) {
		bool may = v->is_admin || !files[n].takes_admin;

		if (try_open(files[n].path, files[n].flags) == -ENOENT)
			continue;
		EXPECT_EQ(may ? 0 : -EACCES, seen->files[n])
			TH_LOG("%s", files[n].path);
	}
	if (seen->coredump[0])
		EXPECT_EQ(v->is_admin ? 0 : -EACCES, seen->open_coredump);
}

TEST_F(who, access_rights)
{
	struct seen *seen = self->seen;
	struct stat st;
	pid_t pid;
	size_t n;
	__u32 id;

	ASSERT_EQ(0, stat(VNPU_NODE, &st));
	mount_all();
	ASSERT_EQ(0, make_coredump(seen));
	pid = fork_bound();
	if (!pid) {
		if (variant->is_nobody &&
		    (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		     setresuid(NOBODY, NOBODY, NOBODY)))
			_exit(1);
		if (unshare(variant->spaces))
			_exit(2);
		/* A pid namespace applies to children only. */
		pid = fork_bound();
		if (!pid) {
			look(self, seen);
			_exit(0);
		}
		_exit(child_wait(pid));
	}
	close(self->listens[1]);
	self->listens[1] = -1;
	/* Otherwise the child has ended, and its status says why. */
	if (read(self->listens[0], &id, 1) == 1)
		EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, 0, 1ULL << 50,
					     &id));
	n = child_wait(pid);
	if (n == 2)
		SKIP(return, "no such namespaces");
	ASSERT_EQ(0, n);

	/* A file is useful to its owner only, whichever process has it. */
	EXPECT_EQ(-EPERM, seen->use);
	/*
	 * A file of memory can be imported by any process that may open the
	 * node.
	 */
	EXPECT_EQ(!variant->is_nobody || st.st_mode & 0006 ? 0 : -EACCES,
		  seen->import);
	for (n = 0; n < ARRAY_SIZE(admin); n++) {
		EXPECT_EQ(!variant->is_admin, seen->admin[n] == -EPERM)
			TH_LOG("command %u: %d", admin[n], seen->admin[n]);
	}
	EXPECT_EQ(variant->is_admin ? 0 : -EPERM, seen->faults);
	for (n = 0; n < ARRAY_SIZE(dumps); n++) {
		EXPECT_LE(0, seen->dumps[n])
			TH_LOG("command %u", dumps[n]);
	}
	EXPECT_EQ(0, seen->map);
	EXPECT_EQ(0, seen->fit);
	EXPECT_EQ(0, seen->event);
	EXPECT_EQ(seen->client.id, seen->event_client);
	expect_told(_metadata, variant, &seen->client, getpid());
	expect_told(_metadata, variant, &seen->exited, self->exited);
	EXPECT_EQ(variant->sees_process, seen->kernels);
	expect_files(_metadata, variant, seen);
	forget_coredump();
}

TEST_HARNESS_MAIN
