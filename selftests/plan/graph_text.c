// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operators that vnpu-plan reads, and invalid ones that it refuses, with the
 * line and the reason.
 */
#include "../../tools/vnpu-plan/graph.h"
#include "test.h"

#define A	"tensor a 8\n"
#define NOT_A_NUMBER	"is not a number from 0 to 2^64 - 1"

static const struct {
	const char *text;
	const char *fault;
} refusals[] = {
	{ "", "line 1: the file has no operators" },
	{ A, "line 2: the file has no operators" },
	{ "# tensor\n\n \tblock x\n",
	  "line 3: 'block' is neither 'tensor' nor 'op'" },
	{ "o\033]0;x\a\302\2332J\177",
	  "line 1: 'o?]0;x???2J?' is neither 'tensor' nor 'op'" },
	{ "tensor", "line 1: the name of the tensor is missing" },
	{ "tensor a", "line 1: size '' " NOT_A_NUMBER },
	{ "tensor a NaN", "line 1: size 'NaN' " NOT_A_NUMBER },
	{ "tensor a -1", "line 1: size '-1' " NOT_A_NUMBER },
	{ "tensor a 18446744073709551616",
	  "line 1: size '18446744073709551616' " NOT_A_NUMBER },
	{ "tensor a 18446744073709551615",
	  "line 1: tensor 0: its size 18446744073709551615 is not below 2^60" },
	{ "tensor a,b 1",
	  "line 1: 'a,b' is not a name: it has a ',' or '='" },
	{ "tensor a=b 1",
	  "line 1: 'a=b' is not a name: it has a ',' or '='" },
	{ A "tensor a 8", "line 2: tensor 'a' exists already" },
	{ "tensor a 8 stream=1", "line 1: unknown word 'stream'" },
	{ "tensor a 8 =", "line 1: unknown word ''" },
	{ "tensor a 8 keep keep", "line 1: word 'keep' twice" },
	{ "tensor a 8 keep=1", "line 1: word 'keep' has a value" },
	{ "tensor a 8 align", "line 1: word 'align' without a value" },
	{ "tensor a 8 align=", "line 1: align '' " NOT_A_NUMBER },
	{ "tensor a 8 view=a",
	  "line 1: view: no earlier line has tensor 'a'" },
	{ A "tensor b 8 inplace=c",
	  "line 2: inplace: no earlier line has tensor 'c'" },
	{ A "tensor b 8 view=a at=1",
	  "line 2: tensor 1: not inside tensor 0, of which it is a view" },
	{ A "tensor b 8 view=a inplace=a",
	  "line 2: tensor 1: flags exclude each other" },
	{ A "tensor b 8 apart=a,b",
	  "line 2: apart: no earlier line has tensor 'b'" },
	{ A "tensor b 8 view=a apart=a",
	  "line 2: tensor 1: has the memory of tensor 0, so it cannot be apart from it" },
	{ "op", "line 1: the name of the operator is missing" },
	{ "op f\nop f", "line 2: operator 'f' exists already" },
	{ "op f size=1", "line 1: unknown word 'size'" },
	{ "op f stream=64", "line 1: stream 64 is not below 64" },
	{ "op f stream=4294967296",
	  "line 1: stream 4294967296 is not below 64" },
	{ "op f cost=1099511627777",
	  "line 1: operator 0: its cost 1099511627777 is above 2^40" },
	{ "op f in=a\n" "tensor b 1", "line 1: in: tensor 'a' does not exist" },
	{ A "op f out=a,", "line 2: out: tensor '' does not exist" },
	{ "op f wait=g", "line 1: wait: operator 'g' does not exist" },
};

/* Read without error, and detected when it is solved. */
static const struct {
	const char *text;
	int err;
	const char *fault;
} late[] = {
	{ "op e\n" A "op f in=a out=a\n", -ELOOP,
	  "line 3: operator 1: depends on itself" },
	{ "op f wait=g\n" "op g wait=f\n", -ELOOP,
	  "line 1: operator 0: depends on itself" },
	{ "op e\n" A "op f out=a\n" "op g out=a", -EEXIST,
	  "line 2: tensor 0: operators 1 and 2 both make it" },
	{ A "op f\n", -EINVAL, "line 1: tensor 0: no operator uses it" },
};

/* Exactly as long as the text, to detect a reader that reads beyond it. */
static char *exact(const char *text, size_t *size)
{
	char *copy;

	*size = strlen(text);
	copy = malloc(*size + !*size);
	memcpy(copy, text, *size);
	return copy;
}

