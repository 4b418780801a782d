// SPDX-License-Identifier: GPL-2.0-only
/*
 * The meaning of a program's bytes. A byte selects one of the existing objects;
 * a few values of each select one that does not exist.
 */
#include "world.h"

struct world world;

static const __u64 odd_numbers[] = {
	0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
	0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
	0xfffffffffffff000, 0xfffffffffffffffe, 0xffffffffffffffff,
	VNPU_RING_TASKS, VNPU_RING_TASKS + 1,
};

static const __u64 offsets[] = {
	0, 0, 0, PAGE, 1, 64, MIB(1), MIB(2) - PAGE,
};

static const __u64 odd_addresses[] = {
	0, 1, PAGE, WINDOW_AT - PAGE, WINDOW_AT - 1,
	WINDOW_AT + WINDOW_BYTES - PAGE, WINDOW_AT + WINDOW_BYTES - 1,
	WINDOW_AT + WINDOW_BYTES, 0x7ffffffff000, 0x800000000000,
	0xffff888000000000, 0xffffffff81000000, 0xfffffffffffff000,
	0xffffffffffffffff, 0x8000000000000000, 0x100000000,
};

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* An address in @window: 32 places of 2 MiB. */
static __u64 place(__u64 window, __u8 byte)
{
	return window + (byte & 15) * MIB(2) + offsets[(byte >> 4) & 7];
}

__u64 address_of(__u8 byte)
{
	if (byte < 0x80)
		return place(WINDOW_AT, byte);
	if (byte < 0xc0)
		return addr(world.host) + (byte & 3) * MIB(1) +
		       offsets[(byte >> 2) & 7];
	if (byte < 0xd0)
		return place(WINDOW_AT + WINDOW_BYTES + MIB(64), byte & 15);
	if (byte < 0xf0 && world.addresses.count)
		return world.addresses.values[byte % world.addresses.count];
	return odd_addresses[byte % COUNT(odd_addresses)];
}

__u64 length_of(__u8 byte)
{
	const struct set_of *set = &sets[SET_VNPU_LENGTHS];

	/* Mostly a few pages, seldom more than there are. */
	if (byte < 0x80)
		return PAGE << (byte % 12);
	return set->values[byte % set->count];
}

__u64 number_of(__u8 byte, __u64 limit)
{
	if (byte >= 0xe0 || limit > 0xff)
		return odd_numbers[byte % COUNT(odd_numbers)];
	return byte % (limit + 1);
}

__u64 resource_of(unsigned int resource, __u8 byte)
{
	const struct pool *pool = &world.pools[resource];
	unsigned int count = __atomic_load_n(&pool->count, __ATOMIC_ACQUIRE);

	if (byte >= 0xf0 || !count)
		return odd_numbers[byte % COUNT(odd_numbers)];
	return pool->values[byte % count];
}

/* A file of any kind. */
int file_of(__u8 byte)
{
	static const enum resource kinds[] = {
		RES_FD_VNPU, RES_FD_VNPU_MEM, RES_FD_VNPU_DMABUF,
		RES_FD_VNPU_TIMELINE, RES_FD_VNPU_SYNC, RES_FD_VNPU_TIMELINE,
		RES_FD_VNPU_ENGINE, RES_FD_VNPU_DMABUF,
	};
	enum resource kind = kinds[byte & 7];

	return world.pools[kind].count ? (int)resource_of(kind, byte >> 3) : -1;
}

/* Threads may add at the same time, and lose each other's entries. */
void pool_add(struct pool *pool, __u64 value)
{
	unsigned int count = __atomic_load_n(&pool->count, __ATOMIC_RELAXED);

	if (count >= POOL_MAX)
		return;
	pool->values[count] = value;
	__atomic_store_n(&pool->count, count + 1, __ATOMIC_RELEASE);
}

void resource_add(unsigned int resource, __u64 value)
{
	pool_add(&world.pools[resource], value);
	/* A stream is a timeline. */
	if (resource == RES_VNPU_STREAM_ID)
		pool_add(&world.pools[RES_VNPU_TIMELINE_ID], value);
}

void stream_add(const struct vnpu_stream_create *made)
{
	unsigned int count = __atomic_load_n(&world.stream_count,
					     __ATOMIC_RELAXED);

	if (count >= POOL_MAX)
		return;
	world.streams[count] = (struct made_stream){
		.id = made->out_id,
		.offset = made->out_mmap_offset,
		.size = made->out_map_size,
		.tasks = made->ring_tasks,
	};
	__atomic_store_n(&world.stream_count, count + 1, __ATOMIC_RELEASE);
}

const struct made_stream *stream_of(__u64 id)
{
	unsigned int i = __atomic_load_n(&world.stream_count, __ATOMIC_ACQUIRE);

	while (i--)
		if (world.streams[i].id == id)
			return &world.streams[i];
	return NULL;
}

static int client_begin(struct client *c, __u64 at)
{
	int ret = client_open_only(c);
	void *p;

	if (ret)
		return ret;
	resource_add(RES_FD_VNPU, c->fd);
	p = mmap(ptr(at), WINDOW_BYTES, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED_NOREPLACE, c->fd, VNPU_MMAP_WINDOW);
	return p == MAP_FAILED ? -errno : 0;
}

int world_open(void)
{
	int i, ret;

	/* The next page is not mapped. */
	world.host = mmap(NULL, HOST_BYTES + PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (world.host == MAP_FAILED)
		return -errno;
	munmap(world.host + HOST_BYTES, PAGE);
	for (i = 0; i < CLIENTS; i++) {
		ret = client_begin(&world.client[i],
				   WINDOW_AT + i * (WINDOW_BYTES + MIB(64)));
		if (ret)
			return ret;
	}
	return 0;
}

/* Explicitly instead of by the end of the process, for KCOV to record it. */
void world_close(void)
{
	unsigned int i;

	for (i = 0; i < world.view_count; i++)
		munmap(world.views[i].at, world.views[i].length);
	for (i = 0; i < CLIENTS; i++)
		munmap(ptr(WINDOW_AT + i * (WINDOW_BYTES + MIB(64))),
		       WINDOW_BYTES);
	for (i = RES_FD_VNPU; i <= RES_FD_VNPU_SYNC; i++)
		while (world.pools[i].count)
			close(world.pools[i].values[--world.pools[i].count]);
}
