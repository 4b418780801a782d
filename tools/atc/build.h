/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From an ONNX file to the content of an .om file.
 */
#ifndef VNPU_ATC_BUILD_H
#define VNPU_ATC_BUILD_H

#include "../vnpu-model/file.h"
#include "aipp.h"
#include "compile/compile.h"
#include "options.h"
#include "shapes.h"

/**
 * struct built - a compiled model
 * @gears: results of the compiler, one for each gear
 * @gear_count: their number
 * @names: of the outputs: "NODE:INDEX:TENSOR"
 * @name_count: their number
 * @lines: what the file says about images
 * @has_ranges: the gears are all sizes within ranges
 * @without: passes that were left out
 * @plain: gear 0 without any pass, if there is a report
 */
struct built {
	struct compile_result *gears;
	unsigned int gear_count;
	char **names;
	unsigned int name_count;
	char *lines;
	bool has_ranges;
	uint64_t without;
	struct compile_result plain;
};

/* Compile a model for all gears; ends the program for an error. */
void build_model(struct built *b, const struct options *o);

/* Write the file; its name gets .om at its end. */
void build_write(const struct built *b, const struct options *o);

void build_free(struct built *b);

#endif
