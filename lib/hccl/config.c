// SPDX-License-Identifier: MIT
/* The environment, configurations, and the names of results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm.h"
#include "comm.h"

#define CONNECT_SECONDS		120
#define CONNECT_SECONDS_MAX	7200
#define EXECUTE_SECONDS		1836
#define EXECUTE_SECONDS_MAX	2147483647
#define BUFFER_MB_MAX		65536

/* The reserved bytes of a configuration. */
struct head {
	uint64_t size;
	uint32_t magic;
	uint32_t version;
	uint64_t reserved;
};

_Static_assert(sizeof(struct head) == HCCL_COMM_CONFIG_INFO_BYTES, "head");

/* Read a number from the environment; log one that is out of range. */
static uint64_t environment(const char *name, uint64_t min, uint64_t max,
			    uint64_t standard)
{
	const char *text = getenv(name);
	unsigned long long value;
	char *end;

	if (!text || !*text)
		return standard;
	value = strtoull(text, &end, 10);
	if (*end || *text == '-' || value < min || value > max) {
		aclAppLog(ACL_WARNING, __func__, __FILE__, __LINE__,
			  "%s=%s is not a number from %llu to %llu; %llu is used",
			  name, text, (unsigned long long)min,
			  (unsigned long long)max,
			  (unsigned long long)standard);
		return standard;
	}
	return value;
}

unsigned int hccl_connect_seconds(void)
{
	/* CANN asks for at least 120; tests need less. */
	return (unsigned int)environment("HCCL_CONNECT_TIMEOUT", 1,
					 CONNECT_SECONDS_MAX, CONNECT_SECONDS);
}

static HcclResult read_algorithms(const char *source, const char *text,
				  struct hccl_settings *settings)
{
	const char *bad = hccl_algorithms_read(text, settings->algorithms);

	if (!bad)
		return HCCL_SUCCESS;
	aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__,
		  "%s=%s is not valid from \"%s\" on; use level0:NA;level1:ALGORITHM with ring, H-D_R, NHR or NB, or OPERATION= before it and / between operations",
		  source, text, bad);
	return HCCL_E_PARA;
}

static pthread_mutex_t chosen_lock = PTHREAD_MUTEX_INITIALIZER;
static char chosen[32];		/* "" for that of HCCL_ALGO; under the lock */

void hccl_settings_set_algorithm(const char *text)
{
	pthread_mutex_lock(&chosen_lock);
	snprintf(chosen, sizeof(chosen), "%s", text);
	pthread_mutex_unlock(&chosen_lock);
}

static HcclResult from_environment(struct hccl_settings *settings)
{
	const char *algorithms = getenv("HCCL_ALGO");
	char text[sizeof(chosen)];

	memset(settings, 0, sizeof(*settings));
	settings->buffer_size = environment("HCCL_BUFFSIZE", 1, BUFFER_MB_MAX,
		HCCL_COMM_DEFAULT_BUFFSIZE) << 20;
	settings->execute_ms = environment("HCCL_EXEC_TIMEOUT", 0,
		EXECUTE_SECONDS_MAX, EXECUTE_SECONDS) * 1000;
	pthread_mutex_lock(&chosen_lock);
	memcpy(text, chosen, sizeof(text));
	pthread_mutex_unlock(&chosen_lock);
	if (*text)
		return read_algorithms("hcclSetAlgorithm", text, settings);
	if (!algorithms || !*algorithms)
		return HCCL_SUCCESS;
	return read_algorithms("HCCL_ALGO", algorithms, settings);
}

static bool has_end(const char text[], size_t size)
{
	return memchr(text, 0, size);
}

static HcclResult from_config(const HcclCommConfig *config,
			      struct hccl_settings *settings)
{
	if (config->hcclBufferSize != HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET) {
		if (!config->hcclBufferSize ||
		    config->hcclBufferSize > BUFFER_MB_MAX)
			return HCCL_E_PARA;
		settings->buffer_size = (uint64_t)config->hcclBufferSize << 20;
	}
	if (config->hcclExecTimeOut != HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET) {
		if (config->hcclExecTimeOut < 0)
			return HCCL_E_PARA;
		settings->execute_ms =
			(uint64_t)config->hcclExecTimeOut * 1000;
	}
	if (!has_end(config->hcclCommName, sizeof(config->hcclCommName)) ||
	    !has_end(config->hcclAlgo, sizeof(config->hcclAlgo)))
		return HCCL_E_PARA;
	strcpy(settings->name, config->hcclCommName);
	if (!*config->hcclAlgo)
		return HCCL_SUCCESS;
	memset(settings->algorithms, HCCL_MESH, sizeof(settings->algorithms));
	return read_algorithms("hcclAlgo", config->hcclAlgo, settings);
}

