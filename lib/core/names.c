// SPDX-License-Identifier: MIT
/*
 * The names of kernels and operators, for monitors: the driver gets each once,
 * and then its number with each completion.
 *
 * A name is found without a lock, since this is part of each launch.  An entry of
 * the table never changes once it has a number.
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>

#include "core.h"

/* Entries of the table: a power of two, at most half of it is used. */
#define TABLE		(2 * VNPU_ENGINE_KERNELS_MAX)

static char names[VNPU_ENGINE_KERNELS_MAX][VNPU_ENGINE_NAME_MAX];
static _Atomic uint32_t table[TABLE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t count;		/* of names, under the lock */
static atomic_bool is_full;	/* or the driver does not know names */

static uint32_t hash(const char *name)
{
	uint32_t value = 2166136261U;

	for (; *name; name++)
		value = (value ^ (unsigned char)*name) * 16777619U;
	return value ^ value >> 15;
}

/* Return the place of a name in the table, or the one that it would have. */
static uint32_t place_of(const char *name, uint32_t *number)
{
	uint32_t at = hash(name) % TABLE;

	/* Half of the table is empty, so this ends. */
	while ((*number = atomic_load_explicit(&table[at],
					       memory_order_acquire)) &&
	       strcmp(names[*number % VNPU_ENGINE_KERNELS_MAX], name))
		at = (at + 1) % TABLE;
	return at;
}

/* Report the name to the driver. */
static bool name_report(uint32_t number, const char *name)
{
	struct vnpu_engine_name request = {
		.size = sizeof(request),
		.number = number,
	};

	/* Names of kernels come from images; the driver takes printable ones. */
	for (unsigned int i = 0; name[i]; i++)
		request.name[i] = name[i] >= ' ' && name[i] <= '~' ? name[i] :
								     '?';
	if (!ioctl(core.engine, VNPU_IOCTL_ENGINE_NAME, &request))
		return true;
	if (errno != ENOMEM)
		is_full = true;
	return false;
}

static uint32_t name_add(const char *name)
{
	uint32_t number, at;

	pthread_mutex_lock(&lock);
	at = place_of(name, &number);
	if (!number && !is_full && name_report(count + 1, name)) {
		number = ++count;
		strcpy(names[number], name);
		is_full = count == VNPU_ENGINE_KERNELS_MAX - 1;
		atomic_store_explicit(&table[at], number,
				      memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return number;
}

void names_remove_all(void)
{
	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < TABLE; i++)
		table[i] = 0;
	count = 0;
	is_full = false;
	pthread_mutex_unlock(&lock);
}

uint32_t names_number(const char *name)
{
	char part[VNPU_ENGINE_NAME_MAX];
	size_t length = strlen(name);
	uint32_t number;

	if (!length)
		return 0;
	if (length >= sizeof(part)) {
		memcpy(part, name, sizeof(part) - 1);
		part[sizeof(part) - 1] = '\0';
		name = part;
	}
	place_of(name, &number);
	return number || is_full ? number : name_add(name);
}
