/* SPDX-License-Identifier: MIT */
/*
 * The content of .om files, in memory of the host.
 *
 * It is constant, and has references: models and descriptions share it.
 */
#ifndef VNPU_LIB_OFFLINE_FILE_H
#define VNPU_LIB_OFFLINE_FILE_H

#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/om/om.h"

#include "acl/acl_base.h"

struct vnpu_om {
	_Atomic uint32_t refs;
	struct om om;
	void *map;
	size_t size;		/* bytes of the mapping */
	char file[NAME_MAX + 1];	/* its name without a suffix, or "" */
};

/*
 * Read and check a file, or a copy of it in memory, and report errors.  The
 * caller gets a reference.
 */
aclError vnpu_om_read(const char *path, struct vnpu_om **om);
aclError vnpu_om_copy(const void *data, size_t size, struct vnpu_om **om);

void vnpu_om_ref(struct vnpu_om *om);
void vnpu_om_put(struct vnpu_om *om);

/*
 * Drop the weights of the only reference, unless the host needs some: those of
 * inputs with known elements.
 */
void vnpu_om_drop_weights(struct vnpu_om *om);

/* Get a type of elements as AscendCL numbers them. */
aclDataType vnpu_om_type(unsigned int dtype);

/* Get the number of inputs, with the one that chooses a gear. */
static inline size_t vnpu_om_inputs(const struct vnpu_om *om)
{
	return (size_t)om->om.head->inputs +
	       om_has_choice(&om->om);
}

#endif /* VNPU_LIB_OFFLINE_FILE_H */
