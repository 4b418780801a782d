/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The environment of a program of the ioctl fuzzer: two clients, host memory,
 * and all objects that it has got from the kernel so far.
 */
#ifndef SELFTESTS_VNPU_FUZZ_WORLD_H
#define SELFTESTS_VNPU_FUZZ_WORLD_H

#include <linux/vnpu.h>
#include <linux/vnpu_engine.h>
#include <linux/vnpu_graph.h>
#include <linux/vnpu_task.h>

#include "client.h"
#include "fuzz.h"

enum field_kind {
	FIELD_END,
	FIELD_SIZE,
	FIELD_ZERO,
	FIELD_INT,
	FIELD_BITS,
	FIELD_ONE_OF,
	FIELD_ADDRESS,
	FIELD_ADDRESS_OR_0,
	FIELD_RESOURCE,
	FIELD_RESULT,
	FIELD_POINTS,
	FIELD_COUNT,
};

/**
 * struct field - a field of a call's struct
 * @kind: its meaning
 * @name: the set or resource that it selects from, or 0
 * @limit: for an integer: values up to this are used most
 * @at: its offset
 * @size: its bytes
 */
struct field {
	enum field_kind kind;
	unsigned int name;
	__u64 limit;
	size_t at;
	size_t size;
};

struct set_of {
	unsigned int count;
	const __u64 *values;
};

struct call_of {
	const char *name;
	unsigned int nr;
	size_t size;
	const struct field *fields;
};

#include "calls.h"

#define CLIENTS		2
#define WINDOW_AT	0x200000000000ULL	/* of the first client */
#define WINDOW_BYTES	MIB(64)
#define HOST_BYTES	MIB(4)
#define POOL_MAX	64
#define VIEWS_MAX	16

/* Ids and files of a kind, in the order of creation. */
struct pool {
	unsigned int count;
	__u64 values[POOL_MAX];
};

/* A created stream, and the address for its ring. */
struct made_stream {
	__u64 id;
	__u64 offset;
	size_t size;
	__u32 tasks;
};

struct view {
	__u8 *at;
	size_t length;
	__u64 stream;	/* stream of the ring, or 0 */
};

struct world {
	struct client client[CLIENTS];
	struct pool pools[RESOURCES];
	struct pool addresses;		/* addresses that the kernel chose */
	struct made_stream streams[POOL_MAX];
	unsigned int stream_count;
	struct view views[VIEWS_MAX];	/* mappings */
	unsigned int view_count;
	__u8 *host;
};

extern struct world world;

/* The meaning of a byte of a program. */
__u64 address_of(__u8 byte);
__u64 length_of(__u8 byte);
__u64 number_of(__u8 byte, __u64 limit);
__u64 resource_of(unsigned int resource, __u8 byte);
int file_of(__u8 byte);

void pool_add(struct pool *pool, __u64 value);
void resource_add(unsigned int resource, __u64 value);
void stream_add(const struct vnpu_stream_create *made);
/* NULL for an id that is not a stream's, or for a stream without an entry. */
const struct made_stream *stream_of(__u64 id);
int world_open(void);
void world_close(void);

/* Arrays of a step: tasks, and streams of a graph; at its place in the host. */
__u64 graph_tasks(const struct step *s);
__u64 graph_streams(const struct step *s);

/* A step that is not an ioctl. */
#define OP_FIRST	0xd0
#define OP_COUNT	20
void step_other(const struct step *s);

#endif
