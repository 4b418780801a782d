// SPDX-License-Identifier: MIT
/*
 * Descriptions of operators as files, see args.h:
 *
 *	PATH/NAME.SHAPE.json
 *
 * SHAPE is a hash of the part of the description that differs between shapes.  So
 * one shape has one file, which all threads and processes share.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl_dump.h"
#include "base/error.h"
#include "base/fork.h"
#include "args.h"
#include "file.h"
#include "plain.h"

static atomic_bool is_wanted;

/* The lock of dumps protects these two. */
static char *folder;		/* or NULL */
static int first_error;		/* errno of the first file that is missing */

bool vnpu_dump_args_wanted(void)
{
	return atomic_load_explicit(&is_wanted, memory_order_relaxed);
}

/* FNV-1a */
static uint64_t hash(const char *text, size_t length)
{
	uint64_t value = 0xcbf29ce484222325;

	for (size_t i = 0; i < length; i++)
		value = (value ^ (unsigned char)text[i]) * 0x100000001b3;
	return value;
}

static int write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t done = write(fd, text, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return errno;
		text += done;
		size -= done;
	}
	return 0;
}

/* Write a file that does not exist yet, then move it to @path: 0 or an errno. */
static int write_and_move(const char *from, const char *path, const char *text,
			  size_t size)
{
	int fd = vnpu_dump_open(from), err;

	if (fd < 0)
		return -fd;
	err = write_all(fd, text, size);
	if (close(fd) && !err)
		err = errno;
	if (!err && rename(from, path))
		err = errno;
	if (err)
		unlink(from);
	return err;
}

/*
 * Write a file, unless it exists: 0 or an errno.  It gets its name when it is
 * complete, so readers never see a part of it.  If two threads or processes write
 * it at a time, the last one replaces it.
 */
static int write_file(const char *path, const char *text, size_t size)
{
	struct timespec now;
	char *from;
	int err;

	if (!access(path, F_OK))
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	if (asprintf(&from, "%s.%d.%lld.%09ld", path, gettid(),
		     (long long)now.tv_sec, now.tv_nsec) < 0)
		return ENOMEM;
	err = write_and_move(from, path, text, size);
	free(from);
	return err;
}

/* Get the path of a file: 0 or an errno.  It is NULL if descriptions have ended. */
static int get_path(const char *name, uint64_t shape, char **path)
{
	int err = 0;

	*path = NULL;
	vnpu_dump_lock();
	if (folder && asprintf(path, "%s/%s.%016" PRIx64 ".json", folder, name,
			       shape) < 0) {
		*path = NULL;
		err = ENOMEM;
	}
	vnpu_dump_unlock();
	return err;
}

/* Print a description into memory: 0 or an errno. */
static int print_text(vnpu_dump_args_fn *print, const void *from, char **text,
		      size_t *size, long *first)
{
	FILE *f = open_memstream(text, size);
	struct vnpu_plain plain;

	if (!f)
		return ENOMEM;
	vnpu_plain_begin(&plain);
	*first = print(from, f);
	vnpu_plain_end(&plain);
	if (!fclose(f))
		return 0;
	free(*text);
	return ENOMEM;
}

static int describe(const char *name, vnpu_dump_args_fn *print,
		    const void *from)
{
	char *text, *path;
	size_t size;
	long first;
	int err = print_text(print, from, &text, &size, &first);

	if (err)
		return err;
	err = get_path(name, hash(text, first), &path);
	if (!err && path)
		err = write_file(path, text, size);
	free(text);
	free(path);
	return err;
}

void vnpu_dump_args_write(const char *name, vnpu_dump_args_fn *print,
			  const void *from)
{
	int err = describe(name, print, from);

	if (!err)
		return;
	vnpu_dump_lock();
	if (!first_error)
		first_error = err;
	vnpu_dump_unlock();
}

/* Make a folder and those above it: its path, or NULL with errno. */
static char *make_folder(const char *path)
{
	char *text;
	int err;

	if (asprintf(&text, "%s/", path) < 0) {
		errno = ENOMEM;
		return NULL;
	}
	err = vnpu_dump_make_folders(text, 0);
	free(text);
	if (!err)
		return vnpu_dump_find_folder(path);
	errno = -err;
	return NULL;
}

/* Replace the folder, and get the error of the one before. */
static int replace(char *new, char **old)
{
	int err;

	vnpu_dump_lock();
	err = first_error;
	first_error = 0;
	*old = folder;
	folder = new;
	atomic_store(&is_wanted, new != NULL);
	vnpu_dump_unlock();
	return err;
}

static aclError check_type(uint32_t type)
{
	return type == ACL_OP_DUMP_OP_AICORE_ARGS ? ACL_SUCCESS :
		vnpu_error(ACL_ERROR_INVALID_PARAM,
			"dumpType = %u is not known; pass ACL_OP_DUMP_OP_AICORE_ARGS",
			type);
}

aclError aclopStartDumpArgs(uint32_t dumpType, const char *path)
{
	VNPU_CALL();
	char *made, *old;
	aclError ret = check_type(dumpType);

	if (ret)
		return ret;
	if (!path)
		return vnpu_error_null("path");
	made = make_folder(path);
	if (!made)
		return vnpu_error(errno == ENOMEM ? ACL_ERROR_BAD_ALLOC :
						    ACL_ERROR_INVALID_PARAM,
			"path = \"%s\": %s; pass a folder that exists or can be created, and that this user may write to",
			path, strerrordesc_np(errno));
	replace(made, &old);
	free(old);
	return ACL_SUCCESS;
}

aclError aclopStopDumpArgs(uint32_t dumpType)
{
	VNPU_CALL();
	aclError ret = check_type(dumpType);
	char *old;
	int err;

	if (ret)
		return ret;
	err = replace(NULL, &old);
	if (err)
		ret = vnpu_error(ACL_ERROR_WRITE_FILE,
			"\"%s\" lacks descriptions of operators: %s; name a folder with enough room",
			old, strerrordesc_np(err));
	free(old);
	return ret;
}
