// SPDX-License-Identifier: GPL-2.0-only
/* Many launches leave nothing. */
#include "launch.h"

#include <sys/resource.h>

TEST_F(launch, many_launches_do_not_grow)
{
	struct add_args args = { self->x, self->x, 1, 16 };
	aclrtFuncHandle func = FUNC("add");
	struct rusage before, after;

	for (int round = 0; round < 20; round++) {
		if (round == 10)
			getrusage(RUSAGE_SELF, &before);
		for (int i = 0; i < 300; i++)
			OK(launch(func, 1, self->stream, &args, sizeof(args)));
		if (round % 3 == 0)
			OK(aclrtSynchronizeStream(self->stream));
	}
	OK(aclrtSynchronizeStream(self->stream));
	getrusage(RUSAGE_SELF, &after);
	EXPECT_GE(256, after.ru_maxrss - before.ru_maxrss);
	GET(64);
	EXPECT_EQ(6000, self->host[0]);
	EXPECT_EQ(6000, self->host[15]);
}

TEST_HARNESS_MAIN
