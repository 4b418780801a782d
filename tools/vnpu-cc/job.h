/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A source that is being rewritten.
 */
#ifndef VNPU_CC_JOB_H
#define VNPU_CC_JOB_H

#include "edit.h"
#include "rewrite.h"

/**
 * struct job - a source that is being rewritten
 * @tokens: its tokens
 * @edits: the changes so far
 * @pass: the pass that compiles the result
 * @found: its kernels and launches so far
 * @type: VNPU_KERNEL_TYPE_* of the current kernel as a string, or NULL
 * @pending: ... of the kernel that is declared next
 */
struct job {
	struct tokens tokens;
	struct edits edits;
	enum pass pass;
	struct found *found;
	const char *type;
	const char *pending;
};

bool job_is(const struct job *job, size_t i, const char *text);
bool job_is_name(const struct job *job, size_t i);
bool job_is_triple(const struct job *job, size_t i, const char *mark);
size_t job_skip_lines(const struct job *job, size_t i);
size_t job_skip_back(const struct job *job, size_t i);
void job_add_flat(const struct job *job, struct text *out, size_t from,
		  size_t end);
size_t job_launch(struct job *job, size_t open);

#endif /* VNPU_CC_JOB_H */
