/* SPDX-License-Identifier: MIT */
/*
 * Physical memory of a device or of the host: it has a handle and no address.
 *
 * The program has references: one from the creation, and one for each call that
 * returned the handle; the handle is valid while there are any.  Each mapping
 * has a reference, too.  The last reference of all frees the memory.
 *
 * The runtime lock protects everything.
 */
#ifndef VNPU_LIB_PHYSICAL_H
#define VNPU_LIB_PHYSICAL_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "io/io.h"
#include "ipc/token.h"

struct vnpu_physical {
	struct vnpu_physical *next;	/* in the list of all */
	struct vnpu_physical **link;	/* the pointer to this one */
	uint64_t handle;
	struct vnpu_io_mem mem;
	uint32_t device;		/* a reset of it ends this */
	aclrtPhysicalMemProp prop;
	bool is_host;			/* of no device: mem.device is not valid
					 * */
	unsigned int users;		/* references of the program */
	unsigned int maps;
	bool is_shared;			/* with this token */
	struct vnpu_token token;
};

/*
 * Get the memory of a handle.  On success the runtime lock is held,
 * and the caller drops it.
 */
aclError vnpu_physical_lock(aclrtDrvMemHandle handle,
			    struct vnpu_physical **physical);

/*
 * Create a handle, with one program reference, for memory that has an id.
 * Takes ownership of the id, even if it fails with NULL for lack of host
 * memory.
 */
struct vnpu_physical *
vnpu_physical_create_locked(const struct vnpu_io_mem *mem, uint32_t device,
			    const aclrtPhysicalMemProp *prop);

/* Create a handle for imported memory of a device or the host. */
struct vnpu_physical *
vnpu_physical_import_locked(const struct vnpu_io_mem *mem, uint32_t device);

/* Begin or end a mapping; its end may drop the last reference. */
void vnpu_physical_map_locked(struct vnpu_physical *physical);
void vnpu_physical_unmap_locked(struct vnpu_physical *physical);

/* Drop the program's references to all memory of a device. */
void vnpu_physical_free_all_locked(uint32_t device);

#endif /* VNPU_LIB_PHYSICAL_H */
