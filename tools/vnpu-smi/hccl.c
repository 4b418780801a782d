// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi hccl: the communicators of the processes that use the devices.
 *
 * The ranks of a communicator share a memfd, which each of their processes has
 * open. It begins with their views of themselves, see communicator.h.
 *
 * A process can give another file the name of a memfd. Opening or reading it
 * could block, or act on a device. All memfds are in one mount, and a process
 * cannot give the number of that mount to other files. So check it before
 * opening the file.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client.h"
#include "communicator.h"
#include "listen.h"
#include "option.h"
#include "table.h"

static const char hccl_help[] =
"usage: vnpu-smi hccl [OPTION...]\n"
"\n"
"List the communicators of HCCL of processes that this user may inspect, with\n"
"the state of each rank.\n"
"\n"
TABLE_HELP
"  -h, --help       print this and exit\n";

static const struct column columns[] = {
	{ "communicator", "Communicator", -32, 0 },
	{ "rank", "Rank", 4, 0 },
	{ "ranks", "Ranks", 5, 0 },
	{ "pid", "Own-Pid", 7, 0 },
	{ "device", "Dev", 3, 0 },
	{ "state", "State", -7, 0 },
	{ "operation", "Operation", -14, 0 },
	{ "waits_for_rank", "For", 3, 0 },
	{ "since_ns", "Since(ms)", 9, COLUMN_MS },
	{ "operations", "Done", 8, 0 },
	{ "bytes", "MB", 8, COLUMN_MIB },
	{ "buffer_bytes", "Buf(MB)", 7, COLUMN_MIB },
};

#define COLUMN_COUNT	(sizeof(columns) / sizeof(columns[0]))

struct search {
	struct table *table;
	void *seen;		/* tree of numbers of files: processes share some */
	long mount;		/* of all memfds */
	size_t hidden;		/* processes that may not be inspected */
};

static void show_rank(struct table *t, uint32_t number, uint32_t ranks,
		      const struct communicator_rank *rank)
{
	const struct hccl_view *view = &rank->view;
	uint64_t now_ms = clock_ns() / 1000000, since = view->since_ms;
	const struct cell cells[COLUMN_COUNT] = {
		cell_string(view->name),
		cell_uint(number),
		cell_uint(ranks),
		cell_uint(view->pid),
		cell_uint(view->device),
		cell_string(rank->state),
		cell_string(rank->operation),
		rank->is_waiting ? cell_uint(rank->waits_for) : cell_none(),
		rank->is_active && now_ms >= since ?
			cell_uint((now_ms - since) * 1000000) : cell_none(),
		cell_uint(view->calls),
		cell_uint(view->bytes),
		cell_uint(view->buffers),
	};

	table_row(t, cells);
}

static void show_file(struct table *t, int file)
{
	uint32_t ranks = communicator_ranks(file);
	struct communicator_rank rank;

	for (uint32_t r = 0; r < ranks; r++)
		if (communicator_read(file, ranks, r, &rank))
			show_rank(t, r, ranks, &rank);
}

static int compare(const void *left, const void *right)
{
	ino_t a = (ino_t)(uintptr_t)left, b = (ino_t)(uintptr_t)right;

	return a < b ? -1 : a > b;
}

/*
 * All memfds are of one filesystem, so their numbers differ.  Returns false if there
 * is no memory.
 */
static bool show_once(struct search *search, int file)
{
	struct stat status;
	void **node, *number;

	if (fstat(file, &status))
		return true;
	number = (void *)(uintptr_t)status.st_ino;
	if (tfind(number, &search->seen, compare))
		return true;
	node = tsearch(number, &search->seen, compare);
	if (!node)
		return false;
	show_file(search->table, file);
	return true;
}

static void forget(void *number)
{
	(void)number;
}

