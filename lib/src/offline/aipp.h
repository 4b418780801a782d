/* SPDX-License-Identifier: MIT */
/*
 * Parameters of the images of a batch, as the device reads them: a record for
 * each.  The pointer that programs have is a handle.
 */
#ifndef VNPU_LIB_OFFLINE_AIPP_H
#define VNPU_LIB_OFFLINE_AIPP_H

#include "ops/image.h"

#include "acl/acl_mdl.h"

/*
 * Copy parameters: sets @images, which the caller frees by free(), and @count,
 * or reports an error.
 */
aclError vnpu_aipp_copy(const aclmdlAIPP *handle, struct vnpu_image **images,
			uint64_t *count);

#endif /* VNPU_LIB_OFFLINE_AIPP_H */
