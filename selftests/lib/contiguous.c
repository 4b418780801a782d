// SPDX-License-Identifier: GPL-2.0-only
/* vnpu_malloc(): contiguous memory, and how it is obtained. */
#include "acl-test.h"

#include "vnpu.h"

#define PIECE		(64 * KIB)
#define MAX_PIECES	8192

FIXTURE(contiguous) {
	size_t free_before;
	void *piece[MAX_PIECES];
	size_t pieces;
};

FIXTURE_SETUP(contiguous)
{
	OK(aclrtSetDevice(0));
	self->free_before = free_bytes();
	ASSERT_LT(16 * MIB, self->free_before);
	ASSERT_GE(MAX_PIECES * PIECE, self->free_before);
}

/* At the end all memory of the device must be free. */
FIXTURE_TEARDOWN(contiguous)
{
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->free_before, free_bytes());
}

static void piece_fill(char *buffer, size_t i)
{
	memset(buffer, (int)(i % 251 + 1), PIECE);
}

/*
 * Fill memory with pieces that have distinct contents, and free every second
 * one.
 */
#define MAKE_PIECES(flags) do {						\
	static char make_buffer[PIECE];					\
	size_t make_i;							\
									\
	self->pieces = self->free_before / PIECE;			\
	for (make_i = 0; make_i < self->pieces; make_i++) {		\
		OK(vnpu_malloc(&self->piece[make_i], PIECE, (flags)));	\
		if (make_i % 2 == 0)					\
			continue;					\
		piece_fill(make_buffer, make_i);			\
		OK(aclrtMemcpy(self->piece[make_i], PIECE, make_buffer,	\
			       PIECE, ACL_MEMCPY_HOST_TO_DEVICE));	\
	}								\
	for (make_i = 0; make_i < self->pieces; make_i += 2)		\
		OK(aclrtFree(self->piece[make_i]));			\
} while (0)

TEST_F(contiguous, any_size)
{
	static const size_t sizes[] = { 1, 64, 3584, 3585, 4096, 4097, 3 << 20 };
	static const uint32_t flags[] = {
		0, VNPU_MALLOC_CONTIGUOUS, VNPU_MALLOC_NO_COMPACT,
		VNPU_MALLOC_CONTIGUOUS | VNPU_MALLOC_NO_COMPACT,
	};
	size_t i, k;
	void *p;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (k = 0; k < sizeof(flags) / sizeof(flags[0]); k++) {
			p = NULL;
			OK(vnpu_malloc(&p, sizes[i], flags[k]));
			ASSERT_NE(NULL, p);
			EXPECT_EQ(0, (uintptr_t)p % 64);
			OK(aclrtMemset(p, sizes[i], 1, sizes[i]));
			OK(aclrtFree(p));
			EXPECT_EQ(self->free_before, free_bytes());
		}
	}
}

TEST_F(contiguous, costs_whole_pages)
{
	void *p;

	OK(vnpu_malloc(&p, 64, VNPU_MALLOC_CONTIGUOUS));
	EXPECT_EQ(self->free_before - PAGE_SIZE, free_bytes());
	OK(aclrtFree(p));
	OK(vnpu_malloc(&p, MIB, 0));
	EXPECT_EQ(self->free_before - MIB, free_bytes());
	OK(aclrtFree(p));
}

TEST_F(contiguous, refuses)
{
	const uint32_t unknown[] = { 1U << 2, 1U << 8, 1U << 31 };
	void *p = (void *)1;
	size_t i;

	EXPECT_ACL(NULL_OR_ZERO, vnpu_malloc(NULL, 64, 0));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_malloc(&p, 0, 0));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_malloc(&p, SIZE_MAX, 0));
	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		EXPECT_ACL(BAD_VALUE, vnpu_malloc(&p, 64, unknown[i]));
	for (i = 0; i <= VNPU_MALLOC_CONTIGUOUS; i++) {
		EXPECT_ACL(OUT_OF_MEMORY,
			   vnpu_malloc(&p, total_bytes() + 1, (uint32_t)i));
		EXPECT_ACL(OUT_OF_MEMORY,
			   vnpu_malloc(&p, SIZE_MAX / 2, (uint32_t)i));
	}
	EXPECT_EQ((void *)1, p);
	EXPECT_EQ(self->free_before, free_bytes());
}

TEST(it_needs_a_context)
{
	void *p;

	EXPECT_ACL(NO_CONTEXT, vnpu_malloc(&p, 64, 0));
}

TEST_F(contiguous, moves_other_memory)
{
	static char buffer[PIECE], expected[PIECE];
	size_t i, quarter = self->free_before / 4;
	void *p;

	MAKE_PIECES(0);
	OK(vnpu_malloc(&p, quarter, VNPU_MALLOC_CONTIGUOUS));
	OK(aclrtMemset(p, quarter, 0xff, quarter));
	for (i = 1; i < self->pieces; i += 2) {
		piece_fill(expected, i);
		OK(aclrtMemcpy(buffer, PIECE, self->piece[i], PIECE,
			       ACL_MEMCPY_DEVICE_TO_HOST));
		ASSERT_EQ(0, memcmp(buffer, expected, PIECE));
	}
}

TEST_F(contiguous, moves_nothing_if_not_allowed)
{
	size_t quarter = self->free_before / 4;
	const char *why;
	void *p;

	MAKE_PIECES(0);
	ASSERT_EQ(OUT_OF_MEMORY,
		  vnpu_malloc(&p, quarter, VNPU_MALLOC_CONTIGUOUS |
					   VNPU_MALLOC_NO_COMPACT));
	why = recent();
	EXPECT_NE(NULL, strstr(why, "not in one run"))
		TH_LOG("%s", why);
	EXPECT_NE(NULL, strstr(why, "compaction would help"))
		TH_LOG("%s", why);
	/* Memory that need not be contiguous is not refused in this case. */
	OK(vnpu_malloc(&p, quarter, VNPU_MALLOC_NO_COMPACT));
}

/*
 * The free memory between two such pieces is a page shorter than each of them.
 */
TEST_F(contiguous, does_not_move_if_that_does_not_help)
{
	size_t i, rest;
	const char *why;
	void *p;

	self->pieces = self->free_before / PIECE;
	for (i = 0; i < self->pieces; i++)
		OK(vnpu_malloc(&self->piece[i],
			       i % 2 ? PIECE : PIECE - 4 * KIB,
			       VNPU_MALLOC_CONTIGUOUS));
	rest = free_bytes();
	if (rest)
		OK(vnpu_malloc(&p, rest, VNPU_MALLOC_CONTIGUOUS));
	for (i = 0; i < self->pieces; i += 2)
		OK(aclrtFree(self->piece[i]));
	ASSERT_EQ(OUT_OF_MEMORY,
		  vnpu_malloc(&p, 4 * PIECE, VNPU_MALLOC_CONTIGUOUS));
	why = recent();
	EXPECT_NE(NULL, strstr(why, "compaction would not help"))
		TH_LOG("%s", why);
}

TEST_HARNESS_MAIN
