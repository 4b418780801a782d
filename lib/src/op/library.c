// SPDX-License-Identifier: MIT
/*
 * libvnpu-op: it is opened by the first call that needs it, and stays.
 *
 * The library beside this one comes first, then the search path.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "op.h"

/* Write the path of a library in the directory of this one; false if too long. */
static bool beside(char *path, size_t size, const char *name)
{
	static const char here;
	const char *slash;
	Dl_info info;
	int length;

	if (!dladdr(&here, &info))
		return false;
	slash = strrchr(info.dli_fname, '/');
	if (!slash)
		return false;
	length = snprintf(path, size, "%.*s/%s",
			  (int)(slash - info.dli_fname), info.dli_fname, name);
	return length > 0 && (size_t)length < size;
}

static void *open_library(void)
{
	static _Atomic(void *) opened;
	void *library = atomic_load(&opened);
	char path[PATH_MAX];

	if (library)
		return library;
	if (beside(path, sizeof(path), VNPU_SINGLE_LIBRARY))
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		library = dlopen(VNPU_SINGLE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	/* Two threads get the same one, with a count that does not matter. */
	if (library)
		atomic_store(&opened, library);
	return library;
}

vnpu_single_fn vnpu_single_find(const char *name)
{
	void *library = open_library(), *found;

	found = library ? dlsym(library, name) : NULL;
	if (!found)
		vnpu_error(ACL_ERROR_OP_LOAD_FAILED,
			"the operators cannot be loaded: %s; install "
			VNPU_SINGLE_LIBRARY " of this version beside libvnpu",
			dlerror());
	return (vnpu_single_fn)found;
}
