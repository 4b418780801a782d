// SPDX-License-Identifier: MIT
/* The calls that create communicators. */
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "init.h"

_Static_assert(sizeof(struct hccl_place) <= HCCL_ROOT_INFO_BYTES, "root info");

HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo)
{
	struct hccl_place place;
	HcclResult ret;

	if (!rootInfo)
		return HCCL_E_PTR;
	ret = hccl_place_random(&place);
	if (!ret)
		ret = hccl_meet_serve(&place, hccl_connect_seconds());
	if (ret)
		return ret;
	memset(rootInfo, 0, sizeof(*rootInfo));
	memcpy(rootInfo->internal, &place, sizeof(place));
	return HCCL_SUCCESS;
}

static HcclResult init_root_info(uint32_t ranks, const HcclRootInfo *info,
				 uint32_t rank, const HcclCommConfig *config,
				 HcclComm *comm)
{
	struct hccl_request request = {
		.ranks = ranks,
		.rank = rank,
		.handle = comm,
	};
	HcclResult ret;

	if (!info || !comm)
		return HCCL_E_PTR;
	memcpy(&request.place, info->internal, sizeof(request.place));
	if (!ranks || ranks > HCCL_RANKS_MAX || rank >= ranks ||
	    !hccl_place_is_valid(&request.place))
		return HCCL_E_PARA;
	ret = hccl_settings_get(config, &request.settings);
	return ret ? ret : hccl_group_create(&request);
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo *rootInfo,
				uint32_t rank, HcclComm *comm)
{
	return init_root_info(nRanks, rootInfo, rank, NULL, comm);
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks,
				      const HcclRootInfo *rootInfo,
				      uint32_t rank,
				      const HcclCommConfig *config,
				      HcclComm *comm)
{
	if (!config)
		return HCCL_E_PTR;
	return init_root_info(nRanks, rootInfo, rank, config, comm);
}

/* One rank of HcclCommInitAll(). */
struct one {
	pthread_t thread;
	const HcclRootInfo *info;
	int32_t device;
	uint32_t rank;
	uint32_t ranks;
	HcclComm comm;
	HcclResult result;
};

static void *init_one(void *arg)
{
	struct one *one = arg;

	one->result = aclrtSetDevice(one->device) ? HCCL_E_RUNTIME :
		      init_root_info(one->ranks, one->info, one->rank, NULL,
				     &one->comm);
	return NULL;
}

static HcclResult init_all(struct one *all, uint32_t count)
{
	HcclResult ret = HCCL_SUCCESS;
	uint32_t started = 0;

	while (started < count &&
	       !pthread_create(&all[started].thread, NULL, init_one,
			       &all[started]))
		started++;
	for (uint32_t i = 0; i < started; i++) {
		pthread_join(all[i].thread, NULL);
		if (!ret)
			ret = all[i].result;
	}
	if (started < count)
		ret = HCCL_E_SYSCALL;
	for (uint32_t i = 0; i < count && ret; i++)
		if (all[i].comm)
			HcclCommDestroy(all[i].comm);
	return ret;
}

HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms)
{
	HcclRootInfo info;
	uint32_t known = 0;
	struct one *all;
	HcclResult ret;

	if (!devices || !comms)
		return HCCL_E_PTR;
	if (!ndev || ndev > HCCL_RANKS_MAX || aclrtGetDeviceCount(&known))
		return HCCL_E_PARA;
	for (uint32_t i = 0; i < ndev; i++) {
		if (devices[i] < 0 || (uint32_t)devices[i] >= known)
			return HCCL_E_PARA;
		for (uint32_t j = 0; j < i; j++)
			if (devices[i] == devices[j])
				return HCCL_E_PARA;
	}
	ret = HcclGetRootInfo(&info);
	if (ret)
		return ret;
	all = calloc(ndev, sizeof(*all));
	if (!all)
		return HCCL_E_MEMORY;
	for (uint32_t i = 0; i < ndev; i++)
		all[i] = (struct one){ .info = &info, .device = devices[i],
				       .rank = i, .ranks = ndev };
	ret = init_all(all, ndev);
	for (uint32_t i = 0; i < ndev && !ret; i++)
		comms[i] = all[i].comm;
	free(all);
	return ret;
}

