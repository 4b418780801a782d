/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands and intermediate files.
 */
#ifndef VNPU_CC_RUN_H
#define VNPU_CC_RUN_H

#include "options.h"

void run_init(const struct options *options);
void run(const struct list *command);
char *temporary(const char *base, const char *suffix);

#endif /* VNPU_CC_RUN_H */
