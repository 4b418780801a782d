/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dependencies: one file for all passes of a source.
 */
#ifndef VNPU_CC_DEPEND_H
#define VNPU_CC_DEPEND_H

#include "options.h"

void depend_begin(const struct options *options, const char *output);
void depend_add(const struct options *options, const char *source,
		struct list *command);
void depend_end(const struct options *options, const char *path);
char *depend_path(const struct options *options, const char *source,
		  const char *output);

#endif /* VNPU_CC_DEPEND_H */
