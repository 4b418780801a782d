/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parameters of a kernel.
 */
#ifndef VNPU_CC_PARAMS_H
#define VNPU_CC_PARAMS_H

#include "edit.h"

/**
 * struct param - a parameter
 * @name: its name; owned
 * @from: its first token
 * @end: behind its declarator, in front of a default argument
 * @is_named: @name is in the source, else it was added
 * @is_pointer: a * is in its declarator
 * @is_pack: it is a pack, T... name
 */
struct param {
	char *name;
	size_t from;
	size_t end;
	bool is_named;
	bool is_pointer;
	bool is_pack;
};

/**
 * struct params - the parameters of a kernel
 * @at: the parameters
 * @count: their number
 */
struct params {
	struct param *at;
	size_t count;
};

void params_init(struct params *params, const struct tokens *tokens,
		 size_t open, struct edits *edits);
void params_fini(struct params *params);
size_t params_close_angle(const struct tokens *tokens, size_t open);

#endif /* VNPU_CC_PARAMS_H */
