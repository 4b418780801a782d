// SPDX-License-Identifier: MIT
/*
 * Memory of a thread, see local.h.  It comes from the kernel, because a call
 * may need it to report that the heap has no more.
 */
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "local.h"

/* A piece of memory of a thread. */
struct piece {
	struct piece *next;
	void **slot;
	size_t length;
	_Alignas(16) char data[];
};

static __thread struct piece *pieces;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;		/* its destructor runs when a thread
					 * ends */
static bool has_key;

static void pieces_free(void *arg)
{
	struct piece *piece = pieces, *next;

	(void)arg;
	pieces = NULL;
	for (; piece; piece = next) {
		next = piece->next;
		*piece->slot = NULL;
		munmap(piece, piece->length);
	}
}

static void prepare(void)
{
	has_key = !pthread_key_create(&key, pieces_free);
}

/*
 * A thread may end after the library was unloaded, when the code of the key's
 * destructor is gone.  This function runs at exit(), too, where destructors of
 * other libraries may still print a message, and other threads use their memory.
 * So it frees nothing: each thread that lives at dlclose() loses its pieces.
 */
static __attribute__((destructor)) void unload(void)
{
	pthread_once(&once, prepare);
	if (!has_key)
		return;
	__atomic_store_n(&has_key, false, __ATOMIC_RELAXED);
	pthread_key_delete(key);
}

void *vnpu_local_get(void **slot, size_t size)
{
	struct piece *piece;

	if (*slot)
		return *slot;
	pthread_once(&once, prepare);
	/* Without it, the end of the thread would be missed. */
	if (!__atomic_load_n(&has_key, __ATOMIC_RELAXED) ||
	    pthread_setspecific(key, &pieces))
		return NULL;
	piece = mmap(NULL, sizeof(*piece) + size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (piece == MAP_FAILED)
		return NULL;
	piece->slot = slot;
	piece->length = sizeof(*piece) + size;
	piece->next = pieces;
	pieces = piece;
	*slot = piece->data;
	return *slot;
}
