// SPDX-License-Identifier: MIT
/*
 * The files of a dump, with the names that CANN documents:
 *
 *	PATH/DATE/DEVICE/MODEL/ID/RUN/TYPE.NAME.TASK.STREAM.TIME...
 *	PATH/DATE/DEVICE/TYPE.NAME.TASK.STREAM.TIME...
 *
 * Each part of a name has letters, digits, "_" and "-" alone, so that no name of a
 * model or an operator leaves dump_path.  Symbolic links below it are followed: only
 * the user should be able to write to it.  DATE is the time of the configuration,
 * TIME that of the operator in microseconds.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "stream/stream.h"
#include "file.h"

/* The longest parts of a name, which stays below NAME_MAX with all others. */
#define TYPE_LENGTH	40
#define NAME_LENGTH	120

#define FILE_RIGHTS	0640
#define FOLDER_RIGHTS	0750

static aclError no_memory(void)
{
	return vnpu_error(ACL_ERROR_BAD_ALLOC,
			  "no host memory for the name of a dump");
}

void vnpu_dump_print_name(const char *name, unsigned int max, FILE *f)
{
	if (!*name)
		putc('_', f);
	for (; *name && max; name++, max--) {
		unsigned char c = *name;

		putc(c < 128 && (isalnum(c) || c == '-') ? c : '_', f);
	}
}

static void print_folder(const struct vnpu_dump_run *run, const char *model,
			 uint32_t number, uint64_t index, FILE *f)
{
	fprintf(f, "%s/%s/%d", run->dump->path, run->dump->date,
		run->stream->context->user_device);
	if (!model)
		return;
	putc('/', f);
	vnpu_dump_print_name(model, NAME_LENGTH, f);
	fprintf(f, "/%" PRIu32 "/%" PRIu64, number, index);
}

aclError vnpu_dump_run_init(struct vnpu_dump_run *run, const char *model,
			    uint32_t number, uint64_t index)
{
	size_t size;
	FILE *f;

	run->folder = NULL;
	if (run->stream->flags & VNPU_STREAM_UNWAITED)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"stream %u has the flags 0x%x, and the host never waits for such a stream, as a dump does; use another stream",
			run->stream->number, run->stream->flags);
	f = open_memstream(&run->folder, &size);
	if (!f)
		return no_memory();
	print_folder(run, model, number, index, f);
	if (!fclose(f))
		return ACL_SUCCESS;
	vnpu_dump_run_fini(run);
	return no_memory();
}

void vnpu_dump_run_fini(struct vnpu_dump_run *run)
{
	free(run->folder);
	run->folder = NULL;
}

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

aclError vnpu_dump_path(struct vnpu_dump_run *run,
			const struct vnpu_dump_op *op, char **path)
{
	size_t size;
	FILE *f;

	*path = NULL;
	f = open_memstream(path, &size);
	if (!f)
		return no_memory();
	fprintf(f, "%s/", run->folder);
	vnpu_dump_print_name(op->type, TYPE_LENGTH, f);
	putc('.', f);
	vnpu_dump_print_name(op->name, NAME_LENGTH, f);
	fprintf(f, ".%" PRIu32 ".%" PRIu32 ".%" PRIu64, run->task,
		run->stream->number, now_us());
	if (!fclose(f))
		return ACL_SUCCESS;
	free(*path);
	return no_memory();
}

static aclError write_error(const char *path, int err)
{
	return vnpu_error(ACL_ERROR_WRITE_FILE,
		"the dump \"%s\" cannot be written: %s; name a dump_path with enough room, or end the dump",
		path, strerrordesc_np(err));
}

int vnpu_dump_make_folders(char *path, size_t known)
{
	char *slash = path + known;

	while ((slash = strchr(slash + 1, '/'))) {
		int err;

		*slash = '\0';
		err = mkdir(path, FOLDER_RIGHTS) ? errno : 0;
		*slash = '/';
		if (err && err != EEXIST)
			return -err;
	}
	return 0;
}

char *vnpu_dump_find_folder(const char *path)
{
	char *found = realpath(path, NULL);
	struct stat info;

	if (!found)
		return NULL;
	if (stat(found, &info))
		goto fail;
	errno = S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
	if (!errno && !access(found, W_OK | X_OK))
		return found;
fail:
	free(found);
	return NULL;
}

int vnpu_dump_open(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      FILE_RIGHTS);

	return fd < 0 ? -errno : fd;
}

/* Create a file that does not exist yet, and its folders: a descriptor or -errno. */
static int create(const struct vnpu_dump_run *run, char *path)
{
	int fd = vnpu_dump_open(path), err;

	if (fd == -ENOENT) {
		err = vnpu_dump_make_folders(path, strlen(run->dump->path));
		if (err)
			return err;
		fd = vnpu_dump_open(path);
	}
	return fd;
}

aclError vnpu_dump_create(const struct vnpu_dump_run *run, const char *path,
			  const char *suffix, struct vnpu_dump_file *file)
{
	aclError ret;
	int fd;

	if (asprintf(&file->path, "%s%s", path, suffix) < 0)
		return no_memory();
	fd = create(run, file->path);
	file->f = fd < 0 ? NULL : fdopen(fd, "w");
	if (file->f)
		return ACL_SUCCESS;
	if (fd < 0) {
		ret = write_error(file->path, -fd);
	} else {
		ret = no_memory();
		close(fd);
		unlink(file->path);
	}
	free(file->path);
	return ret;
}

aclError vnpu_dump_close(struct vnpu_dump_file *file, aclError ret)
{
	/* The last write that failed has set errno, if not the flush. */
	int last = errno ? errno : EIO;
	int err = ferror(file->f) ? last : fflush(file->f) ? errno : 0;

	if (fclose(file->f) && !err)
		err = errno;
	if (err && !ret)
		ret = write_error(file->path, err);
	if (ret)
		unlink(file->path);
	free(file->path);
	return ret;
}
