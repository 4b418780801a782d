// SPDX-License-Identifier: GPL-2.0-only
/* The output of kernels. */
#include "launch.h"

#include <fcntl.h>

TEST_F(launch, output_appears_at_the_synchronization)
{
	uint32_t number = 42;
	char text[4096];
	int saved = dup(1), pipes[2];
	ssize_t length;

	ASSERT_EQ(0, pipe2(pipes, O_NONBLOCK));
	OK(launch(FUNC("prints"), 3, self->stream, &number, sizeof(number)));
	fflush(stdout);
	dup2(pipes[1], 1);
	aclrtSynchronizeStream(self->stream);
	fflush(stdout);
	dup2(saved, 1);
	length = read(pipes[0], text, sizeof(text) - 1);
	ASSERT_LT(0, length);
	text[length] = '\0';
	EXPECT_NE(NULL, strstr(text, "block 0 says 42\n"));
	EXPECT_NE(NULL, strstr(text, "block 2 says 42\n"));
}

TEST_HARNESS_MAIN
