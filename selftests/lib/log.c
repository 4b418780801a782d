// SPDX-License-Identifier: GPL-2.0-only
/* The log of the library, and the effect of its environment variables. */
#include "acl-test.h"

/*
 * Run @log(@arg) in a child that writes to stdout. Return how many bytes of it are in
 * @text, which ends with a null, or -1.
 */
static ssize_t output_of(void (*log)(const void *arg), const void *arg,
			 char *text, size_t size)
{
	size_t length = 0;
	ssize_t n;
	int fds[2];
	pid_t pid;

	fflush(stdout);
	if (pipe(fds))
		abort();
	pid = fork_bound();
	if (!pid) {
		dup2(fds[1], 1);
		close(fds[0]);
		close(fds[1]);
		log(arg);
		fflush(stdout);
		_exit(0);
	}
	close(fds[1]);
	while ((n = read(fds[0], text + length, size - 1 - length)) > 0)
		length += n;
	text[length] = '\0';
	close(fds[0]);
	return child_wait(pid) ? -1 : (ssize_t)length;
}

static void log_as_set(const void *setting)
{
	if (setting)
		setenv("ASCEND_SLOG_PRINT_TO_STDOUT", setting, 1);
	setenv("ASCEND_GLOBAL_LOG_LEVEL", "1", 1);
	dup2(1, 2);
	ACL_APP_LOG(ACL_ERROR, "the answer is %d", 42);
	aclAppLog(ACL_ERROR, NULL, NULL, 0, "%s", "no place");
	aclrtFree((void *)8);
}

/* Return the bytes written to stdout or stderr. */
static ssize_t length_of_log(const char *setting)
{
	char text[8192];

	return output_of(log_as_set, setting, text, sizeof(text));
}

struct levels {
	const char *global;
	const char *modules;
};

static void log_by_levels(const void *arg)
{
	const struct levels *levels = arg;

	setenv("ASCEND_SLOG_PRINT_TO_STDOUT", "1", 1);
	setenv("ASCEND_GLOBAL_LOG_LEVEL", levels->global, 1);
	setenv("ASCEND_MODULE_LOG_LEVEL", levels->modules, 1);
	ACL_APP_LOG(ACL_ERROR, "from the program");
	aclrtFree((void *)8);
}

/* Return which modules write in a run, as a text like "AR". */
static const char *modules_of_log(const char *global, const char *modules)
{
	const struct levels levels = { global, modules };
	static char said[3];
	char text[8192];

	if (output_of(log_by_levels, &levels, text, sizeof(text)) < 0)
		return "failed";
	said[0] = '\0';
	if (strstr(text, " APP("))
		strcat(said, "A");
	if (strstr(text, " RUNTIME("))
		strcat(said, "R");
	return said;
}

TEST(modules_have_levels)
{
	EXPECT_STREQ("AR", modules_of_log("3", ""));
	EXPECT_STREQ("R", modules_of_log("3", "APP=4"));
	EXPECT_STREQ("A", modules_of_log("3", "RUNTIME=4:APP=1"));
	EXPECT_STREQ("", modules_of_log("3", "RUNTIME=4:APP=4"));
	EXPECT_STREQ("A", modules_of_log("4", "GE=0:APP=3:"));
	/* Invalid levels of modules change nothing. */
	EXPECT_STREQ("AR", modules_of_log("3", "APP=5:RUNTIME:=4::APP=44:app=4"));
}

TEST(the_library_is_silent_by_default)
{
	EXPECT_EQ(0, length_of_log(NULL));
	EXPECT_EQ(0, length_of_log("0"));
	EXPECT_LT(0, length_of_log("1"));
}

TEST_HARNESS_MAIN