HcclResult hccl_settings_get(const HcclCommConfig *config,
			     struct hccl_settings *settings)
{
	HcclResult ret = from_environment(settings);
	HcclCommConfig copy;
	struct head head;

	if (ret || !config)
		return ret;
	memcpy(&head, config->reserved, sizeof(head));
	if (head.magic != HCCL_COMM_CONFIG_MAGIC_WORD ||
	    head.size < sizeof(head))
		return HCCL_E_PARA;
	HcclCommConfigInit(&copy);
	memcpy((char *)&copy + sizeof(head), (const char *)config + sizeof(head),
	       (head.size < sizeof(copy) ? head.size : sizeof(copy)) -
	       sizeof(head));
	return from_config(&copy, settings);
}

void HcclCommConfigInit(HcclCommConfig *config)
{
	const struct head head = {
		.size = sizeof(*config),
		.magic = HCCL_COMM_CONFIG_MAGIC_WORD,
		.version = HCCL_COMM_CONFIG_VERSION,
	};

	if (!config)
		return;
	memset(config, 0, sizeof(*config));
	memcpy(config->reserved, &head, sizeof(head));
	config->hcclBufferSize = HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET;
	config->hcclDeterministic = HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET;
	config->hcclRdmaTrafficClass = 0xffffffffU;
	config->hcclRdmaServiceLevel = 0xffffffffU;
	config->hcclExecTimeOut = HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET;
	config->hcclQos = 0xffffffffU;
}

uint32_t HcclGetCommConfigCapability(void)
{
	return HCCL_COMM_CONFIG_RESERVED;
}

HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue)
{
	if (config != HCCL_DETERMINISTIC || configValue.value < 0 ||
	    configValue.value > 2)
		return HCCL_E_PARA;
	return HCCL_SUCCESS;
}

HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue *configValue)
{
	if (!configValue)
		return HCCL_E_PTR;
	if (config != HCCL_DETERMINISTIC)
		return HCCL_E_PARA;
	configValue->value = 1;
	return HCCL_SUCCESS;
}

HcclResult HcclConfigGetInfo(HcclComm handle, HcclConfigType cfgType,
			     uint32_t infoLen, void *info)
{
	const HcclConfigTypeOpExpansionMode mode = HCCL_OP_EXPANSION_MODE_HOST;
	struct hccl_comm *comm;

	if (!handle || !info)
		return HCCL_E_PTR;
	if (cfgType != HCCL_CONFIG_TYPE_OP_EXPANSION_MODE ||
	    infoLen != sizeof(mode))
		return HCCL_E_PARA;
	comm = hccl_comm_get(handle);
	if (!comm)
		return HCCL_E_PARA;
	hccl_comm_put(comm);
	memcpy(info, &mode, sizeof(mode));
	return HCCL_SUCCESS;
}

const char *HcclGetErrorString(HcclResult code)
{
	static const char *const names[] = {
		[HCCL_SUCCESS] = "no error",
		[HCCL_E_PARA] = "invalid argument",
		[HCCL_E_PTR] = "NULL pointer",
		[HCCL_E_MEMORY] = "out of memory",
		[HCCL_E_INTERNAL] = "internal error",
		[HCCL_E_NOT_SUPPORT] = "not supported",
		[HCCL_E_NOT_FOUND] = "not found",
		[HCCL_E_UNAVAIL] = "resource unavailable",
		[HCCL_E_SYSCALL] = "system call failed",
		[HCCL_E_TIMEOUT] = "timeout",
		[HCCL_E_OPEN_FILE_FAILURE] = "cannot open file",
		[HCCL_E_TCP_CONNECT] = "cannot connect to the other ranks",
		[HCCL_E_ROCE_CONNECT] = "RoCE connection failed",
		[HCCL_E_TCP_TRANSFER] = "TCP transfer failed",
		[HCCL_E_ROCE_TRANSFER] = "RoCE transfer failed",
		[HCCL_E_RUNTIME] = "runtime call failed",
		[HCCL_E_DRV] = "driver call failed",
		[HCCL_E_PROFILING] = "profiling call failed",
		[HCCL_E_CCE] = "CCE call failed",
		[HCCL_E_NETWORK] = "network call failed",
		[HCCL_E_AGAIN] = "try again",
		[HCCL_E_REMOTE] = "another rank failed or ended",
		[HCCL_E_SUSPENDING] = "communicator is suspended",
		[HCCL_E_OPRETRY_FAIL] = "retry failed",
		[HCCL_E_OOM] = "out of device memory",
	};

	if (code == HCCL_E_IN_STATUS)
		return "error in status";
	if ((unsigned int)code < sizeof(names) / sizeof(names[0]))
		return names[code];
	return "unknown error";
}