/* Get the number of the mount of an open file; -1 if it is not known. */
static long mount_of(int file)
{
	char path[40], line[128];
	long mount = -1;
	FILE *info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", file);
	info = fopen(path, "re");
	if (!info)
		return -1;
	while (fgets(line, sizeof(line), info))
		if (sscanf(line, "mnt_id: %ld", &mount) == 1)
			break;
	fclose(info);
	return mount;
}

static long mount_of_memfds(void)
{
	int file = memfd_create("vnpu-smi", MFD_CLOEXEC);
	long mount;

	if (file < 0)
		return -1;
	mount = mount_of(file);
	close(file);
	return mount;
}

/* Open a file of a process to read it, if it is a memfd; -1. */
static int open_memfd(const struct search *search, int dir, const char *name)
{
	int path = openat(dir, name, O_PATH | O_CLOEXEC), file = -1;
	char own[40];

	if (path < 0)
		return -1;
	snprintf(own, sizeof(own), "/proc/self/fd/%d", path);
	if (mount_of(path) == search->mount)
		file = open(own, O_RDONLY | O_CLOEXEC);
	close(path);
	return file;
}

/* Look at one file of a process, if it is of a communicator. */
static bool look_at_file(struct search *search, int dir, const char *name)
{
	static const char wanted[] = "/memfd:" HCCL_VIEW_FILE " (deleted)";
	char target[sizeof(wanted)];
	bool is_fine;
	int file;

	if (readlinkat(dir, name, target, sizeof(target)) !=
	    sizeof(wanted) - 1 || memcmp(target, wanted, sizeof(wanted) - 1))
		return true;
	file = open_memfd(search, dir, name);
	if (file < 0)
		return true;
	is_fine = show_once(search, file);
	close(file);
	return is_fine;
}

static bool look_at_process(struct search *search, uint32_t pid)
{
	const struct dirent *entry;
	bool is_fine = true;
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	dir = opendir(path);
	if (!dir) {
		/* It may have ended. */
		search->hidden += errno == EACCES || errno == EPERM;
		return true;
	}
	while (is_fine && (entry = readdir(dir)))
		is_fine = look_at_file(search, dirfd(dir), entry->d_name);
	closedir(dir);
	return is_fine;
}

static enum smi_exit show_all(struct table *t, const struct client_list *list)
{
	struct search search = { .table = t, .mount = mount_of_memfds() };
	enum smi_exit status;
	bool is_fine = true;

	if (search.mount < 0)
		return fail(SMI_FAILED,
			    "cannot make a memfd to compare those of processes with; is /proc mounted?");
	table_start(t, "ranks");
	for (size_t i = 0; is_fine && i < list->count; i++) {
		if (list->items[i].pid)
			is_fine = look_at_process(&search, list->items[i].pid);
		else
			search.hidden++;
	}
	status = table_end(t);
	tdestroy(search.seen, forget);
	if (search.hidden)
		warn("%zu processes may not be inspected; run as root to see their communicators",
		     search.hidden);
	return is_fine ? status : fail(SMI_FAILED, "no memory");
}

static enum smi_exit collect_and_show(struct table *t)
{
	const struct client_filter filter = { .with_gone = false };
	struct client_list list = { 0 };
	enum smi_exit status;
	struct session s;

	status = session_open(&s);
	if (status)
		return status;
	status = client_list_collect(&list, &s, &filter);
	session_close(&s);
	if (!status) {
		client_list_join(&list);
		status = show_all(t, &list);
	}
	client_list_fini(&list);
	return status;
}

enum smi_exit cmd_hccl(int argc, char **argv)
{
	struct table_options form = { 0 };
	const struct smi_option options[] = {
		TABLE_OPTIONS(&form),
		{ 0 }
	};
	bool wants_help = false;
	enum smi_exit status;
	struct table table;

	status = parse_options("hccl", options, NULL, &wants_help, argc, argv);
	if (status)
		return status;
	if (wants_help) {
		fputs(hccl_help, stdout);
		return finish_output(stdout);
	}
	status = table_init(&table, columns, COLUMN_COUNT, &form, false);
	return status ? status : collect_and_show(&table);
}
