/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The passes of a source, and commands of the C++ compiler.
 */
#ifndef VNPU_CC_PASSES_H
#define VNPU_CC_PASSES_H

#include "options.h"
#include "rewrite.h"

void command_begin(const struct options *opt, struct list *command);
void command_end(struct list *command);
void preprocess(const struct options *opt, const char *source, enum pass pass,
		const char *out);
void compile_pass(const struct options *opt, const char *source,
		  enum pass pass, bool is_silent, struct text *assembly,
		  struct found *found);

#endif /* VNPU_CC_PASSES_H */
