// SPDX-License-Identifier: MIT
/* Exceptions of launches and output of kernels, see exception.h. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vnpu/kernel.h>

#include "core/protocol.h"

#include "base/fork.h"
#include "base/log.h"
#include "runtime/soc.h"
#include "exception.h"

/* The number of exceptions that are kept, and the bytes of output. */
#define KEPT		256
#define OUTPUT_MAX	(8UL << 20)

/* A piece of output. */
struct print {
	struct print *next;
	uint64_t stream;
	size_t length;
	char text[];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Protected by the lock, like all that follow. */
static struct vnpu_exception *kept[KEPT];
static uint64_t added;
static struct print *prints;
static struct print **prints_end = &prints;
static size_t prints_bytes;		/* of memory */
static size_t prints_lost;		/* bytes of text */
static unsigned int nr_writers;		/* threads that write output they took */

void vnpu_exception_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void vnpu_exception_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

void vnpu_exception_add(const struct vnpu_exception *exception)
{
	struct vnpu_exception *copy = malloc(sizeof(*copy));

	if (!copy)
		return;
	*copy = *exception;
	vnpu_exception_lock();
	free(kept[added % KEPT]);
	kept[added++ % KEPT] = copy;
	vnpu_exception_unlock();
}

bool vnpu_exception_find(uint64_t stream, uint64_t seq,
			 struct vnpu_exception *exception)
{
	bool is_found = false;

	vnpu_exception_lock();
	for (uint64_t i = added; !is_found && i && i + KEPT > added; i--) {
		const struct vnpu_exception *one = kept[(i - 1) % KEPT];

		is_found = one->stream == stream && one->seq == seq;
		if (is_found)
			*exception = *one;
	}
	vnpu_exception_unlock();
	return is_found;
}

/* On a chip with separate vector cores, these have codes of their own. */
static aclError by_core(uint32_t cores, aclError of_cube, aclError of_vector)
{
	return vnpu_soc()->is_split && cores == VNPU_CORE_VECTOR ? of_vector :
								   of_cube;
}

aclError vnpu_exception_code(uint32_t error, uint32_t cores,
			     const struct vnpu_exception *exception)
{
	uint32_t kind = exception ? exception->kind : 0;

	if (error == ECANCELED)
		return ACL_ERROR_RT_STREAM_ABORT;
	if (error == ENODEV)
		return ACL_ERROR_RT_LOST_HEARTBEAT;
	if (error == ETIMEDOUT)
		return by_core(cores, ACL_ERROR_RT_AICORE_TIMEOUT,
			       ACL_ERROR_RT_VECTOR_CORE_TIMEOUT);
	if (kind == VNPU_FAULT_TRAP || kind == VNPU_FAULT_ASSERT)
		return by_core(cores, ACL_ERROR_RT_AICORE_TRAP_EXCEPTION,
			       ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION);
	return by_core(cores, ACL_ERROR_RT_AICORE_EXCEPTION,
		       ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
}

void vnpu_print_add(uint64_t stream, const char *text, size_t length)
{
	struct print *print = NULL;
	size_t size = sizeof(*print) + length;

	vnpu_exception_lock();
	if (prints_bytes + size <= OUTPUT_MAX)
		print = malloc(size);
	if (print) {
		print->next = NULL;
		print->stream = stream;
		print->length = length;
		memcpy(print->text, text, length);
		prints_bytes += size;
		*prints_end = print;
		prints_end = &print->next;
	} else {
		prints_lost += length;
	}
	vnpu_exception_unlock();
}

/*
 * Take the output of a stream, or of all, and count the lost bytes.  The caller is
 * a writer from here on.
 */
static struct print *take(uint64_t stream, bool is_all, size_t *lost)
{
	struct print *taken = NULL, **end = &taken, **link = &prints, *print;

	vnpu_exception_lock();
	while ((print = *link)) {
		if (!is_all && print->stream != stream) {
			link = &print->next;
			continue;
		}
		*link = print->next;
		prints_bytes -= sizeof(*print) + print->length;
		*end = print;
		end = &print->next;
	}
	*end = NULL;
	prints_end = link;
	*lost = prints_lost;
	prints_lost = 0;
	nr_writers++;
	vnpu_exception_unlock();
	return taken;
}

/* Check if there is output, or a thread that still writes some. */
static bool has_output(void)
{
	bool has;

	vnpu_exception_lock();
	has = prints || prints_lost || nr_writers;
	vnpu_exception_unlock();
	return has;
}

static void write_end(void)
{
	vnpu_exception_lock();
	nr_writers--;
	vnpu_exception_unlock();
}

static void flush(uint64_t stream, bool is_all)
{
	struct print *print, *next;
	size_t lost;

	/* Without kernels that print, the program may keep this lock. */
	if (!has_output())
		return;
	/* Output is written in the order in which it is taken. */
	flockfile(stdout);
	print = take(stream, is_all, &lost);
	if (print) {
		for (; print; print = next) {
			next = print->next;
			fwrite(print->text, 1, print->length, stdout);
			free(print);
		}
		fflush(stdout);
	}
	write_end();
	funlockfile(stdout);
	if (lost)
		vnpu_log(ACL_WARNING, __func__,
			"%zu bytes of the output of kernels are lost; synchronize with streams more often",
			lost);
}

void vnpu_print_flush(uint64_t stream)
{
	flush(stream, false);
}

void vnpu_print_flush_all(void)
{
	flush(0, true);
}

/* The parent writes it. */
void vnpu_print_disown(void)
{
	struct print *print;

	while ((print = prints)) {
		prints = print->next;
		free(print);
	}
	prints_end = &prints;
	prints_bytes = prints_lost = 0;
	nr_writers = 0;
}
