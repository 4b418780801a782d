/* SPDX-License-Identifier: MIT */
/* Operators on volumes; see build_volume.c. */
#ifndef ACLNN_BUILD_VOLUME_H
#define ACLNN_BUILD_VOLUME_H

#include "build.h"

/* Check that an argument has 4 or 5 dimensions. */
bool aclnn_is_volume(struct aclnn_build *b, unsigned int arg,
		     const struct aclnn_view *view);

/* Check that an argument is like @self, apart from its last three dimensions. */
bool aclnn_has_volume(struct aclnn_build *b, unsigned int arg,
		      const struct aclnn_view *self, const int64_t *sizes);

/* View the last @count dimensions of a contiguous tensor as one. */
void aclnn_merge(struct aclnn_view *view, unsigned int count);

/* Get a contiguous tensor like an output, or the output itself if it is one. */
struct aclnn_view aclnn_solid(struct aclnn_build *b, const struct aclnn_view *out);

/* Copy what aclnn_solid() got to the output, unless it is the output. */
int aclnn_solid_end(struct aclnn_build *b, struct aclnn_view *made,
		    const struct aclnn_view *out);

#endif /* ACLNN_BUILD_VOLUME_H */
