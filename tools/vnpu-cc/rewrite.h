/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ascend C becomes C++: kernels and launches.
 */
#ifndef VNPU_CC_REWRITE_H
#define VNPU_CC_REWRITE_H

#include <stdbool.h>

#include "text.h"

/* The passes of a source. */
enum pass {
	PASS_VECTOR,	/* the device: vector cores, or all */
	PASS_CUBE,	/* the device: cube cores */
	PASS_HOST,
};

/**
 * struct found - the contents of a source
 * @kernels: definitions of kernels
 * @launches: launches
 * @is_mixed: it asks for the kind of core or names cube cores, and has to be
 *	compiled for each kind
 * @headers: declarations of functions that launch kernels by their C names, in
 *	the form "NAME declaration;" and a new line for each; freed by the caller
 */
struct found {
	unsigned int kernels;
	unsigned int launches;
	bool is_mixed;
	struct text headers;
};

void rewrite(const struct text *in, enum pass pass, struct text *out,
	     struct found *found);

#endif /* VNPU_CC_REWRITE_H */
