// SPDX-License-Identifier: MIT
/*
 * Reports of records, as text and for programs: vnpu_profile_walk() and
 * vnpu_profile_write().
 *
 * Sets are copied under the lock and reported without it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/device_number.h"
#include "report.h"

#define LINE_MAX_BYTES	4352		/* a path, a function, two offsets */

static int by_bytes(const void *a, const void *b)
{
	VNPU_CALL();
	const struct vnpu_holding *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->site->number > y->site->number) -
	       (x->site->number < y->site->number);
}

static void holding_add(struct vnpu_holdings *holdings,
			const struct vnpu_site *site, uint64_t blocks,
			uint64_t bytes)
{
	struct vnpu_holding *holding = &holdings->each[site->number - 1];

	holding->site = site;
	holding->blocks += blocks;
	holding->bytes += bytes;
	holdings->blocks += blocks;
	holdings->bytes += bytes;
}

bool vnpu_holdings_init(struct vnpu_holdings *holdings,
			const struct vnpu_record *records, size_t count,
			bool with_reset)
{
	const struct vnpu_site *site;
	uint32_t nr_sites = 0;

	*holdings = (struct vnpu_holdings){ 0 };
	while (vnpu_site_next(nr_sites))
		nr_sites++;
	holdings->each = calloc(nr_sites + 1, sizeof(*holdings->each));
	if (!holdings->each)
		return false;
	for (size_t i = 0; i < count; i++)
		holding_add(holdings, records[i].site, 1, records[i].size);
	for (uint32_t i = 0; with_reset && i < nr_sites; i++) {
		site = vnpu_site_next(i);
		if (site->reset_blocks)
			holding_add(holdings, site, site->reset_blocks,
				    site->reset_bytes);
	}

	for (uint32_t i = 0; i < nr_sites; i++)
		if (holdings->each[i].blocks)
			holdings->each[holdings->count++] = holdings->each[i];
	qsort(holdings->each, holdings->count, sizeof(*holdings->each),
	      by_bytes);
	return true;
}

void vnpu_holdings_fini(struct vnpu_holdings *holdings)
{
	free(holdings->each);
}

void vnpu_holdings_print(const struct vnpu_holdings *holdings,
			 struct vnpu_symbols *symbols, FILE *file)
{
	char line[LINE_MAX_BYTES];

	for (size_t i = 0; i < holdings->count; i++) {
		const struct vnpu_holding *holding = &holdings->each[i];
		const struct vnpu_site *site = holding->site;
		size_t frame = vnpu_symbols_skip(symbols, site->frames,
						 site->nr_frames);

		fprintf(file, "%llu bytes in %llu block%s%s%s\n",
			(unsigned long long)holding->bytes,
			(unsigned long long)holding->blocks,
			holding->blocks == 1 ? "" : "s",
			*site->tag ? ", tag " : "", site->tag);
		for (; frame < site->nr_frames; frame++) {
			vnpu_symbols_text(symbols, site->frames[frame], line,
					  sizeof(line));
			fprintf(file, "    %s\n", line);
		}
	}
	if (holdings->count)
		fprintf(file, "Source lines: addr2line -Cfie FILE OFFSET\n");
}

static const char *const set_names[] = {
	[VNPU_PROFILE_LIVE]	= "not freed",
	[VNPU_PROFILE_PEAK]	= "alive at the peak",
	[VNPU_PROFILE_ALL]	= "remembered",
};

/* A set, and its totals. */
struct snapshot {
	struct vnpu_record *records;
	size_t count;
	struct vnpu_holdings holdings;
};

static void snapshot_drop(struct snapshot *snapshot)
{
	vnpu_holdings_fini(&snapshot->holdings);
	free(snapshot->records);
}

static aclError snapshot_take(vnpu_profile_set set, int64_t device,
			      struct snapshot *snapshot)
{
	bool has_sums = false;

	if ((unsigned int)set >= ARRAY_SIZE(set_names))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"set = %d is not known; use VNPU_PROFILE_LIVE, _PEAK or _ALL",
			set);
	*snapshot = (struct snapshot){ 0 };
	vnpu_profile_lock();
	snapshot->records = vnpu_record_copy(set, device, &snapshot->count);
	if (snapshot->records)
		has_sums = vnpu_holdings_init(&snapshot->holdings,
					      snapshot->records,
					      snapshot->count, false);
	vnpu_profile_unlock();
	if (has_sums)
		return ACL_SUCCESS;
	snapshot_drop(snapshot);
	return vnpu_error(ACL_ERROR_BAD_ALLOC,
			  "no host memory for a copy of the set");
}

static aclError walk(int64_t device, vnpu_profile_set set,
		     vnpu_profile_block_fn fn, void *arg)
{
	struct snapshot snapshot;
	aclError ret;

	if (!fn)
		return vnpu_error_null("fn");
	ret = snapshot_take(set, device, &snapshot);
	if (ret)
		return ret;
	for (size_t i = 0; i < snapshot.count; i++) {
		const struct vnpu_record *record = &snapshot.records[i];
		const struct vnpu_profile_block block = {
			.address = record->address,
			.size = record->size,
			.alloc_ns = record->alloc_ns,
			.free_ns = record->free_ns,
			.kind = record->kind,
			.device = vnpu_device_user_number(record->device),
			.stream = record->stream,
			.alloc_thread = record->alloc_thread,
			.free_thread = record->free_thread,
			.nr_frames = record->site->nr_frames,
			.frames = record->site->frames,
			.tag = record->site->tag,
		};

		fn(&block, arg);
	}
	snapshot_drop(&snapshot);
	return ACL_SUCCESS;
}