static bool test_refusals(void)
{
	struct graph graph;
	size_t size, i;
	char *text;
	int err;

	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		text = exact(refusals[i].text, &size);
		err = graph_read(&graph, text, size);
		if (err != -EINVAL || strcmp(graph.fault, refusals[i].fault)) {
			printf("# case %zu: %d, %s\n", i, err, graph.fault);
			return false;
		}
		graph_free(&graph);
		free(text);
	}
	for (i = 0; i < ARRAY_SIZE(late); i++) {
		text = exact(late[i].text, &size);
		EXPECT(!graph_read(&graph, text, size));
		EXPECT(vnpu_plan_solve(graph.plan, NULL, NULL) == late[i].err);
		EXPECT(!strcmp(graph_explain(&graph), late[i].fault));
		graph_free(&graph);
		free(text);
	}
	return true;
}

static bool prints(const struct graph *graph, const struct vnpu_plan *plan,
		   uint32_t reruns, const char *tensors, const char *order)
{
	char out[512] = { 0 };
	uint64_t offset[8];
	struct csv csv;
	uint32_t i;
	FILE *f;

	EXPECT(!graph_to_csv(graph, plan, reruns, &csv));
	EXPECT(csv.rows <= ARRAY_SIZE(offset));
	for (i = 0; i < csv.rows; i++)
		offset[i] = test_offset(plan, i);
	f = fmemopen(out, sizeof(out), "w");
	EXPECT(csv_write(&csv, f, offset));
	fclose(f);
	EXPECT(!strcmp(out, tensors));
	memset(out, 0, sizeof(out));
	f = fmemopen(out, sizeof(out), "w");
	EXPECT(!graph_write_order(graph, plan, reruns, f));
	fclose(f);
	EXPECT(!strcmp(out, order));
	csv_free(&csv);
	return true;
}

static bool test_words(void)
{
	static const char text[] =
		"# every word\r\n"
		"op last wait=f,first stream=2\r\n"
		"op first out=a,chip\r\n"
		"\ttensor a 32 at=64 align=32 pinned\r\n"
		"tensor chip 1000 on-chip\n"
		"tensor part 8 view=a at=8# of a\n"
		"tensor b 32 inplace=a keep\n"
		"op f in=a,part,chip out=b stream=1 cost=5";
	static const char tensors[] =
		"id,lower,upper,size,offset\n"
		"a,0,2,32,64\n"
		"chip,0,2,1000,\n"
		"part,0,2,8,72\n"
		"b,1,3,32,64\n";
	static const char order[] =
		"position,op,stream\n"
		"0,first,0\n"
		"1,f,1\n"
		"2,last,2\n";
	struct graph graph;
	bool ok;

	EXPECT(!graph_read(&graph, text, sizeof(text) - 1));
	EXPECT(!vnpu_plan_solve(graph.plan, NULL, NULL));
	ok = prints(&graph, graph.plan, 0, tensors, order);
	graph_free(&graph);
	return ok;
}

static bool test_reruns(void)
{
	static const char text[] =
		"tensor a 10\n" "tensor b 10\n" "tensor c 1\n"
		"op f out=a cost=7\n" "op g out=b stream=1 wait=f\n"
		"op h in=b out=c stream=1\n" "op i in=a,c stream=1\n";
	struct vnpu_plan_options options = { .capacity = 12 };
	struct vnpu_plan_result result;
	struct vnpu_plan *fits;
	struct graph graph;
	bool ok;

	EXPECT(!graph_read(&graph, text, sizeof(text) - 1));
	EXPECT(!vnpu_plan_recompute(graph.plan, &options, &fits, &result));
	EXPECT(result.reruns == 1 && result.cost == 7);
	ok = prints(&graph, fits, 1,
		    "id,lower,upper,size,offset\n"
		    "a,0,1,10,0\n" "b,1,3,10,0\n" "c,2,5,1,10\n"
		    "a#1,3,5,10,0\n",
		    "position,op,stream\n"
		    "0,f,0\n" "1,g,1\n" "2,h,1\n" "3,f#1,1\n" "4,i,1\n");
	vnpu_plan_destroy(fits);
	graph_free(&graph);
	return ok;
}

const struct test graph_text_tests[] = {
	{ "operators as text that is refused", test_refusals },
	{ "every word of a graph", test_words },
	{ "operators that run again have a name", test_reruns },
	{ NULL, NULL },
};
