/* SPDX-License-Identifier: MIT */
/* The configuration of a dump: the object "dump" of a JSON file. */
#ifndef VNPU_LIB_DUMP_CONFIG_H
#define VNPU_LIB_DUMP_CONFIG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"

/* Columns of statistics, and their names in dump_stats. */
enum vnpu_dump_column {
	VNPU_DUMP_MAX,
	VNPU_DUMP_MIN,
	VNPU_DUMP_AVG,
	VNPU_DUMP_NAN,
	VNPU_DUMP_NEGATIVE_INF,
	VNPU_DUMP_POSITIVE_INF,
	VNPU_DUMP_L2NORM,
	VNPU_DUMP_COLUMNS,
};
#define VNPU_DUMP_COLUMN_NAMES \
	"Max", "Min", "Avg", "Nan", "Negative Inf", "Positive Inf", "L2norm"

/**
 * struct vnpu_dump_model - an element of dump_list
 * @name: name of the model or of its file; NULL for all models
 * @layers: names of its operators
 * @count: their number; 0 for all operators
 */
struct vnpu_dump_model {
	char *name;
	char **layers;
	size_t count;
};

/**
 * struct vnpu_dump_range - runs of a model, counted from 0
 * @first: the first one
 * @last: the last one
 */
struct vnpu_dump_range {
	uint64_t first;
	uint64_t last;
};

/**
 * struct vnpu_dump - a dump
 * @refs: references: of the process, and of models that were loaded meanwhile
 * @has_ended: it writes nothing more
 * @calls: number of calls of single operators that were dumped
 * @previous: the one before in this process, with a reference
 * @path: dump_path, without symbolic links
 * @date: the folder there
 * @inputs: write the inputs of operators
 * @outputs: write their outputs
 * @stats: write statistics instead of elements
 * @columns: bit N: the statistics have enum vnpu_dump_column N
 * @operators: dump single operators
 * @models: the models
 * @nr_models: their number
 * @ranges: the runs; none for all
 * @nr_ranges: their number
 *
 * The first three change; a lock protects @previous; the others are constant.
 */
struct vnpu_dump {
	_Atomic uint32_t refs;
	atomic_bool has_ended;
	_Atomic uint32_t calls;
	struct vnpu_dump *previous;
	char *path;
	char date[16];
	bool inputs;
	bool outputs;
	bool stats;
	uint32_t columns;
	bool operators;
	struct vnpu_dump_model *models;
	size_t nr_models;
	struct vnpu_dump_range *ranges;
	size_t nr_ranges;
};

/**
 * vnpu_dump_parse() - read a configuration, and report errors
 * @file: name of the file, for messages
 * @text: its text
 * @dump: set to the dump with one reference, or to NULL if the text has none
 *
 * Return: ACL_SUCCESS; ACL_ERROR_PARSE_FILE; ACL_ERROR_INVALID_DUMP_CONFIG;
 * ACL_ERROR_BAD_ALLOC.
 */
aclError vnpu_dump_parse(const char *file, const char *text,
			 struct vnpu_dump **dump);

/* Free a dump without references. */
void vnpu_dump_free(struct vnpu_dump *dump);

#endif /* VNPU_LIB_DUMP_CONFIG_H */