HcclResult hccl_init_derived(struct hccl_request *request,
			     const HcclCommConfig *config)
{
	HcclResult ret = hccl_settings_get(config, &request->settings);

	request->wait_server = true;
	if (!ret && !request->rank)
		ret = hccl_meet_serve(&request->place, hccl_connect_seconds());
	if (!ret)
		return hccl_group_create(request);
	if (request->parent)
		hccl_comm_put(request->parent);
	return ret;
}

static HcclResult init_cluster(const char *path, uint32_t rank,
			       const HcclCommConfig *config, HcclComm *comm)
{
	struct hccl_request request = { .rank = rank, .handle = comm };
	int32_t current, physical;
	unsigned int device;
	HcclResult ret;

	if (!path || !comm)
		return HCCL_E_PTR;
	ret = hccl_table_read(path, rank, &request.ranks, &device,
			      &request.place);
	if (ret)
		return ret;
	if (aclrtGetDevice(&current) ||
	    aclrtGetPhyDevIdByLogicDevId(current, &physical))
		return HCCL_E_RUNTIME;
	if ((unsigned int)physical != device) {
		aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__,
			  "rank %u has device %u in rank table %s, but the current device is %d",
			  rank, device, path, physical);
		return HCCL_E_PARA;
	}
	return hccl_init_derived(&request, config);
}

HcclResult HcclCommInitClusterInfo(const char *clusterInfo, uint32_t rank,
				   HcclComm *comm)
{
	return init_cluster(clusterInfo, rank, NULL, comm);
}

HcclResult HcclCommInitClusterInfoConfig(const char *clusterInfo, uint32_t rank,
					 HcclCommConfig *config, HcclComm *comm)
{
	if (!config)
		return HCCL_E_PTR;
	return init_cluster(clusterInfo, rank, config, comm);
}

/* Check the ranks, and derive the place from the other communicator's. */
static HcclResult sub_place(const struct hccl_comm *comm, uint32_t count,
			    const uint32_t ids[], uint64_t id,
			    struct hccl_place *place)
{
	struct {
		uint64_t id;
		uint32_t ids[HCCL_RANKS_MAX];
	} seed;

	memset(&seed, 0, sizeof(seed));
	seed.id = id;
	for (uint32_t i = 0; i < count; i++) {
		if (ids[i] >= comm->ranks)
			return HCCL_E_PARA;
		for (uint32_t j = 0; j < i; j++)
			if (ids[i] == ids[j])
				return HCCL_E_PARA;
		seed.ids[i] = ids[i] + 1;
	}
	hccl_place_derive(place, comm->place.token, &seed, sizeof(seed),
			  comm->place.same_user);
	return HCCL_SUCCESS;
}

HcclResult HcclCreateSubCommConfig(HcclComm *handle, uint32_t rankNum,
				   uint32_t *rankIds, uint64_t subCommId,
				   uint32_t subCommRankId,
				   HcclCommConfig *config, HcclComm *subComm)
{
	struct hccl_request request = {
		.ranks = rankNum,
		.rank = subCommRankId,
		.handle = subComm,
	};
	struct hccl_comm *comm;
	HcclResult ret;

	if (!handle || !*handle || !subComm)
		return HCCL_E_PTR;
	comm = hccl_comm_get(*handle);
	if (!comm)
		return HCCL_E_PARA;
	if (subCommRankId == UINT32_MAX) {
		*subComm = NULL;
		hccl_comm_put(comm);
		return HCCL_SUCCESS;
	}
	if (!rankIds || !config)
		ret = HCCL_E_PTR;
	else if (!rankNum || rankNum > comm->ranks ||
		 subCommRankId >= rankNum ||
		 rankIds[subCommRankId] != comm->rank)
		ret = HCCL_E_PARA;
	else
		ret = sub_place(comm, rankNum, rankIds, subCommId,
				&request.place);
	if (ret) {
		hccl_comm_put(comm);
		return ret;
	}
	for (uint32_t i = 0; i < rankNum; i++)
		request.ids[i] = (uint8_t)rankIds[i];
	request.parent = comm;
	return hccl_init_derived(&request, config);
}
