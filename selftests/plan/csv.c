// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables that vnpu-plan reads, and invalid ones that it refuses, with the line
 * and the reason.
 */
#include "../../tools/vnpu-plan/csv.h"
#include "test.h"

#define HEADER	"id,lower,upper,size\n"

static const struct {
	const char *text;
	const char *fault;
} refusals[] = {
	{ "", "line 1: the header is missing" },
	{ "\n\n", "line 3: the header is missing" },
	{ HEADER, "line 2: the file has no tensors" },
	{ "id,lower,upper\n", "line 1: column 'size' is missing" },
	{ "id,lower,upper,size,size\n", "line 1: column 'size' twice" },
	{ "id,lower,upper,size,colour\n", "line 1: unknown column 'colour'" },
	{ "id,lower,upper,size,\n", "line 1: unknown column ''" },
	{ HEADER "a,1,2\n",
	  "line 2: the line has 3 fields, and the first line names 4 columns" },
	{ HEADER "a,1,2,3,4\n",
	  "line 2: the line has 5 fields, and the first line names 4 columns" },
	{ "\xff\xfei", "line 1: the text is in UTF-16; UTF-8 is expected" },
	{ HEADER "a,1,2,3\n\nb,1,2,-3\n",
	  "line 4: size '-3' is not a number from 0 to 2^64 - 1" },
	{ HEADER "a,1,2,\033[2J\302\233\n",
	  "line 2: size '?[2J?\?' is not a number from 0 to 2^64 - 1" },
	{ HEADER "a,NaN,2,3\n",
	  "line 2: lower 'NaN' is not a number from 0 to 2^64 - 1" },
	{ HEADER "a,1,1e3,3\n",
	  "line 2: upper '1e3' is not a number from 0 to 2^64 - 1" },
	{ HEADER "a,1,2,18446744073709551616\n",
	  "line 2: size '18446744073709551616' is not a number from 0 to 2^64 - 1" },
	{ HEADER "a,1,2,\n",
	  "line 2: size '' is not a number from 0 to 2^64 - 1" },
	{ HEADER "a,1,2,18446744073709551615\n",
	  "line 2: tensor 0: its size 18446744073709551615 is not below 2^60" },
	{ HEADER "a,2,2,1\n", "line 2: tensor 0: its life [2, 2) is empty" },
	{ HEADER ",1,2,1\n", "line 2: the id is empty" },
	{ HEADER "a\tb,1,2,1\n", "line 2: id 'a?b' has a control character" },
	{ HEADER "a\177,1,2,1\n", "line 2: id 'a?' has a control character" },
	{ HEADER "\302\205,1,2,1\n",
	  "line 2: id '?\?' has a control character" },
	{ "\xef\xbb\xbf\xef\xbb\xbf" HEADER,
	  "line 1: unknown column '??\?id'" },
	{ HEADER "a,1,2,1\nb,1,2,1\na,3,4,1\n",
	  "tensor 2: an earlier tensor has its id 'a'" },
	{ "id,lower,upper,size,apart\na,1,2,1,\nb,1,2,1,a c\n",
	  "tensor 1: is to be apart from an unknown id 'c'" },
	{ "id,lower,upper,size,apart\na,1,2,1,\nb,1,2,1,b\n",
	  "tensor 1: cannot be apart from 'b'" },
	{ "id,lower,upper,size,gaps\na,1,9,1,3-2\n",
	  "line 2: tensor 0: an empty gap" },
	{ "id,lower,upper,size,gaps\na,1,9,1,2-3-4\n",
	  "line 2: gaps '2-3-4' are not like '7-9 12-14@2:13'" },
	{ "id,lower,upper,size,gaps\na,1,9,1,2-3@0\n",
	  "line 2: gaps '2-3@0' are not like '7-9 12-14@2:13'" },
	{ "id,lower,upper,size,gaps\na,1,9,1,2-3@0:2\n",
	  "line 2: tensor 0: a gap is not inside the tensor" },
	{ "id,lower,upper,size,offset\na,1,9,1,x\n",
	  "line 2: offset 'x' is not a number from 0 to 2^64 - 1" },
};

static bool test_refusals(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		/*
		 * Exactly as long as the text, to detect a reader that reads
		 * beyond it.
		 */
		size_t size = strlen(refusals[i].text);
		char *text = malloc(size + !size);
		struct csv csv;
		int err;

		memcpy(text, refusals[i].text, size);
		err = csv_read(&csv, text, size, true);
		if (err != -EINVAL || strcmp(csv.fault, refusals[i].fault)) {
			printf("# case %zu: %d, %s\n", i, err, csv.fault);
			return false;
		}
		csv_free(&csv);
		free(text);
	}
	return true;
}

/* A NUL ends neither an id nor a number, and the message does not hide it. */
static bool test_nul(void)
{
	static const char *const text[] = {
		HEADER "a\0b,1,2,1\n", HEADER "abc,1,2,1\0\n",
		HEADER "abc,1,2\0,1\n",
	};
	struct csv csv;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(text); i++) {
		EXPECT(csv_read(&csv, text[i], sizeof(HEADER "a.b,1,2,1\n") - 1,
				true) == -EINVAL);
		EXPECT(!strcmp(csv.fault,
			       "line 2: the line has a byte that is 0"));
		csv_free(&csv);
	}
	return true;
}

static bool test_columns(void)
{
	static const char text[] =
		"\xef\xbb\xbfsize,gaps,id,alignment,upper,offset,lower\r\n"
		"10,,a b,,5,,0\r\n"
		"10,1-2 3-4@1:2,<b>,16,5,32,0";
	static const char expected[] =
		"size,gaps,id,alignment,upper,lower,offset\n"
		"10,,a b,,5,0,0\n"
		"10,1-2 3-4@1:2,<b>,16,5,0,32\n";
	char out[sizeof(expected) + 10] = { 0 };
	uint64_t offset[2];
	struct csv csv;
	FILE *f;

	EXPECT(!csv_read(&csv, text, sizeof(text) - 1, true));
	EXPECT(csv.rows == 2 && csv.row[1].offset == 32);
	EXPECT(!vnpu_plan_solve(csv.plan, NULL, NULL));
	offset[0] = test_offset(csv.plan, 0);
	offset[1] = test_offset(csv.plan, 1);
	f = fmemopen(out, sizeof(out), "w");
	EXPECT(csv_write(&csv, f, offset));
	fclose(f);
	EXPECT(!strcmp(out, expected));
	csv_free(&csv);
	return true;
}

const struct test csv_tests[] = {
	{ "text that is refused", test_refusals },
	{ "a line with a NUL", test_nul },
	{ "columns in any order", test_columns },
	{ NULL, NULL },
};
