/* SPDX-License-Identifier: MIT */
/* The reason why a device has no more streams, events or notifies. */
#ifndef VNPU_LACK_H
#define VNPU_LACK_H

#include <stdint.h>

#include "io/io_stream.h"

struct vnpu_lack_text {
	char words[256];
};

/*
 * Describe the reason.  @device is the driver's number, @user_device the
 * caller's.
 */
struct vnpu_lack_text vnpu_lack_text(uint32_t device, int32_t user_device,
				     enum vnpu_io_limit_kind kind);

#endif
