// SPDX-License-Identifier: MIT
/* The names of algorithms, and the environment variable that chooses them. */
#include <string.h>

#include "algorithm.h"
#include "kind.h"

/* The most bytes that a rank reads to reduce everything by itself. */
#define ALLREDUCE_READS		(128ULL << 10)

/*
 * Names without steps of their own stand for the mesh: AHC and pipeline combine
 * levels of a network that a host does not have, and pairwise is how the mesh
 * exchanges.
 */
static const struct {
	const char *name;
	enum hccl_algorithm algorithm;
} names[] = {
	{ "NA", HCCL_MESH },
	{ "fullmesh", HCCL_MESH },
	{ "ring", HCCL_RING },
	{ "H-D_R", HCCL_HALVING },
	{ "NHR", HCCL_NHR },
	{ "NHR_V1", HCCL_NHR },
	{ "NB", HCCL_NB },
	{ "AHC", HCCL_MESH },
	{ "pipeline", HCCL_MESH },
	{ "pairwise", HCCL_MESH },
};

static const struct {
	const char *name;
	enum hccl_kind kinds[3];
} operations[] = {
	{ "allreduce", { HCCL_ALLREDUCE } },
	{ "allgather", { HCCL_ALLGATHER, HCCL_ALLGATHERV } },
	{ "reducescatter", { HCCL_REDUCESCATTER, HCCL_REDUCESCATTERV } },
	{ "broadcast", { HCCL_BROADCAST } },
	{ "reduce", { HCCL_REDUCE } },
	{ "scatter", { HCCL_SCATTER } },
	{ "alltoall", { HCCL_ALLTOALL, HCCL_ALLTOALLV, HCCL_ALLTOALLVC } },
};

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

bool hccl_has_parts(unsigned int ranks, uint64_t bytes)
{
	return bytes >= HCCL_SHARED_MIN && bytes > ALLREDUCE_READS / ranks;
}

const char *hccl_algorithm_name(uint32_t algorithm)
{
	static const char *const texts[] = {
		[HCCL_MESH] = "mesh",
		[HCCL_RING] = "ring",
		[HCCL_HALVING] = "H-D_R",
		[HCCL_NHR] = "NHR",
		[HCCL_NB] = "NB",
	};

	return algorithm < HCCL_ALGORITHMS ? texts[algorithm] : "unknown";
}

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !strncmp(text, word, length);
}

/*
 * Read "level1:ring" and the like.  Level 1 is among servers; ranks of a host are
 * treated like servers, and level 0 counts if level 1 is not chosen.
 */
static bool read_level(const char *text, size_t length,
		       enum hccl_algorithm levels[3])
{
	const size_t skip = sizeof("level0:") - 1;

	if (length <= skip || strncmp(text, "level", 5) || text[5] < '0' ||
	    text[5] > '2' || text[6] != ':')
		return false;
	for (size_t i = 0; i < COUNT(names); i++) {
		if (!is_word(text + skip, length - skip, names[i].name))
			continue;
		levels[text[5] - '0'] = names[i].algorithm;
		return true;
	}
	return false;
}

/* Read all levels up to @end; returns the one that is not valid, or NULL. */
static const char *read_levels(const char *text, const char *end,
			       enum hccl_algorithm *algorithm)
{
	enum hccl_algorithm levels[3] = { HCCL_MESH, HCCL_MESH, HCCL_MESH };

	for (;;) {
		size_t length = strcspn(text, ";/");

		if (text + length > end)
			length = (size_t)(end - text);
		if (!read_level(text, length, levels))
			return text;
		text += length;
		if (text == end)
			break;
		text++;
	}
	*algorithm = levels[1] ? levels[1] : levels[0];
	return NULL;
}

static const char *read_operation(const char *text, const char *end,
				  uint8_t algorithms[])
{
	size_t length = strcspn(text, "=");
	enum hccl_algorithm algorithm;
	const char *bad;

	for (size_t i = 0; i < COUNT(operations); i++) {
		if (!is_word(text, length, operations[i].name))
			continue;
		bad = read_levels(text + length + 1, end, &algorithm);
		for (size_t j = 0; !bad && j < 3; j++)
			if (operations[i].kinds[j])
				algorithms[operations[i].kinds[j]] =
					(uint8_t)algorithm;
		return bad;
	}
	return text;
}

const char *hccl_algorithms_read(const char *text, uint8_t algorithms[])
{
	enum hccl_algorithm algorithm;
	const char *bad, *end;

	if (!strchr(text, '=')) {
		bad = read_levels(text, text + strlen(text), &algorithm);
		if (!bad)
			memset(algorithms, (int)algorithm, HCCL_KINDS);
		return bad;
	}
	for (;; text = end + 1) {
		end = text + strcspn(text, "/");
		bad = memchr(text, '=', (size_t)(end - text)) ?
		      read_operation(text, end, algorithms) : text;
		if (bad || !*end)
			return bad;
	}
}
