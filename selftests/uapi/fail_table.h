/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fixture of the test that checks that all entries of a table were made to
 * fail, for kernels with fault injection. Fixtures run in the order of their
 * definition: include this after all others.
 */
#ifndef SELFTESTS_VNPU_FAIL_TABLE_H
#define SELFTESTS_VNPU_FAIL_TABLE_H

#include "kselftest_harness.h"

#include "fail.h"

FIXTURE(table)
{
	struct fail fail;
};

FIXTURE_SETUP(table)
{
	int ret = fail_begin(&self->fail);

	if (ret == -EOPNOTSUPP)
		SKIP(return, "the kernel has no fault injection");
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(table)
{
	fail_end(&self->fail);
}

#endif
