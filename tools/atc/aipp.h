/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --insert_op_conf: preprocessing of images, as text.
 */
#ifndef VNPU_ATC_AIPP_H
#define VNPU_ATC_AIPP_H

#include "edit/aipp.h"

#define AIPP_MAX	16

/**
 * struct aipp - the file
 * @ops: the preprocessing of each input
 * @count: their number
 */
struct aipp {
	struct edit_aipp ops[AIPP_MAX];
	unsigned int count;
};

/* Read the file; ends the program if it is not valid. */
void aipp_read(struct aipp *a, const char *path, bool is_nhwc);

/* Check whether runs give the values of one of the entries. */
bool aipp_is_dynamic(const struct aipp *a);

void aipp_free(struct aipp *a);

#endif
