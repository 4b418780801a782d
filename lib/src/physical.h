/* SPDX-License-Identifier: MIT */
/*
 * Physical memory, of a device or of the host: it has a handle and no address
 * of its own.
 *
 * The program has references: one from its making, one from each time that it
 * asked for the handle; while it has any, the handle is good.  Each mapping
 * has one too.  The memory goes with the last of them all.
 *
 * Everything is under the runtime lock.
 */
#ifndef VNPU_LIB_PHYSICAL_H
#define VNPU_LIB_PHYSICAL_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "io.h"
#include "token.h"

struct vnpu_physical {
	struct vnpu_physical *next;	/* of all */
	struct vnpu_physical **link;	/* what points here */
	uint64_t handle;
	struct vnpu_io_mem mem;
	uint32_t device;		/* by whose reset it ends */
	aclrtPhysicalMemProp prop;
	bool is_host;			/* of no device: mem.device is not set */
	unsigned int users;		/* references of the program */
	unsigned int maps;
	bool is_shared;			/* under this token */
	struct vnpu_token token;
};

/*
 * The memory of a handle, for @call.  On success the runtime lock is held, and
 * to be dropped by the caller.
 */
aclError vnpu_physical_lock(const char *call, aclrtDrvMemHandle handle,
			    struct vnpu_physical **physical);

/*
 * Make a handle, with one reference of the program, for memory that has an id.
 * Takes the id over, also when it fails with NULL for want of host memory.
 */
struct vnpu_physical *
vnpu_physical_create_locked(const struct vnpu_io_mem *mem, uint32_t device,
			    const aclrtPhysicalMemProp *prop);

/* Memory that was made elsewhere: a device's or the host's. */
struct vnpu_physical *
vnpu_physical_import_locked(const struct vnpu_io_mem *mem, uint32_t device);

/* A mapping begins or ends; the last reference may go with it. */
void vnpu_physical_map_locked(struct vnpu_physical *physical);
void vnpu_physical_unmap_locked(struct vnpu_physical *physical);

/* Take the program's references to all that belongs to a device. */
void vnpu_physical_free_all_locked(uint32_t device);

#endif /* VNPU_LIB_PHYSICAL_H */
