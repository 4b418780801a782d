// SPDX-License-Identifier: MIT
/* The short calls of hccl_ext.h. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hccl/hccl_ext.h"

#include "algorithm.h"
#include "comm.h"
#include "init.h"

/* The names in HCCL_ALGO. */
static const char *const names[] = {
	[HCCL_ALGO_MESH] = "fullmesh",
	[HCCL_ALGO_RING] = "ring",
	[HCCL_ALGO_HD] = "H-D_R",
	[HCCL_ALGO_NHR] = "NHR",
	[HCCL_ALGO_NB2] = "NB",
};

static bool is_algorithm(hcclAlgo_t algorithm)
{
	return (unsigned int)algorithm < sizeof(names) / sizeof(names[0]);
}

HcclResult hcclSetAlgorithm(hcclAlgo_t algorithm)
{
	char text[32] = "";

	if (!is_algorithm(algorithm))
		return HCCL_E_PARA;
	if (algorithm != HCCL_ALGO_DEFAULT)
		snprintf(text, sizeof(text), "level1:%s", names[algorithm]);
	hccl_settings_set_algorithm(text);
	return HCCL_SUCCESS;
}

/* Programs of other sessions have communicators of the same name. */
static void world_place(struct hccl_place *place, const char *world,
			uint32_t ranks)
{
	struct {
		char name[COMM_NAME_MAX_LENGTH];
		uint32_t ranks;
		int32_t user;
		int32_t session;
	} seed;

	memset(&seed, 0, sizeof(seed));
	strcpy(seed.name, world);
	seed.ranks = ranks;
	seed.user = (int32_t)getuid();
	seed.session = (int32_t)getsid(0);
	hccl_place_derive(place, NULL, &seed, sizeof(seed), true);
}

HcclResult hcclCommInitRank(HcclComm *comm, uint32_t worldSize, uint32_t rank,
			    const char *world, hcclAlgo_t config)
{
	struct hccl_request request = {
		.ranks = worldSize,
		.rank = rank,
		.handle = comm,
	};
	HcclCommConfig settings;

	if (!comm || !world)
		return HCCL_E_PTR;
	if (!worldSize || worldSize > HCCL_RANKS_MAX || rank >= worldSize ||
	    !*world || strlen(world) >= COMM_NAME_MAX_LENGTH ||
	    !is_algorithm(config))
		return HCCL_E_PARA;
	HcclCommConfigInit(&settings);
	if (config != HCCL_ALGO_DEFAULT)
		snprintf(settings.hcclAlgo, sizeof(settings.hcclAlgo),
			 "level1:%s", names[config]);
	world_place(&request.place, world, worldSize);
	return hccl_init_derived(&request, &settings);
}

/* Make the stream and the events of the communicator; under the call lock. */
static aclError aside_make(struct hccl_aside *aside)
{
	aclError ret = ACL_SUCCESS;

	if (!aside->begin)
		ret = aclrtCreateEventExWithFlag(&aside->begin, ACL_EVENT_SYNC);
	if (!ret && !aside->end)
		ret = aclrtCreateEventExWithFlag(&aside->end, ACL_EVENT_SYNC);
	if (!ret && !aside->stream)
		ret = aclrtCreateStream(&aside->stream);
	return ret;
}

/* Let the communicator's stream wait for the default stream. */
static HcclResult aside_begin(struct hccl_comm *comm, aclrtStream *stream)
{
	struct hccl_aside *aside = &comm->aside;
	aclError ret;

	pthread_mutex_lock(&comm->call_lock);
	ret = aside_make(aside);
	if (!ret)
		ret = aclrtRecordEvent(aside->begin, NULL);
	if (!ret)
		ret = aclrtStreamWaitEvent(aside->stream, aside->begin);
	*stream = aside->stream;
	pthread_mutex_unlock(&comm->call_lock);
	return ret ? HCCL_E_RUNTIME : HCCL_SUCCESS;
}

HcclResult hcclAllReduceAsync(void *sendBuf, void *recvBuf, uint64_t count,
			      HcclDataType dataType, HcclReduceOp op,
			      HcclComm handle, aclrtStream stream)
{
	struct hccl_comm *comm;
	HcclResult ret;

	ret = hccl_comm_lookup(handle, &comm);
	if (ret)
		return ret;
	ret = stream ? HCCL_SUCCESS : aside_begin(comm, &stream);
	if (!ret)
		ret = HcclAllReduce(sendBuf, recvBuf, count, dataType, op,
				    handle, stream);
	hccl_comm_put(comm);
	return ret;
}

HcclResult hcclWait(HcclComm handle)
{
	struct hccl_aside *aside;
	struct hccl_comm *comm;
	aclError err = ACL_SUCCESS;
	HcclResult ret;

	ret = hccl_comm_lookup(handle, &comm);
	if (ret)
		return ret;
	aside = &comm->aside;
	pthread_mutex_lock(&comm->call_lock);
	if (aside->stream) {
		err = aclrtRecordEvent(aside->end, aside->stream);
		if (!err)
			err = aclrtStreamWaitEvent(NULL, aside->end);
	}
	pthread_mutex_unlock(&comm->call_lock);
	ret = (HcclResult)comm->result;
	if (!ret && err)
		ret = HCCL_E_RUNTIME;
	hccl_comm_put(comm);
	return ret;
}
