// SPDX-License-Identifier: GPL-2.0-only
/* STOP events that come before their launches (lib/core/early.h). */
#include "kselftest_harness.h"

#include <linux/vnpu_engine.h>

#include "early.h"

TEST(a_stop_is_taken_once)
{
	EXPECT_FALSE(early_take(7));
	early_add(7);
	early_add(8);
	EXPECT_TRUE(early_take(8));
	EXPECT_TRUE(early_take(7));
	EXPECT_FALSE(early_take(7));
	EXPECT_FALSE(early_take(8));
}

/* STOPs of launches that had ended are never taken, and make room for others. */
TEST(old_stops_are_forgotten)
{
	for (unsigned int i = 1; i <= 3 * VNPU_ENGINE_SLOTS_MAX; i++)
		early_add(i);
	EXPECT_FALSE(early_take(2 * VNPU_ENGINE_SLOTS_MAX));
	for (unsigned int i = 1; i <= VNPU_ENGINE_SLOTS_MAX; i++)
		EXPECT_TRUE(early_take(2 * VNPU_ENGINE_SLOTS_MAX + i));
}

TEST_HARNESS_MAIN
