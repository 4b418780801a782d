/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: the dump of a device at its reset, see driver/exec/coredump.c.
 *
 * A dump may come from an untrusted source; the parser only guarantees its
 * format.
 */
#ifndef VNPU_SMI_DUMP_H
#define VNPU_SMI_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DUMP_WORD_LEN	80

/**
 * struct dump_engine - an engine
 * @name: its class and number
 * @busy_ns: time that it has run tasks
 * @tasks: number of tasks
 * @turn_ns: duration of its current turn, 0 without one
 * @has_stream: the next two are valid, for the stream that it ran
 * @has_task: likewise, for the task of this stream
 */
struct dump_engine {
	char name[DUMP_WORD_LEN];
	uint64_t busy_ns;
	uint64_t tasks;
	uint64_t turn_ns;
	uint64_t has_stream;
	uint64_t stream;
	uint64_t client;
	uint64_t has_task;
	uint64_t task;
	uint64_t op;
};

/**
 * struct dump_stream - a stream that was not idle
 * @has_task: the next three are valid, for its task
 * @done: progress of the task
 * @tail: last task that its program has submitted
 * @taken: last task that was copied from the ring
 * @completed: last task that is complete
 */
struct dump_stream {
	uint64_t id;
	uint64_t client;
	uint64_t number;
	char state[DUMP_WORD_LEN];
	char class[DUMP_WORD_LEN];
	uint64_t priority;
	uint64_t has_task;
	uint64_t task;
	uint64_t op;
	uint64_t done;
	uint64_t tail;
	uint64_t taken;
	uint64_t completed;
	uint64_t ring_state;
	uint64_t errors;
	uint64_t cancelled;
};

struct dump {
	uint64_t version;
	char module[DUMP_WORD_LEN];
	char kernel[DUMP_WORD_LEN];
	char time[DUMP_WORD_LEN];
	uint64_t monotonic_ns;
	char reason[DUMP_WORD_LEN];
	uint64_t device;
	char uuid[DUMP_WORD_LEN];
	uint64_t resets;
	uint64_t hangs;
	struct dump_engine *engines;
	size_t engine_count;
	struct dump_stream *streams;
	size_t stream_count;
	uint64_t end_engines;
	uint64_t end_streams;
};

/**
 * struct dump_fault - the error in a rejected dump
 * @line: its line, from 1
 * @what: a clause without its subject
 * @word: the object of the clause, or an empty string
 */
struct dump_fault {
	size_t line;
	const char *what;
	char word[DUMP_WORD_LEN];
};

/*
 * Parse @length bytes of @text.  On an error, such as an incomplete dump,
 * returns false and fills @fault.  The caller always passes @dump to
 * dump_fini().
 */
bool dump_parse(struct dump *dump, const char *text, size_t length,
		struct dump_fault *fault);
void dump_fini(struct dump *dump);

#endif /* VNPU_SMI_DUMP_H */