aclError vnpu_profile_walk(vnpu_profile_set set, vnpu_profile_block_fn fn,
			   void *arg)
{
	VNPU_CALL();

	return walk(VNPU_RECORD_ANY_DEVICE, set, fn, arg);
}

aclError vnpu_profile_walk_device(int32_t device, vnpu_profile_set set,
				  vnpu_profile_block_fn fn, void *arg)
{
	VNPU_CALL();
	uint32_t number;
	aclError ret = vnpu_device_resolve(device, &number);

	return ret ? ret : walk(number, set, fn, arg);
}

static void write_report(const struct snapshot *snapshot, vnpu_profile_set set,
			 struct vnpu_symbols *symbols, FILE *file)
{
	fprintf(file, "Device memory of %s that is %s: %llu bytes in %zu block%s\n\n",
		program_invocation_short_name, set_names[set],
		(unsigned long long)snapshot->holdings.bytes, snapshot->count,
		snapshot->count == 1 ? "" : "s");
	vnpu_holdings_print(&snapshot->holdings, symbols, file);
}

/* Write a line per power of two: from, to, blocks and bytes. */
static void write_histogram(const struct snapshot *snapshot, FILE *file)
{
	uint64_t blocks[64] = { 0 }, bytes[64] = { 0 };

	for (size_t i = 0; i < snapshot->count; i++) {
		uint64_t size = snapshot->records[i].size;
		int class = 63 - __builtin_clzll(size);

		blocks[class]++;
		bytes[class] += size;
	}
	fprintf(file, "%20s %20s %12s %20s\n", "from", "to", "blocks", "bytes");
	for (int i = 0; i < 64; i++) {
		if (!blocks[i])
			continue;
		fprintf(file, "%20llu %20llu %12llu %20llu\n", 1ULL << i,
			(2ULL << i) - 1, (unsigned long long)blocks[i],
			(unsigned long long)bytes[i]);
	}
}

/*
 * Write a name of a stack without the characters that separate names and lines.
 */
static void write_name(FILE *file, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';' || (unsigned char)*name < ' ' ? '_' : *name,
		      file);
}

static void write_frame(FILE *file, struct vnpu_symbols *symbols,
			const void *address)
{
	const struct vnpu_symbol *symbol = vnpu_symbols_get(symbols, address);
	const char *slash;

	if (symbol && symbol->function) {
		write_name(file, symbol->function);
	} else if (symbol && symbol->object) {
		slash = strrchr(symbol->object, '/');
		write_name(file, slash ? slash + 1 : symbol->object);
		fprintf(file, "+0x%llx",
			(unsigned long long)symbol->object_offset);
	} else {
		fprintf(file, "%p", address);
	}
}

/* Write stacks from the outermost frame on, with the tag in front. */
static void write_folded(const struct snapshot *snapshot,
			 struct vnpu_symbols *symbols, FILE *file)
{
	for (size_t i = 0; i < snapshot->holdings.count; i++) {
		const struct vnpu_holding *holding = &snapshot->holdings.each[i];
		const struct vnpu_site *site = holding->site;
		size_t skip = vnpu_symbols_skip(symbols, site->frames,
						site->nr_frames);

		write_name(file, *site->tag ? site->tag : "untagged");
		for (size_t j = site->nr_frames; j-- > skip;) {
			fputc(';', file);
			write_frame(file, symbols, site->frames[j]);
		}
		fprintf(file, " %llu\n", (unsigned long long)holding->bytes);
	}
}

static aclError write_set(vnpu_profile_format format, vnpu_profile_set set,
			  const struct snapshot *snapshot, FILE *file)
{
	struct vnpu_symbols *symbols = vnpu_symbols_create();
	bool is_complete = true;

	if (!symbols)
		return ACL_ERROR_BAD_ALLOC;
	switch (format) {
	case VNPU_PROFILE_REPORT:
		write_report(snapshot, set, symbols, file);
		break;
	case VNPU_PROFILE_HISTOGRAM:
		write_histogram(snapshot, file);
		break;
	case VNPU_PROFILE_FOLDED:
		write_folded(snapshot, symbols, file);
		break;
	case VNPU_PROFILE_TIMELINE:
		is_complete = vnpu_timeline_print(snapshot->records,
						  snapshot->count, file);
		break;
	}
	vnpu_symbols_destroy(symbols);
	if (!is_complete)
		return ACL_ERROR_BAD_ALLOC;
	return ferror(file) ? ACL_ERROR_WRITE_FILE : ACL_SUCCESS;
}

aclError vnpu_profile_write(vnpu_profile_format format, vnpu_profile_set set,
			    const char *path)
{
	VNPU_CALL();
	struct snapshot snapshot;
	aclError ret;
	FILE *file;

	if (!path)
		return vnpu_error_null("path");
	if ((unsigned int)format > VNPU_PROFILE_TIMELINE)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"format = %d is not known; use VNPU_PROFILE_REPORT, for instance",
			format);
	ret = snapshot_take(set, VNPU_RECORD_ANY_DEVICE, &snapshot);
	if (ret)
		return ret;
	file = fopen(path, "we");
	if (!file) {
		snapshot_drop(&snapshot);
		return vnpu_error(ACL_ERROR_INVALID_FILE,
			"path = \"%s\" cannot be created: %s", path,
			strerrordesc_np(errno));
	}
	ret = write_set(format, set, &snapshot, file);
	snapshot_drop(&snapshot);
	if (fclose(file) && !ret)
		ret = ACL_ERROR_WRITE_FILE;
	if (ret == ACL_ERROR_WRITE_FILE)
		return vnpu_error(ret,
			"\"%s\" cannot be written completely: %s", path,
			strerrordesc_np(errno));
	return ret ? vnpu_error(ret, "no host memory to write the set") :
	       ACL_SUCCESS;
}
