// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conformance: the test data of ONNX, from Debian's libonnx-testdata. Each case
 * is a model with inputs and the outputs expected, with the tolerances of ONNX's
 * own runner.
 *
 * The cases that do not pass are in the file conformance.txt with their reasons,
 * and are compared with it: a case that begins to pass, or to fail, or fails for
 * another reason, fails the test. ONNX_WRITE=FILE writes the list anew;
 * ONNX_CASE=NAME runs one case.
 */
#include <dirent.h>

#include "test.h"

#define DATA "/usr/share/libonnx-testdata/data"
#define LIST "selftests/graph/conformance.txt"

static const char *const suites[] = {
	"node", "pytorch-converted", "pytorch-operator", "simple",
};

static bool read_tensors(struct bytes *list, unsigned int *count,
			 const char *folder, unsigned int set, const char *kind)
{
	char path[512];
	unsigned int i;

	for (i = 0; i < RUN_TENSORS; i++) {
		snprintf(path, sizeof(path), "%s/test_data_set_%u/%s_%u.pb",
			 folder, set, kind, i);
		if (!bytes_read(&list[i], path))
			break;
	}
	*count = i;
	return i;
}

static void free_tensors(struct bytes *list, unsigned int count)
{
	while (count--)
		free(list[count].data);
}

/* Run a set of data of a case; return whether it passes. */
static bool run_set(const char *folder, const struct bytes *model,
		    unsigned int set, char *why)
{
	struct bytes outputs[RUN_TENSORS];
	unsigned int count, i;
	struct run r = { 0 };
	bool passes;

	read_tensors(r.inputs, &r.input_count, folder, set, "input");
	read_tensors(outputs, &count, folder, set, "output");
	passes = run_model(&r, model->data, model->size);
	if (passes && count != r.program.head->outputs) {
		snprintf(r.error, sizeof(r.error), "the model has %u outputs, expected %u",
			 r.program.head->outputs, count);
		passes = false;
	}
	for (i = 0; passes && i < count; i++)
		passes = run_compare(&r, i, &outputs[i], 1e-3, 1e-7);
	snprintf(why, 512, "%s", r.error);
	free_tensors(outputs, count);
	free_tensors(r.inputs, r.input_count);
	run_free(&r);
	return passes;
}

static bool run_case(const char *folder, char *why)
{
	struct bytes model;
	char path[512];
	unsigned int set;
	bool passes = true;

	snprintf(path, sizeof(path), "%s/model.onnx", folder);
	if (!bytes_read(&model, path)) {
		snprintf(why, 512, "there is no %.400s", path);
		return false;
	}
	for (set = 0; passes; set++) {
		snprintf(path, sizeof(path), "%s/test_data_set_%u", folder, set);
		if (set) {
			DIR *d = opendir(path);

			if (!d)
				break;
			closedir(d);
		}
		passes = run_set(folder, &model, set, why);
	}
	free(model.data);
	return passes;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_case(const struct dirent *d)
{
	return !strncmp(d->d_name, "test_", 5);
}

/* Run all cases of a suite; write those that fail. */
static void run_suite(const char *suite, FILE *failed, unsigned int *passed,
		      unsigned int *total)
{
	const char *only = getenv("ONNX_CASE");
	struct dirent **list;
	char folder[400], why[512];
	int count, i;

	snprintf(folder, sizeof(folder), DATA "/%s", suite);
	count = scandir(folder, &list, is_case, by_name);
	for (i = 0; i < count; i++) {
		snprintf(folder, sizeof(folder), DATA "/%s/%s", suite,
			 list[i]->d_name);
		if (!only || !strcmp(only, list[i]->d_name)) {
			bool passes = run_case(folder, why);

			++*total;
			*passed += passes;
			if (!passes)
				fprintf(failed, "%s/%s: %s\n", suite,
					list[i]->d_name, why);
		}
		free(list[i]);
	}
	if (count >= 0)
		free(list);
}

/* Print lines of @a that are not in @b. */
static bool print_others(const char *a, const char *b, const char *what)
{
	bool none = true;

	while (*a) {
		size_t n = strcspn(a, "\n");
		const char *at = b;
		bool found = *a == '#';

		for (; !found && *at; at += strcspn(at, "\n"), at += *at == '\n')
			found = !strncmp(at, a, n) && (at[n] == '\n' || !at[n]);
		if (!found)
			printf("# %s: %.*s\n", what, (int)n, a);
		none &= found;
		a += n + (a[n] == '\n');
	}
	return none;
}

static bool conforms(void)
{
	const char *write = getenv("ONNX_WRITE");
	unsigned int passed = 0, total = 0, i;
	struct bytes list;
	char *text;
	size_t size;
	bool same;
	FILE *f;

	f = open_memstream(&text, &size);
	EXPECT(f);
	for (i = 0; i < ARRAY_SIZE(suites); i++)
		run_suite(suites[i], f, &passed, &total);
	fclose(f);
	printf("# %u of %u cases pass\n", passed, total);
	if (write && (f = fopen(write, "w"))) {
		fprintf(f, "# SPDX-License-Identifier: GPL-2.0-only\n"
			"# Cases of ONNX's test data that do not pass, with reasons. See conformance.c.\n%s",
			text);
		fclose(f);
	}
	/* The package is installed by make deps. */
	EXPECT(total);
	EXPECT(bytes_read(&list, LIST));
	((char *)list.data)[list.size] = 0;
	same = getenv("ONNX_CASE") ||
	       (print_others(text, list.data, "fails, but is not listed") &
		print_others(list.data, text, "is listed, but does not fail so"));
	free(list.data);
	free(text);
	return same;
}

const struct test conformance_tests[] = {
	{ "conformance", conforms },
	{ 0 },
};
