/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options that change the graph: --out_nodes, --output_type,
 * --input_fp16_nodes and --insert_op_conf.
 */
#ifndef VNPU_ATC_EDITS_H
#define VNPU_ATC_EDITS_H

#include "aipp.h"
#include "build.h"

/**
 * struct edits - the options, as compile_options.edit gets them
 * @options: the command line
 * @aipp: --insert_op_conf
 * @built: gets names of outputs, and lines about images if @keeps_lines
 * @keeps_lines: this is the first time that a gear is compiled
 */
struct edits {
	const struct options *options;
	struct aipp aipp;
	struct built *built;
	bool keeps_lines;
};

/* Change a graph: compile_options.edit. */
int edits_apply(struct graph *g, const void *data);

#endif
