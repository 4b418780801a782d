// SPDX-License-Identifier: GPL-2.0-only
/* The output of kernels appears once, at the latest when the program ends. */
#include "launch.h"

#include <fcntl.h>
#include <sys/wait.h>

#define EXPECTED	3	/* lines of one launch */

/* Standard output, while it is a pipe. */
static struct {
	int saved;
	int read;
	char text[8192];
} output;

static void output_begin(void)
{
	int pipes[2];

	fflush(stdout);
	output.saved = dup(1);
	if (pipe2(pipes, O_NONBLOCK) || dup2(pipes[1], 1) < 0)
		abort();
	close(pipes[1]);
	output.read = pipes[0];
}

/* Restore standard output; returns the number of lines that kernels have printed. */
static int output_end(void)
{
	ssize_t length;
	int lines = 0;

	fflush(stdout);
	dup2(output.saved, 1);
	close(output.saved);
	length = read(output.read, output.text, sizeof(output.text) - 1);
	close(output.read);
	output.text[length > 0 ? length : 0] = '\0';
	for (char *at = output.text; (at = strstr(at, " says 42\n")); at++)
		lines++;
	return lines;
}

static int printing(aclrtBinHandle bin, aclrtStream stream)
{
	const uint32_t number = 42;
	aclrtFuncHandle func;

	return aclrtBinaryGetFunction(bin, "prints", &func) ||
	       launch(func, EXPECTED, stream, &number, sizeof(number));
}

/* Launch, and wait until the kernel has ended, by the memory it writes. */
static int print_unsynchronized(aclrtBinHandle bin, aclrtStream stream,
				uint32_t *x)
{
	uint32_t value = 0;
	aclrtFuncHandle func;

	if (aclrtMemcpy(x, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE) ||
	    printing(bin, stream) ||
	    aclrtBinaryGetFunction(bin, "keyed_23", &func) ||
	    launch_on(func, 1, stream, x))
		return -1;
	while (value != 23)
		if (aclrtMemcpy(&value, 4, x, 4, ACL_MEMCPY_DEVICE_TO_HOST))
			return -1;
	return 0;
}

TEST_F(launch, synchronization)
{
	output_begin();
	EXPECT_EQ(0, printing(self->bin, self->stream));
	aclrtSynchronizeStream(self->stream);
	EXPECT_EQ(EXPECTED, output_end());
}

/* Races are warnings, with the place of the memory. */
TEST_F(launch, races)
{
	setenv("VNPU_CORE_CHECK", "race", 1);
	setenv("ASCEND_GLOBAL_LOG_LEVEL", "2", 1);
	setenv("ASCEND_SLOG_PRINT_TO_STDOUT", "1", 1);
	output_begin();
	EXPECT_ACL(0, launch_on(FUNC("races"), 2, self->stream, self->x));
	EXPECT_ACL(0, aclrtSynchronizeStream(self->stream));
	output_end();
	TH_LOG("%s", output.text);
	EXPECT_NE(NULL, strstr(output.text, "kernel races, block "));
	EXPECT_NE(NULL, strstr(output.text, " writes 256 bytes that block "));
	EXPECT_NE(NULL, strstr(output.text, "; the address is right into 0x"));
}

TEST_F(launch, end_of_the_stream)
{
	aclrtStream other;

	OK(aclrtCreateStream(&other));
	output_begin();
	EXPECT_EQ(0, printing(self->bin, other));
	aclrtDestroyStream(other);
	EXPECT_EQ(EXPECTED, output_end());

	OK(aclrtCreateStream(&other));
	output_begin();
	EXPECT_EQ(0, print_unsynchronized(self->bin, other, self->x));
	aclrtDestroyStreamForce(other);
	EXPECT_EQ(EXPECTED, output_end());
}

TEST_F(launch, end_of_the_context)
{
	aclrtContext context;
	aclrtStream other;

	OK(aclrtCreateContext(&context, 0));
	OK(aclrtCreateStream(&other));
	output_begin();
	EXPECT_EQ(0, print_unsynchronized(self->bin, other, self->x));
	aclrtDestroyContext(context);
	EXPECT_EQ(EXPECTED, output_end());
}

TEST_F(launch, reset_of_the_device)
{
	output_begin();
	EXPECT_EQ(0, printing(self->bin, self->stream));
	aclrtResetDevice(0);
	EXPECT_EQ(EXPECTED, output_end());
}

TEST_F(launch, finalization)
{
	OK(aclInit(NULL));
	output_begin();
	EXPECT_EQ(0, print_unsynchronized(self->bin, self->stream, self->x));
	aclFinalize();
	EXPECT_EQ(EXPECTED, output_end());
}

TEST_F(launch, child_does_not_repeat_it)
{
	pid_t child;

	output_begin();
	EXPECT_EQ(0, print_unsynchronized(self->bin, self->stream, self->x));
	/* Received, but not yet written. */
	aclrtSynchronizeStreamWithTimeout(NULL, 1);
	child = fork();
	if (!child)
		exit(0);
	waitpid(child, NULL, 0);
	aclrtSynchronizeStream(self->stream);
	EXPECT_EQ(EXPECTED, output_end());
}

static void run_and_exit(void)
{
	char path[PATH_MAX];
	aclrtBinHandle bin;
	aclrtStream stream;
	void *x;

	kernels_path(path, sizeof(path));
	if (!aclrtSetDevice(0) && !aclrtCreateStream(&stream) &&
	    !aclrtBinaryLoadFromFile(path, NULL, &bin) &&
	    !aclrtMalloc(&x, 4096, ACL_MEM_MALLOC_NORMAL_ONLY))
		print_unsynchronized(bin, stream, x);
	exit(0);
}

TEST(exit_of_the_program)
{
	pid_t child;

	output_begin();
	child = fork();
	if (!child)
		run_and_exit();
	waitpid(child, NULL, 0);
	EXPECT_EQ(EXPECTED, output_end());
}

TEST_HARNESS_MAIN
