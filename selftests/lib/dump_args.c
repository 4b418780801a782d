// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files with descriptions of operators, without a device; see dump_files.c.
 * selftests/aclnn/describe_test.c tests the descriptions.
 */
#include <signal.h>
#include <sys/inotify.h>
#include <sys/resource.h>

#include "dump/args.h"
#include "dump_stub.h"

#define ARGS	ACL_OP_DUMP_OP_AICORE_ARGS

FIXTURE(args) {
	char below[128];
};

FIXTURE_SETUP(args)
{
	folder_make();
	snprintf(self->below, sizeof(self->below), "%s/a/b", folder);
}

FIXTURE_TEARDOWN(args)
{
	fail_at = 0;
	aclopStopDumpArgs(ARGS);
	folder_remove();
	EXPECT_EQ(0, __lsan_do_recoverable_leak_check());
}

/* A description: the part that differs between shapes, and the other part. */
struct parts {
	const char *shape;
	double attribute;
};

static long print(const void *from, FILE *f)
{
	const struct parts *parts = from;
	long shape = fprintf(f, "{\"shape\": %s", parts->shape);

	fprintf(f, ", \"attribute\": %g}", parts->attribute);
	return shape;
}

static void describe(const char *name, const char *shape, double attribute)
{
	struct parts parts = { shape, attribute };

	vnpu_dump_args_write(name, print, &parts);
}

TEST_F(args, one_file_for_each_shape)
{
	EXPECT_FALSE(vnpu_dump_args_wanted());
	EXPECT_EQ(ACL_SUCCESS, aclopStartDumpArgs(ARGS, self->below));
	EXPECT_TRUE(vnpu_dump_args_wanted());
	describe("aclnnAdd", "[2,3]", 0.5);
	describe("aclnnAdd", "[2,3]", 7);
	EXPECT_EQ(1, nr_files());
	EXPECT_STREQ("{\"shape\": [2,3], \"attribute\": 0.5}",
		     file_text("/a/b/aclnnAdd.????????????????.json"));
	describe("aclnnAdd", "[3,3]", 1);
	describe("aclnnMul", "[2,3]", 1);
	EXPECT_EQ(3, nr_files());
	EXPECT_EQ(ACL_SUCCESS, aclopStopDumpArgs(ARGS));
	EXPECT_FALSE(vnpu_dump_args_wanted());
	describe("aclnnMul", "[4,4]", 1);
	EXPECT_EQ(3, nr_files());
	/* Without a start. */
	EXPECT_EQ(ACL_SUCCESS, aclopStopDumpArgs(ARGS));
}

/* Count the files with descriptions that were moved here, or written here. */
static void see_events(int fd, uint32_t flags, unsigned int *moved,
		       unsigned int *written)
{
	char events[4096] __attribute__((aligned(8)));
	ssize_t length = read(fd, events, sizeof(events));

	for (char *at = events; at < events + length;) {
		const struct inotify_event *event = (void *)at;
		const char *end = strrchr(event->name, '.');

		at += sizeof(*event) + event->len;
		if (!end || strcmp(end, ".json"))
			continue;
		*moved += !!(event->mask & IN_MOVED_TO);
		*written += !!(event->mask & flags);
	}
}

/* A reader that looks for the files sees none that is being written. */
TEST_F(args, complete_when_they_appear)
{
	const uint32_t flags = IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE;
	unsigned int moved = 0, written = 0;
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	EXPECT_EQ(ACL_SUCCESS, aclopStartDumpArgs(ARGS, self->below));
	EXPECT_LE(0, inotify_add_watch(fd, self->below, flags | IN_MOVED_TO));
	describe("aclnnAdd", "[2,3]", 0.5);
	describe("aclnnAdd", "[2,3]", 0.5);
	see_events(fd, flags, &moved, &written);
	EXPECT_EQ(1, moved);
	EXPECT_EQ(0, written);
	close(fd);
}

TEST_F(args, another_folder)
{
	EXPECT_EQ(ACL_SUCCESS, aclopStartDumpArgs(ARGS, folder));
	EXPECT_EQ(ACL_SUCCESS, aclopStartDumpArgs(ARGS, self->below));
	describe("aclnnAdd", "[]", 0);
	EXPECT_TRUE(find_file("/a/b/aclnnAdd.*.json"));
}

TEST_F(args, refused)
{
	char file[160];

	EXPECT_EQ(ACL_ERROR_INVALID_PARAM, aclopStartDumpArgs(0, folder));
	EXPECT_EQ(ACL_ERROR_INVALID_PARAM, aclopStartDumpArgs(3, folder));
	EXPECT_NE(NULL, strstr(message, "dumpType = 3"));
	EXPECT_EQ(ACL_ERROR_INVALID_PARAM, aclopStopDumpArgs(2));
	EXPECT_EQ(ACL_ERROR_INVALID_PARAM, aclopStartDumpArgs(ARGS, NULL));
	EXPECT_EQ(ACL_ERROR_INVALID_PARAM, aclopStartDumpArgs(ARGS, ""));
	EXPECT_EQ(ACL_ERROR_INVALID_PARAM,
		  aclopStartDumpArgs(ARGS, "/proc/nowhere"));
	snprintf(file, sizeof(file), "%s/file", folder);
	close(open(file, O_WRONLY | O_CREAT, 0600));
	EXPECT_EQ(ACL_ERROR_INVALID_PARAM, aclopStartDumpArgs(ARGS, file));
	EXPECT_NE(NULL, strstr(message, strerror(ENOTDIR)));
	EXPECT_FALSE(vnpu_dump_args_wanted());
}

/* The end reports files that are missing, once; no part of a file stays. */
TEST_F(args, that_cannot_be_written)
{
	const struct rlimit none = { 0, RLIM_INFINITY };
	struct rlimit old;

	EXPECT_EQ(ACL_SUCCESS, aclopStartDumpArgs(ARGS, self->below));
	getrlimit(RLIMIT_FSIZE, &old);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &none);
	describe("aclnnAdd", "[]", 0);
	setrlimit(RLIMIT_FSIZE, &old);
	EXPECT_EQ(0, nr_files());
	EXPECT_EQ(ACL_ERROR_WRITE_FILE, aclopStopDumpArgs(ARGS));
	EXPECT_NE(NULL, strstr(message, strerror(EFBIG)));
	EXPECT_EQ(ACL_SUCCESS, aclopStartDumpArgs(ARGS, self->below));
	folder_remove();
	describe("aclnnAdd", "[]", 0);
	EXPECT_EQ(ACL_ERROR_WRITE_FILE, aclopStopDumpArgs(ARGS));
	EXPECT_NE(NULL, strstr(message, strerror(ENOENT)));
	EXPECT_EQ(ACL_SUCCESS, aclopStopDumpArgs(ARGS));
}

TEST_F(args, without_memory)
{
	EXPECT_EQ(ACL_SUCCESS, aclopStartDumpArgs(ARGS, folder));
	fail_at = 1;
	describe("aclnnAdd", "[]", 0);
	EXPECT_EQ(0, fail_at);
	EXPECT_EQ(ACL_ERROR_WRITE_FILE, aclopStopDumpArgs(ARGS));
	EXPECT_NE(NULL, strstr(message, strerror(ENOMEM)));
}

TEST_HARNESS_MAIN
