/* SPDX-License-Identifier: GPL-2.0-only */
/* A mount namespace like a container's, with the nodes of some devices. */
#ifndef SELFTESTS_VNPU_NODE_SPACE_H
#define SELFTESTS_VNPU_NODE_SPACE_H

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY	65534

/* A node of the host, and its name inside. */
struct node_given {
	const char *from;
	const char *as;
};

/*
 * Let this process see only these nodes in /dev, up to one that has no
 * @from, as with --device of container engines.
 */
static inline int node_space_enter(const struct node_given *given)
{
	char dir[] = "/tmp/vnpu-dev-XXXXXX", path[64];
	int fd;

	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    !mkdtemp(dir) || mount("none", dir, "tmpfs", 0, "mode=755"))
		return -errno;
	for (; given->from; given++) {
		snprintf(path, sizeof(path), "%s/%s", dir, given->as);
		fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
		if (fd < 0)
			return -errno;
		close(fd);
		if (mount(given->from, path, NULL, MS_BIND, NULL))
			return -errno;
	}
	if (mount(dir, "/dev", NULL, MS_BIND | MS_REC, NULL))
		return -errno;
	umount2(dir, MNT_DETACH);
	rmdir(dir);
	return 0;
}

static inline int become_nobody(void)
{
	return setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	       setresuid(NOBODY, NOBODY, NOBODY) ? -errno : 0;
}

#endif
