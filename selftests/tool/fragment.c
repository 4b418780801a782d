// SPDX-License-Identifier: GPL-2.0-only
/*
 * Run a command while the memory of a device is fragmented:
 *
 *	fragment [-d DEVICE] [-c|-t] BYTES COMMAND [ARG...]
 *
 *	-d DEVICE	the device (default 0)
 *	-c		contiguous pieces, which move only as a whole
 *	-t		the same, but each freed piece is half as long, so that
 *			none of the others can move
 *
 *	BYTES		length of a piece, in whole pages; with -t, in whole
 *			pairs of pages
 *
 * All free memory is allocated in pieces, and every second one is freed. The
 * others are filled with data, which must be unchanged when COMMAND has ended.
 * The exit status is that of COMMAND, 125 if the pieces could not be allocated,
 * or 124 if their data has changed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "client.h"
#include "util.h"

#define EXIT_CHANGED	124
#define EXIT_SETUP	125

struct pieces {
	struct client client;
	__u32 device;
	__u32 flags;
	__u64 size;
	__u64 hole;	/* length of a freed piece */
	__u64 count;	/* the odd ones are kept */
};

static _Noreturn void die(const char *what, int error)
{
	fprintf(stderr, "fragment: %s: %s\n", what, strerror(-error));
	exit(EXIT_SETUP);
}

static void must(const char *what, int ret)
{
	if (ret)
		die(what, ret);
}

static __u64 piece_va(const struct pieces *p, __u64 i)
{
	return p->client.base + i * p->size;
}

static __u64 piece_value(__u64 i)
{
	return 0x7069656365000000 + i;
}

static void make(struct pieces *p)
{
	struct vnpu_device_query q;
	__u64 i, rest;
	__u32 id;

	must("open", client_open_only(&p->client));
	must("map", window_map(&p->client, WINDOW_SIZE, PROT_NONE));
	must("query", device_query(&p->client, p->device, &q));
	p->count = q.out_free / (p->size + p->hole) * 2;
	rest = q.out_free % (p->size + p->hole);
	for (i = 0; i < p->count; i++) {
		must("allocate", mem_alloc_at(&p->client, p->device, p->flags,
					      0, i % 2 ? p->size : p->hole,
					      piece_va(p, i)));
		if (i % 2)
			must("fill", fill(&p->client, piece_va(p, i), p->size,
					  piece_value(i), 8));
	}
	if (rest && p->hole < p->size)
		must("allocate", mem_alloc(&p->client, p->device, p->flags, 0,
					   rest, &id));
	for (i = 0; i < p->count; i += 2)
		must("free", va_unbind(&p->client, piece_va(p, i), 0));
}

static bool is_whole(const struct pieces *p)
{
	__u64 *buffer = malloc(p->size);
	bool whole = buffer;
	__u64 i, k;

	for (i = 1; whole && i < p->count; i += 2) {
		whole = !copy(&p->client, addr(buffer), piece_va(p, i),
			      p->size);
		for (k = 0; whole && k < p->size / 8; k++)
			whole = buffer[k] == piece_value(i);
	}
	free(buffer);
	return whole;
}

static int run(char **command)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork", -errno);
	if (!pid) {
		execvp(command[0], command);
		die(command[0], -errno);
	}
	return child_wait(pid);
}

int main(int argc, char **argv)
{
	struct pieces pieces = { 0 };
	bool is_tight = false;
	int c, status;

	while ((c = getopt(argc, argv, "+d:ct")) != -1) {
		switch (c) {
		case 'd':
			pieces.device = (__u32)strtoul(optarg, NULL, 10);
			break;
		case 't':
			is_tight = true;
			pieces.flags = VNPU_MEM_F_CONTIGUOUS;
			break;
		case 'c':
			pieces.flags = VNPU_MEM_F_CONTIGUOUS;
			break;
		default:
			return EXIT_SETUP;
		}
	}
	if (argc - optind < 2)
		die("BYTES and COMMAND are needed", -EINVAL);
	pieces.size = strtoull(argv[optind], NULL, 0);
	pieces.hole = is_tight ? pieces.size / 2 : pieces.size;
	if (!pieces.size || pieces.size % PAGE || pieces.hole % PAGE)
		die(argv[optind], -EINVAL);
	make(&pieces);
	status = run(argv + optind + 1);
	if (!is_whole(&pieces)) {
		fputs("fragment: the pieces have changed\n", stderr);
		status = EXIT_CHANGED;
	}
	client_close(&pieces.client);
	return status;
}
