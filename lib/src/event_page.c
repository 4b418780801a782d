// SPDX-License-Identifier: MIT
/*
 * The latest record of an event that several processes have.
 *
 * It is one word, which names a slot of the page and the number of a task; the
 * slot has the token of the task's stream.  So a process tells all the others
 * of a record by one store, after the task was submitted: one that dies before
 * has told of nothing, and there is no lock that it could take with it.
 *
 * A slot keeps its stream until that is gone and somebody needs the slot.  It
 * has a generation then, which the word has too: who reads the word, the slot,
 * and the same word again has read what belongs together.
 *
 * The page's file cannot shrink, so that no process can take it from under the
 * others.  One that writes nonsense into it does no harm but to the order of
 * those who trusted it with the handle.
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

/* Of a slot's state: this, and above it the generation. */
enum slot_state {
	SLOT_FREE,
	SLOT_CLAIMED,		/* and being written */
	SLOT_READY,
};

#define STATE_BITS	2
#define GENERATIONS	256

/* All of it shared, and written by anyone. */
struct slot {
	_Atomic uint64_t state;
	_Atomic uint64_t key[2];
	uint64_t unused;
};

/*
 * Of @latest, bits 63-56 are the slot's index, 55-48 its generation, the rest is
 * the number of the task; 0 before the first record.
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
	/* EPERM: the file cannot be written, so no event has made it. */
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

/* Whether the slot is ready, and stays so while it is read. */
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

/* Take a slot from what it was; false if somebody else was faster. */
static bool slot_claim(struct slot *slot, uint64_t state, uint64_t generation)
{
	return atomic_compare_exchange_strong(&slot->state, &state,
				state_of(SLOT_CLAIMED, generation));
}

/* The slot that has the stream, whose generation is set; or -ENOENT. */
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

/* The same of one that was free. */
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

/* Take a slot whose stream is gone. */
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
	/* Another has the slot only when the stream is gone. */
	return is_there && generation == word_generation(word);
}
