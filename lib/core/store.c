// SPDX-License-Identifier: MIT
/*
 * Images as files.  Tools read the symbols of what a process has loaded from its
 * files, some only after its end, and cannot open memfds.  So a core in the client
 * stores images in a directory of the user, by name and contents: programs that
 * run often need no more room than those that run once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core.h"

#define NAME_MAX_LENGTH	48

/* Have a directory that no other user can write to. */
static int directory_make(char *path, size_t size)
{
	const char *parent = secure_getenv("TMPDIR");
	struct stat status;
	int length;

	length = snprintf(path, size, "%s/vnpu-kernels-%u",
			  parent && *parent ? parent : "/tmp", geteuid());
	if (length < 0 || (size_t)length >= size)
		return -ENAMETOOLONG;
	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	if (lstat(path, &status))
		return -errno;
	return S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
		!(status.st_mode & 022) ? 0 : -EPERM;
}

/* FNV-1a, of 64 bits. */
static uint64_t hash(const unsigned char *data, size_t size)
{
	uint64_t value = 0xcbf29ce484222325;

	for (size_t i = 0; i < size; i++)
		value = (value ^ data[i]) * 0x100000001b3;
	return value;
}

static int write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t some = write(fd, data, size);

		if (some < 0 && errno == EINTR)
			continue;
		if (some <= 0)
			return some ? -errno : -EIO;
		data += some;
		size -= some;
	}
	return 0;
}

/* Write a file that no process sees before it is complete. */
static int file_make(const char *path, const void *data, size_t size)
{
	char draft[CORE_PATH_MAX + 8];
	int fd, ret;

	snprintf(draft, sizeof(draft), "%s.XXXXXX", path);
	fd = mkostemp(draft, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = write_all(fd, data, size);
	close(fd);
	if (!ret && rename(draft, path))
		ret = -errno;
	if (ret)
		unlink(draft);
	return ret;
}

int store_image(const char *name, const void *data, size_t size, char *path,
		size_t path_size)
{
	const char *slash = strrchr(name, '/');
	struct stat status;
	size_t at;
	int ret = directory_make(path, path_size);

	if (ret)
		return ret;
	at = strlen(path);
	ret = snprintf(path + at, path_size - at, "/%.*s-%016llx.so",
		       NAME_MAX_LENGTH, slash ? slash + 1 : name,
		       (unsigned long long)hash(data, size));
	if (ret < 0 || (size_t)ret >= path_size - at)
		return -ENAMETOOLONG;
	if (!lstat(path, &status) && S_ISREG(status.st_mode) &&
	    (uint64_t)status.st_size == size)
		return 0;
	return file_make(path, data, size);
}
