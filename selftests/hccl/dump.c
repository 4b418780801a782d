// SPDX-License-Identifier: GPL-2.0-only
/* Collectives while aclmdlSetDump() has operators recorded. */
#include "operations.h"

/*
 * Sums of bf16 are made of operators, which the communicator's thread launches.  A
 * dump would wait there for streams that wait for other ranks.
 */
static void reduce_with_dump(struct rank *rank)
{
	char folder[] = "/tmp/vnpu-hccl-dump-XXXXXX", path[64];
	uint16_t value = (uint16_t[]){ 0x3f80, 0x4000, 0x4040 }[rank->number];
	void *p = device_buffer(sizeof(value));
	FILE *f;

	NEED(mkdtemp(folder), "no folder");
	snprintf(path, sizeof(path), "%s.json", folder);
	f = fopen(path, "w");
	NEED(f, "no file");
	fprintf(f, "{\"dump\": {\"dump_path\": \"%s\", \"dump_mode\": \"all\", \"dump_op_switch\": \"on\"}}",
		folder);
	fclose(f);
	NEED_OK(aclmdlInitDump());
	NEED_OK(aclmdlSetDump(path));
	NEED_OK(put_elements(p, &value, sizeof(value)));
	NEED_OK(HcclAllReduce(p, p, 1, HCCL_DATA_TYPE_BFP16, HCCL_REDUCE_SUM,
			      rank->comm, rank->stream));
	NEED_OK(aclrtSynchronizeStream(rank->stream));
	NEED_OK(aclrtMemcpy(&value, sizeof(value), p, sizeof(value),
			    ACL_MEMCPY_DEVICE_TO_HOST));
	NEED(value == 0x40c0, "the sum is %#x", value);
	NEED_OK(aclmdlFinalizeDump());
	NEED_OK(unlink(path));
	NEED(!rmdir(folder), "the folder is not empty");
	NEED_OK(aclrtFree(p));
}

TEST(a_dump_shows_no_parts_of_collectives)
{
	RUN_RANKS(3, true, reduce_with_dump, NULL);
}

TEST_HARNESS_MAIN
