/* SPDX-License-Identifier: MIT */
/*
 * For the examples with a thread for each device.  Included before other headers,
 * because it asks for POSIX.
 */
#ifndef EXAMPLES_DEVICES_H
#define EXAMPLES_DEVICES_H

#include "check.h"

#include <pthread.h>

#include "hccl/hccl.h"

#endif /* EXAMPLES_DEVICES_H */
