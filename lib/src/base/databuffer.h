/* SPDX-License-Identifier: MIT */
/*
 * Data buffers: an address and a size in one object, which programs pass to
 * models and operators.
 */
#ifndef VNPU_LIB_DATABUFFER_H
#define VNPU_LIB_DATABUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "acl/acl_base_rt.h"

/* Read a data buffer; false if it is NULL, or was destroyed. */
bool vnpu_data_buffer_get(const aclDataBuffer *handle, void **data,
			  size_t *size);

#endif /* VNPU_LIB_DATABUFFER_H */
