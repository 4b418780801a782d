/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shapes of inputs: --input_shape and the gears. All functions end the program
 * for a value that is not valid.
 */
#ifndef VNPU_ATC_SHAPES_H
#define VNPU_ATC_SHAPES_H

#include "compile/compile.h"
#include "options.h"

#define SHAPES_GEARS	100

/**
 * struct shapes - shapes of all gears
 * @inputs: number of inputs that have a shape
 * @gears: number of gears, at least 1
 * @all: the shapes: those of gear g begin at g * @inputs
 * @free: number of sizes that differ among gears, which are -1 in --input_shape
 * @has_ranges: the gears are all sizes within ranges
 * @text: private: the names
 */
struct shapes {
	unsigned int inputs;
	unsigned int gears;
	struct compile_shape *all;
	unsigned int free;
	bool has_ranges;
	char *text;
};

void shapes_read(struct shapes *s, const struct options *o);
void shapes_free(struct shapes *s);

/* Read a size, or -1 if it @may_be_free, and advance behind it. */
int64_t shapes_size(const char **at, const char *option, bool may_be_free);

#endif
