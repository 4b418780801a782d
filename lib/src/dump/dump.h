/* SPDX-License-Identifier: MIT */
/*
 * Dumps: the inputs and outputs of operators, as files.
 *
 * A program configures a dump by the file of aclInit() or aclmdlSetDump().  The
 * models that are loaded then keep a reference to it.  While an operator is
 * dumped, the calling thread waits for the stream before and after the operator,
 * as later operators reuse the memory.  See config.h for the configuration, and
 * file.c for the files.
 */
#ifndef VNPU_LIB_DUMP_H
#define VNPU_LIB_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base_rt.h"
#include "config.h"

struct vnpu_op_call;
struct vnpu_stream;

/* Begin the dump that the file of aclInit() configures, if it does. */
aclError vnpu_dump_configure(const char *file, const char *text);

/* End that dump. */
void vnpu_dump_drop(void);

/* Get the current dump with a reference, or NULL. */
struct vnpu_dump *vnpu_dump_get(void);

/* Drop a reference to a dump, or do nothing for NULL. */
void vnpu_dump_put(struct vnpu_dump *dump);

/* Check whether single operators are dumped. */
bool vnpu_dump_has_operators(void);

/*
 * Check whether a dump has an operator of a model, or any operator if @layer is
 * NULL.  @file: name of the file of the model, or ""
 */
bool vnpu_dump_has(const struct vnpu_dump *dump, const char *model,
		   const char *file, const char *layer);

/* Check whether a dump has a run of a model; runs count from 0. */
bool vnpu_dump_has_run(const struct vnpu_dump *dump, uint64_t run);

/**
 * struct vnpu_dump_run - operators that run one after the other
 * @dump: the dump, with a reference of the caller
 * @stream: the stream, likewise
 * @timeout: milliseconds to wait for an operator, or -1
 * @folder: where the files go
 * @task: number of the next operator
 */
struct vnpu_dump_run {
	struct vnpu_dump *dump;
	struct vnpu_stream *stream;
	int32_t timeout;
	char *folder;
	uint32_t task;
};

/*
 * Prepare the dump of a run of a model, or of single operators if @model is NULL.
 * The stream must be one that the host waits for.
 */
aclError vnpu_dump_run_init(struct vnpu_dump_run *run, const char *model,
			    uint32_t number, uint64_t index);
void vnpu_dump_run_fini(struct vnpu_dump_run *run);

/**
 * struct vnpu_dump_op - an operator
 * @type: its type
 * @name: its name
 * @call: its steps, with addresses
 * @submit: submits them
 * @from: passed to @submit
 */
struct vnpu_dump_op {
	const char *type;
	const char *name;
	const struct vnpu_op_call *call;
	aclError (*submit)(const void *from);
	const void *from;
};

/*
 * Write the inputs of an operator, run it, and write its outputs, as far as the
 * dump has them; report errors.
 */
aclError vnpu_dump_op(struct vnpu_dump_run *run, const struct vnpu_dump_op *op);

#endif /* VNPU_LIB_DUMP_H */
