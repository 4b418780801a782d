// SPDX-License-Identifier: GPL-2.0-only
/* Columns for groups of counters, see metrics.h. */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "metrics.h"

/* Check whether a name is another one, whatever its case and underscores. */
static bool is_name(const char *name, size_t length, const char *other)
{
	for (; length; name++, length--) {
		if (*name == '_')
			continue;
		if (tolower((unsigned char)*name) !=
		    tolower((unsigned char)*other))
			return false;
		other++;
	}
	return !*other;
}

static enum metrics find_one(const char *name, size_t length)
{
	static const char *const others[] = {
		"PipeUtilization", "ArithmeticUtilization", "MemoryL0",
		"MemoryUB", "MemoryAccess", "L2Cache", "ResourceConflictRatio",
	};

	if (is_name(name, length, "Memory") ||
	    is_name(name, length, "MemoryBandwidth") ||
	    is_name(name, length, "all"))
		return METRICS_MEMORY;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (is_name(name, length, others[i]))
			return METRICS_NONE;
	return METRICS_UNKNOWN;
}

enum metrics metrics_find(const char *names)
{
	enum metrics found = METRICS_NONE;
	size_t length;

	for (;; names += length + 1) {
		enum metrics one;

		length = strcspn(names, ",");
		one = find_one(names, length);
		if (one == METRICS_UNKNOWN)
			return one;
		if (one == METRICS_MEMORY)
			found = one;
		if (!names[length])
			return found;
	}
}

/* Get the bytes of an element; 0 for an unknown type. */
static unsigned int size_of(const char *type, size_t length)
{
	static const struct {
		const char *name;
		unsigned int size;
	} types[] = {
		{ "FLOAT16", 2 }, { "DT_BF16", 2 }, { "FLOAT", 4 },
		{ "DOUBLE", 8 }, { "INT8", 1 }, { "INT16", 2 }, { "INT32", 4 },
		{ "INT64", 8 }, { "UINT8", 1 }, { "UINT16", 2 },
		{ "UINT32", 4 }, { "UINT64", 8 }, { "BOOL", 1 },
		{ "COMPLEX64", 8 }, { "COMPLEX128", 16 },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strlen(types[i].name) == length &&
		    !strncmp(types[i].name, type, length))
			return types[i].size;
	return 0;
}

/* Get the product of dimensions such as 2,3; 1 without any. */
static double elements_of(const char *shape)
{
	double count = 1;
	char *end;

	while (*shape && *shape != ';') {
		count *= strtod(shape, &end);
		if (end == shape)
			break;
		shape = *end == ',' ? end + 1 : end;
	}
	return count;
}

/* Sum up the bytes of tensors. */
static double bytes_of(const char *shapes, const char *types)
{
	double bytes = 0;

	while (*types) {
		size_t length = strcspn(types, ";");

		bytes += elements_of(shapes) * size_of(types, length);
		shapes += strcspn(shapes, ";");
		shapes += *shapes == ';';
		types += length;
		types += *types == ';';
	}
	return bytes;
}

void metrics_print_head(FILE *f, enum metrics metrics)
{
	if (metrics == METRICS_MEMORY)
		fputs(",main_mem_read_bw(GB/s),main_mem_write_bw(GB/s)", f);
}

void metrics_print(FILE *f, enum metrics metrics, const struct task *task)
{
	uint64_t ns = task->end - task->begin;

	if (metrics != METRICS_MEMORY)
		return;
	for (int side = 0; side < 2; side++) {
		/* Bytes in a ns are GB in a second. */
		if (*task->types[side] && ns)
			fprintf(f, ",%.6f",
				bytes_of(task->shapes[side],
					 task->types[side]) / ns);
		else
			fputs(",N/A", f);
	}
}
