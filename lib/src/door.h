/* SPDX-License-Identifier: MIT */
/*
 * Who comes for what this process shares, see door.c.
 */
#ifndef VNPU_LIB_DOOR_H
#define VNPU_LIB_DOOR_H

#include <semaphore.h>
#include <stdbool.h>
#include <sys/types.h>

#include "service_wire.h"

/*
 * What the door and the service say to each other.  They are threads of one process,
 * so that only a descriptor needs a socket, and nothing else can fail.  @reply has
 * a descriptor on its way if its result is 0; then the service holds its lock until
 * the door has closed its copy of it.
 */
struct vnpu_door_talk {
	struct vnpu_service_request request;
	pid_t pid;			/* of who asks, 0 if it is not seen */
	struct vnpu_service_reply reply;
	bool is_served;			/* when that is known */
	sem_t is_known;
	sem_t is_asked;
	sem_t is_answered;
	sem_t is_closed;
};

/* NULL if there is no memory. */
struct vnpu_door_talk *vnpu_door_talk_new(void);
void vnpu_door_talk_free(struct vnpu_door_talk *talk);

/*
 * Have a door, which will let in who connects to @listener, and ask for them by @talk,
 * with descriptors from @service.  The caller closes its descriptors of both;
 * vnpu_thread_prepare() was called.  0 or -errno; then @talk is the caller's.
 */
int vnpu_door_open(int listener, int service, struct vnpu_door_talk *talk);

/* Let it begin; or end, and free @talk, if nobody is there to be asked. */
void vnpu_door_begin(struct vnpu_door_talk *talk, bool is_served);

#endif /* VNPU_LIB_DOOR_H */
