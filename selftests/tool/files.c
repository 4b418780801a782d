// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of the driver: a client in /proc/PID/fdinfo, a device in sysfs, and
 * internal state in debugfs.
 */
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "kselftest_harness.h"

#include "core.h"
#include "trouble.h"
#include "util.h"

#define SYSFS		"/sys/class/vnpu/vnpu0/"
#define DEBUGFS		"/sys/kernel/debug"

/* Read a small file; return its length or -errno. */
static int read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return -errno;
	length = read(fd, text, size - 1);
	if (length < 0)
		length = -errno;
	else
		text[length] = '\0';
	close(fd);
	return length;
}

static int read_fdinfo(const struct client *c, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", c->fd);
	return read_file(path, text, size);
}

/*
 * Return the value of a key, up to the end of its line; NULL if there is none.
 */
static const char *find_key(char *text, const char *key)
{
	static char value[128];
	size_t length = strlen(key);
	char *line;

	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) || line[length] != ':')
			continue;
		snprintf(value, sizeof(value), "%s",
			 line + length + 1 + strspn(line + length + 1, " \t"));
		value[strcspn(value, "\n")] = '\0';
		return value;
	}
	return NULL;
}

/*
 * Return a number of a client, in the unit of its key; -1 if it is malformed.
 */
static long long client_number(const struct client *c, const char *key,
			       const char *unit)
{
	char text[4096], *end;
	const char *value;
	long long number;

	if (read_fdinfo(c, text, sizeof(text)) < 0)
		return -1;
	value = find_key(text, key);
	if (!value || !isdigit(*value))
		return -1;
	number = strtoll(value, &end, 10);
	return strcmp(end, unit) ? -1 : number;
}

/* Return a number of device 0. */
static long long device_number(const char *name)
{
	char path[128], text[64], *end;
	long long number;

	snprintf(path, sizeof(path), SYSFS "%s", name);
	if (read_file(path, text, sizeof(text)) < 0 || !isdigit(*text))
		return -1;
	number = strtoll(text, &end, 10);
	return strcmp(end, "\n") ? -1 : number;
}

FIXTURE(files) {
	struct client c;
	struct stream s;
};

FIXTURE_SETUP(files)
{
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
}

FIXTURE_TEARDOWN(files)
{
	stream_destroy(&self->s);
	client_close(&self->c);
}

TEST_F(files, fdinfo_has_the_standard_format)
{
	char text[4096], *line;

	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, MIB(1), self->c.base));
	ASSERT_LT(0, read_fdinfo(&self->c, text, sizeof(text)));
	TH_LOG("%s", text);
	for (line = strstr(text, "drm-"); line && *line;
	     line = strchr(line, '\n') + 1) {
		size_t key = strcspn(line, ":\n");

		EXPECT_EQ(0, strncmp(line, "drm-", 4));
		EXPECT_EQ(':', line[key]);
		EXPECT_LT(key, strcspn(line, " \t"));
	}
	EXPECT_STREQ("vnpu", find_key(text, "drm-driver"));
	EXPECT_EQ(client_id(&self->c),
		  (__u64)client_number(&self->c, "drm-client-id", ""));
}

TEST_F(files, fdinfo_shows_the_memory_of_a_client)
{
	static const char * const keys[] = { "drm-memory-vnpu0",
					     "drm-total-vnpu0",
					     "drm-resident-vnpu0" };
	struct client other;
	__u32 i, ids[2];

	ASSERT_EQ(0, client_open(&other));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, MIB(3), &ids[0]));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, 4096, &ids[1]));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(3 * 1024 + 4, client_number(&self->c, keys[i],
						      " KiB"));
		/* A region that a client has never used is not listed. */
		EXPECT_EQ(-1, client_number(&other, keys[i], " KiB"));
	}
	EXPECT_EQ(0, mem_free(&self->c, ids[0]));
	EXPECT_EQ(4, client_number(&self->c, keys[0], " KiB"));
	EXPECT_EQ(0, mem_free(&self->c, ids[1]));
	EXPECT_EQ(0, client_number(&self->c, keys[0], " KiB"));
	client_close(&other);
}

TEST_F(files, fdinfo_shows_the_engine_times_of_a_client)
{
	__u64 va = self->c.base;
	struct client other;
	long long before;

	ASSERT_EQ(0, client_open(&other));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, MIB(16), va));
	ASSERT_EQ(0, stream_do(&self->s, task_fill(va, MIB(8), 0, 8)));
	before = client_number(&self->c, "drm-engine-vector", " ns");
	EXPECT_LT(0, before);
	ASSERT_EQ(0, stream_do(&self->s, task_copy(va + MIB(8), va, MIB(8))));
	EXPECT_LT(0, client_number(&self->c, "drm-engine-copy", " ns"));
	EXPECT_LE(before, client_number(&self->c, "drm-engine-vector", " ns"));
	EXPECT_EQ(0, client_number(&other, "drm-engine-vector", " ns"));
	EXPECT_EQ(0, client_number(&other, "drm-engine-copy", " ns"));
	EXPECT_LE(device_number("copy_engines"),
		  client_number(&self->c, "drm-engine-capacity-copy", ""));
	EXPECT_LE(device_number("vector_engines"),
		  client_number(&self->c, "drm-engine-capacity-vector", ""));
	client_close(&other);
}

