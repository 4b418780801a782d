// SPDX-License-Identifier: MIT
/* The shared memory of a communicator, see region.h. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "region.h"

#define ALIGN	64

static size_t aligned(size_t size)
{
	return (size + ALIGN - 1) / ALIGN * ALIGN;
}

/*
 * The parts, in this order: views and states of ranks, keys by receiver and sender, collectives by
 * rank, messages by sender and receiver.
 */
static size_t keys_size(void)
{
	return aligned(sizeof(char[HCCL_KEYS][HCCL_KEY]));
}

static size_t call_size(unsigned int ranks)
{
	return aligned(sizeof(struct hccl_call) +
		       2 * ranks * sizeof(uint64_t));
}

static size_t states_at(unsigned int ranks)
{
	return aligned(sizeof(struct hccl_view_head) +
		       ranks * sizeof(struct hccl_view));
}

static size_t keys_at(unsigned int ranks)
{
	return states_at(ranks) + ranks * aligned(sizeof(struct hccl_rank));
}

static size_t calls_at(unsigned int ranks)
{
	return keys_at(ranks) + (size_t)ranks * ranks * keys_size();
}

static size_t messages_at(unsigned int ranks)
{
	return calls_at(ranks) + (HCCL_RING + HCCL_CAPTURE_RING) * ranks *
	       call_size(ranks);
}

static size_t region_size(unsigned int ranks)
{
	return messages_at(ranks) + (size_t)ranks * ranks *
	       aligned(sizeof(struct hccl_messages));
}

int hccl_region_create(unsigned int ranks)
{
	const struct hccl_view_head head = { HCCL_VIEW_MAGIC, ranks, 0 };
	int fd = memfd_create(HCCL_VIEW_FILE, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	if (!ftruncate(fd, (off_t)region_size(ranks)) &&
	    write(fd, &head, sizeof(head)) == sizeof(head) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return fd;
	close(fd);
	return -1;
}

static HcclResult map(struct hccl_region *region, int file, int flags,
		      unsigned int ranks)
{
	size_t size = region_size(ranks);
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, file, 0);

	if (base == MAP_FAILED)
		return HCCL_E_MEMORY;
	*region = (struct hccl_region){
		.ranks = ranks,
		.size = size,
		.call_size = call_size(ranks),
		.base = base,
	};
	return HCCL_SUCCESS;
}

HcclResult hccl_region_map(struct hccl_region *region, int file,
			   unsigned int ranks)
{
	size_t size = region_size(ranks);
	struct stat status;

	/* Without the seal, an access could fault. */
	if (fstat(file, &status) || (size_t)status.st_size != size ||
	    !(fcntl(file, F_GET_SEALS) & F_SEAL_SHRINK))
		return HCCL_E_INTERNAL;
	return map(region, file, MAP_SHARED, ranks);
}

HcclResult hccl_region_alloc(struct hccl_region *region, unsigned int ranks)
{
	return map(region, -1, MAP_PRIVATE | MAP_ANONYMOUS, ranks);
}

void hccl_region_unmap(struct hccl_region *region)
{
	if (region->base)
		munmap(region->base, region->size);
	region->base = NULL;
}

struct hccl_view *hccl_region_view(const struct hccl_region *region,
				   unsigned int rank)
{
	return (void *)(region->base + sizeof(struct hccl_view_head) +
			rank * sizeof(struct hccl_view));
}

struct hccl_rank *hccl_region_rank(const struct hccl_region *region,
				   unsigned int rank)
{
	return (void *)(region->base + states_at(region->ranks) +
			rank * aligned(sizeof(struct hccl_rank)));
}

char (*hccl_region_keys(const struct hccl_region *region, unsigned int from,
			unsigned int to))[HCCL_KEY]
{
	size_t index = (size_t)to * region->ranks + from;

	return (void *)(region->base + keys_at(region->ranks) +
			index * keys_size());
}

struct hccl_call *hccl_region_call(const struct hccl_region *region,
				   unsigned int rank, bool is_captured,
				   uint64_t number)
{
	size_t index = (size_t)rank * (HCCL_RING + HCCL_CAPTURE_RING);

	index += is_captured ? HCCL_RING + number % HCCL_CAPTURE_RING :
			       number % HCCL_RING;

	return (void *)(region->base + calls_at(region->ranks) +
			index * region->call_size);
}

struct hccl_messages *hccl_region_messages(const struct hccl_region *region,
					   unsigned int from, unsigned int to)
{
	size_t index = (size_t)from * region->ranks + to;

	return (void *)(region->base + messages_at(region->ranks) +
			index * aligned(sizeof(struct hccl_messages)));
}
