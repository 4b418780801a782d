// SPDX-License-Identifier: MIT
/*
 * The latest record of an event that several processes share.
 *
 * It is one word, which names a slot of the page and the number of a task; the
 * slot has the token of the task's stream.  A process therefore publishes a
 * record by one store, after it has submitted the task.  If it dies before
 * that, it has published nothing, and there is no lock that it could hold.
 *
 * A slot keeps its stream until the stream has ended and another one needs the
 * slot.  It then gets a new generation, which the word has, too.  A reader that
 * reads the word, the slot, and the same word again has a consistent record.
 *
 * The page's file cannot shrink, so no process can cause a fault in the others.
 * A process that writes invalid data only disturbs the order of those that
 * trusted it with the handle.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event_page.h"
#include "stream_share.h"

#define PAGE	4096
#define SLOTS	VNPU_EVENT_PAGE_STREAMS
#define SEALS	(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* State of a slot, with the generation in the upper bits. */
enum slot_state {
	SLOT_FREE,
	SLOT_CLAIMED,		/* being written */
	SLOT_READY,
};

#define STATE_BITS	2
#define GENERATIONS	256

/* A slot; all members are shared, and any process may write them. */
struct slot {
	_Atomic uint64_t state;
	_Atomic uint64_t key[2];
	uint64_t unused;
};

/*
 * Bits 63-56 of @latest are the index of the slot, 55-48 its generation, and
 * the rest is the number of the task; 0 before the first record.
 */
struct vnpu_event_page {
	_Atomic uint64_t latest;
	uint64_t unused[7];
	struct slot slots[SLOTS];
};

_Static_assert(sizeof(struct vnpu_event_page) == PAGE, "all of a page");

#define SEQ_MASK	((1ULL << 48) - 1)

static uint64_t latest_word(unsigned int index, uint64_t generation,
			    uint64_t seq)
{
	return (uint64_t)index << 56 | generation << 48 | seq;
}

static unsigned int word_index(uint64_t word)
{
	return (unsigned int)(word >> 56);
}

static uint64_t word_generation(uint64_t word)
{
	return word >> 48 & (GENERATIONS - 1);
}

static uint64_t state_of(enum slot_state state, uint64_t generation)
{
	return generation << STATE_BITS | state;
}

int vnpu_event_page_create(void)
{
	int fd = memfd_create("vnpu-event", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, PAGE) || fcntl(fd, F_ADD_SEALS, SEALS)) {
		int ret = -errno;

		close(fd);
		return ret;
	}
	return fd;
}

int vnpu_event_page_map(int file, struct vnpu_event_page **page)
{
	int seals = fcntl(file, F_GET_SEALS);
	struct stat info;
	void *p;

	if (seals < 0 || (seals & SEALS) != SEALS || fstat(file, &info) ||
	    info.st_size != PAGE)
		return -ENOENT;
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	/* EPERM: the file cannot be written, so it is no event's page. */
	if (p == MAP_FAILED)
		return errno == EPERM ? -ENOENT : -errno;
	*page = p;
	return 0;
}

void vnpu_event_page_unmap(struct vnpu_event_page *page)
{
	munmap(page, PAGE);
}

static void slot_write(struct slot *slot, const struct vnpu_token *stream,
		       uint64_t generation)
{
	atomic_store(&slot->key[0], stream->key[0]);
	atomic_store(&slot->key[1], stream->key[1]);
	atomic_store(&slot->state, state_of(SLOT_READY, generation));
}

/* Read a slot; false if it is not ready, or changes during the read. */
static bool slot_read(struct slot *slot, struct vnpu_token *stream,
		      uint64_t *generation)
{
	uint64_t state = atomic_load(&slot->state);

	*generation = state >> STATE_BITS;
	stream->key[0] = atomic_load(&slot->key[0]);
	stream->key[1] = atomic_load(&slot->key[1]);
	return state == state_of(SLOT_READY, *generation) &&
	       *generation < GENERATIONS && atomic_load(&slot->state) == state;
}

/* Claim a slot in the given state; false if another process was faster. */
static bool slot_claim(struct slot *slot, uint64_t state, uint64_t generation)
{
	return atomic_compare_exchange_strong(&slot->state, &state,
				state_of(SLOT_CLAIMED, generation));
}

/*
 * Find the slot of a stream and set the generation; -ENOENT if there is none.
 */
static int find_slot(struct vnpu_event_page *page,
		     const struct vnpu_token *stream, uint64_t *generation)
{
	struct vnpu_token found;

	for (int i = 0; i < SLOTS; i++)
		if (slot_read(&page->slots[i], &found, generation) &&
		    vnpu_token_is_same(&found, stream))
			return i;
	return -ENOENT;
}

/* Claim a free slot for a stream. */
static int take_free_slot(struct vnpu_event_page *page,
			  const struct vnpu_token *stream, uint64_t *generation)
{
	*generation = 0;
	for (int i = 0; i < SLOTS; i++) {
		if (atomic_load(&page->slots[i].state) != SLOT_FREE ||
		    !slot_claim(&page->slots[i], SLOT_FREE, 0))
			continue;
		slot_write(&page->slots[i], stream, 0);
		return i;
	}
	return -ENOENT;
}

/* Take the slot of a stream that is gone. */
static int take_over_slot(struct vnpu_event_page *page,
			  const struct vnpu_token *stream, uint64_t *generation)
{
	for (int i = 0; i < SLOTS; i++) {
		struct slot *slot = &page->slots[i];
		struct vnpu_token before;
		uint64_t was;

		if (!slot_read(slot, &before, &was) ||
		    !vnpu_stream_shared_is_gone(&before))
			continue;
		*generation = (was + 1) % GENERATIONS;
		if (!slot_claim(slot, state_of(SLOT_READY, was), *generation))
			continue;
		slot_write(slot, stream, *generation);
		return i;
	}
	return -ENOSPC;
}

int vnpu_event_page_put(struct vnpu_event_page *page,
			const struct vnpu_event_record *record)
{
	uint64_t generation;
	int i = find_slot(page, &record->stream, &generation);

	if (i < 0)
		i = take_free_slot(page, &record->stream, &generation);
	if (i < 0)
		i = take_over_slot(page, &record->stream, &generation);
	if (i < 0)
		return i;
	atomic_store(&page->latest,
		     latest_word((unsigned int)i, generation,
				 record->seq & SEQ_MASK));
	return 0;
}

bool vnpu_event_page_get(struct vnpu_event_page *page,
			 struct vnpu_event_record *record)
{
	uint64_t word = atomic_load(&page->latest), again, generation;
	bool is_there;

	for (;; word = again) {
		if (!(word & SEQ_MASK) || word_index(word) >= SLOTS)
			return false;
		is_there = slot_read(&page->slots[word_index(word)],
				     &record->stream, &generation);
		again = atomic_load(&page->latest);
		if (again == word)
			break;
	}
	record->seq = word & SEQ_MASK;
	/* A slot changes its stream only after the stream has ended. */
	return is_there && generation == word_generation(word);
}