/* The time in which its core has launches, for the client and for the device. */
TEST_F(files, the_time_of_ai_cores)
{
	long long device = device_number("aicore_busy_time_us"), time;
	const __u64 ms = 20;
	struct core k = { 0 };
	struct client other;

	ASSERT_EQ(0, client_open(&other));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE,
				  self->c.base));
	ASSERT_EQ(0, core_start(&k, &self->c, 0, 0));
	ASSERT_EQ(0, copy(&self->c, self->c.base, addr(&ms), sizeof(ms)));
	ASSERT_EQ(0, stream_do(&self->s, task_launch(CORE_SLEEP, self->c.base,
						     sizeof(ms))));
	time = client_number(&self->c, "drm-engine-aicore", " ns");
	EXPECT_LE(20000000, time);
	EXPECT_LE(20000, device_number("aicore_busy_time_us") - device);
	EXPECT_EQ(0, client_number(&other, "drm-engine-aicore", " ns"));
	core_end(&k);
	EXPECT_LE(time, client_number(&self->c, "drm-engine-aicore", " ns"));
	client_close(&other);
}

/*
 * A process that has inherited the file, or got it from a process that has
 * ended.
 */
TEST_F(files, fdinfo_of_a_child)
{
	char text[4096];
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid)
		_exit(read_fdinfo(&self->c, text, sizeof(text)) <= 0 ||
		      !find_key(text, "drm-client-id"));
	EXPECT_EQ(0, child_wait(pid));
}

TEST_F(files, sysfs_shows_the_memory_of_a_device)
{
	struct vnpu_device_query q;
	long long used = device_number("memory_used_bytes");
	char text[64];

	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(q.out_total, (__u64)device_number("memory_total_bytes"));
	EXPECT_EQ(q.out_total - q.out_free, (__u64)used);
	EXPECT_EQ(q.out_largest_free,
		  (__u64)device_number("memory_largest_free_bytes"));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, MIB(5), self->c.base));
	EXPECT_EQ(used + (long long)MIB(5),
		  device_number("memory_used_bytes"));

	ASSERT_LT(0, read_file(SYSFS "health", text, sizeof(text)));
	EXPECT_EQ(VNPU_HEALTH_OK, q.out_health);
	EXPECT_STREQ("ok\n", text);
	ASSERT_EQ(37, read_file(SYSFS "uuid", text, sizeof(text)));
	EXPECT_EQ(q.out_uuid[15], strtoul(text + 34, NULL, 16));
}

TEST_F(files, sysfs_shows_the_chip_of_a_device)
{
	struct vnpu_device_query q;
	char text[64], *end;

	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	ASSERT_LT(0, read_file(SYSFS "soc", text, sizeof(text)));
	end = strchr(text, '\n');
	ASSERT_NE(NULL, end);
	*end = '\0';
	EXPECT_STREQ((char *)q.out_soc, text);
	EXPECT_EQ(q.out_ai_cores, device_number("ai_cores"));
	EXPECT_EQ(q.out_vector_cores, device_number("vector_cores"));
}

TEST_F(files, sysfs_shows_the_busy_times_of_a_device)
{
	__u64 va = self->c.base;
	long long copy, vector, resets = device_number("resets");

	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, MIB(16), va));
	EXPECT_LT(0, device_number("copy_engines"));
	EXPECT_LT(0, device_number("vector_engines"));
	copy = device_number("copy_busy_time_us");
	vector = device_number("vector_busy_time_us");
	ASSERT_LE(0, copy);
	ASSERT_LE(0, vector);
	ASSERT_EQ(0, stream_do(&self->s, task_fill(va, MIB(16), 0, 8)));
	EXPECT_LT(vector, device_number("vector_busy_time_us"));
	ASSERT_EQ(0, stream_do(&self->s, task_copy(va + MIB(8), va, MIB(8))));
	EXPECT_LT(copy, device_number("copy_busy_time_us"));

	ASSERT_EQ(0, device_reset(0));
	EXPECT_EQ(resets + 1, device_number("resets"));
	EXPECT_LE(0, device_number("hangs"));
}

TEST_F(files, sysfs_is_read_only_for_all_users)
{
	DIR *dir = opendir(SYSFS);
	struct dirent *entry;
	struct stat st;
	int found = 0;

	ASSERT_NE(NULL, dir);
	while ((entry = readdir(dir))) {
		/* Files that the kernel's device model adds. */
		if (entry->d_type != DT_REG ||
		    !strcmp(entry->d_name, "uevent") ||
		    !strcmp(entry->d_name, "dev"))
			continue;
		ASSERT_EQ(0, fstatat(dirfd(dir), entry->d_name, &st, 0));
		EXPECT_EQ(0444, st.st_mode & 0777) TH_LOG("%s", entry->d_name);
		found++;
	}
	closedir(dir);
	EXPECT_EQ(15, found);
}

TEST_F(files, debugfs)
{
	char text[4096];
	struct stat st;

	if (access(DEBUGFS "/vnpu", F_OK))
		mount("debugfs", DEBUGFS, "debugfs", 0, NULL);
	if (access(DEBUGFS "/vnpu", F_OK))
		SKIP(return, "debugfs is missing");
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, MIB(1), self->c.base));
	ASSERT_EQ(0, stream_do(&self->s, task_fill(self->c.base, 8, 0, 8)));
	ASSERT_LT(0, read_file(DEBUGFS "/vnpu/0/allocator", text,
			       sizeof(text)));
	TH_LOG("%s", text);
	EXPECT_EQ(0, strncmp(text, "pages total=", 12));
	EXPECT_NE(NULL, strstr(text, "\nobjects count="));
	EXPECT_NE(NULL, strstr(text, "\norder "));
	ASSERT_LT(0, read_file(DEBUGFS "/vnpu/0/engines", text, sizeof(text)));
	TH_LOG("%s", text);
	EXPECT_EQ(0, strncmp(text, "copy0 thread=", 13));
	EXPECT_NE(NULL, strstr(text, "\nvector0 thread="));
	ASSERT_EQ(0, stat(DEBUGFS "/vnpu/0/engines", &st));
	EXPECT_EQ(0400, st.st_mode & 0777);
}

TEST_HARNESS_MAIN
