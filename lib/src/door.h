/* SPDX-License-Identifier: MIT */
/*
 * Who comes for what this process shares, see door.c.
 */
#ifndef VNPU_LIB_DOOR_H
#define VNPU_LIB_DOOR_H

#include <sys/types.h>

#include "service_wire.h"

/*
 * What the door wants to know, and is answered by a reply with a descriptor.  When it
 * has closed that it says so, by a byte.
 */
struct vnpu_door_question {
	struct vnpu_service_request request;
	pid_t pid;			/* of who asks, 0 if it is not seen */
};

/*
 * Let in who connects to @listener, and ask over @service, which keeps messages
 * apart. The caller closes its descriptors of both; vnpu_thread_prepare() was called.
 * 0 or -errno.
 */
int vnpu_door_open(int listener, int service);

#endif /* VNPU_LIB_DOOR_H */
