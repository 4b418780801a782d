// SPDX-License-Identifier: GPL-2.0-only
/* Load the plugins that are there. See peer.h. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

static bool load(struct peer *peer, const char *program, const char *name)
{
	const char *slash = strrchr(program, '/');
	char path[PATH_MAX];
	void *library;

	snprintf(path, sizeof(path), "%.*s/peer-%s.so",
		 slash ? (int)(slash - program) : 1, slash ? program : ".", name);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return false;
	peer->name = name;
	peer->make = (void *(*)(const struct vnpu_op_launch *))
		dlsym(library, "peer_make");
	peer->call = (void (*)(void *))dlsym(library, "peer_call");
	return peer->make && peer->call;
}

unsigned int peers_load(const char *program, const struct peer **peers)
{
	static const char *const names[] = { "aten", "dnnl" };
	static struct peer loaded[2];
	unsigned int count = 0, i;

	/* Before a library reads it. */
	setenv("OMP_NUM_THREADS", "1", 1);
	for (i = 0; i < 2; i++)
		count += load(&loaded[count], program, names[i]);
	*peers = loaded;
	return count;
}
