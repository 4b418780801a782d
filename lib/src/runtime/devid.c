// SPDX-License-Identifier: MIT
/*
 * Numbers and names of devices.
 *
 * The user's number is the position in ASCEND_RT_VISIBLE_DEVICES; the logical
 * and the physical number are both the driver's.  CANN documents that two of
 * these calls name the user's number "logical".
 */
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "io/io.h"
#include "device.h"

static aclError to_driver(const char *call, int32_t user, int32_t *driver)
{
	uint32_t device;
	aclError ret = vnpu_device_resolve(call, user, &device);

	if (!ret)
		*driver = device;
	return ret;
}

static aclError to_user(const char *call, int32_t driver, int32_t *user)
{
	int32_t number;
	uint32_t count;
	aclError ret = vnpu_device_count_get(call, &count);

	if (ret)
		return ret;
	number = vnpu_device_user_number(driver);
	if (number < 0)
		return vnpu_error(ACL_ERROR_RT_INVALID_DEVICEID, call,
			"%d is not the number of a visible device (see ASCEND_RT_VISIBLE_DEVICES)",
			driver);
	*user = number;
	return ACL_SUCCESS;
}

aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid,
				       int32_t *const logicDevId)
{
	if (!logicDevId)
		return vnpu_error_null(__func__, "logicDevId");
	return to_driver(__func__, userDevid, logicDevId);
}

aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId,
				       int32_t *const userDevid)
{
	if (!userDevid)
		return vnpu_error_null(__func__, "userDevid");
	return to_user(__func__, logicDevId, userDevid);
}

aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId,
				      int32_t *const logicDevId)
{
	if (!logicDevId)
		return vnpu_error_null(__func__, "logicDevId");
	return to_user(__func__, phyDevId, logicDevId);
}

aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId,
				      int32_t *const phyDevId)
{
	if (!phyDevId)
		return vnpu_error_null(__func__, "phyDevId");
	return to_driver(__func__, logicDevId, phyDevId);
}

aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId,
				     int32_t *const userDevId)
{
	if (!userDevId)
		return vnpu_error_null(__func__, "userDevId");
	return to_user(__func__, phyDevId, userDevId);
}

aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId,
				     int32_t *const phyDevId)
{
	if (!phyDevId)
		return vnpu_error_null(__func__, "phyDevId");
	return to_driver(__func__, userDevId, phyDevId);
}

aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid)
{
	struct vnpu_io_device info;
	aclError ret;

	if (!uuid)
		return vnpu_error_null(__func__, "uuid");
	ret = vnpu_device_query_user(__func__, deviceId, &info);
	if (!ret)
		memcpy(uuid->bytes, info.uuid, sizeof(uuid->bytes));
	return ret;
}

#define BUS_ID_MIN	13	/* dddd:bb:dd.f and a NUL, as CANN requires */

aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char *pciBusId, int32_t len)
{
	struct vnpu_io_device info;
	aclError ret;

	if (!pciBusId)
		return vnpu_error_null(__func__, "pciBusId");
	ret = vnpu_device_query_user(__func__, deviceId, &info);
	if (ret)
		return ret;
	if (len < BUS_ID_MIN || (size_t)len <= strlen(info.bus_id))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, __func__,
			"len = %d bytes are too short for a bus id; pass at least %d",
			len, BUS_ID_MIN);
	strcpy(pciBusId, info.bus_id);
	return ACL_SUCCESS;
}

/* Compare bus ids: a missing domain means domain 0, and case is ignored. */
static bool is_bus_id(const char *text, const char *bus_id)
{
	const char *colon = strchr(text, ':');

	if (colon && !strchr(colon + 1, ':')) {
		while (*bus_id == '0')
			bus_id++;
		return *bus_id == ':' && !strcasecmp(text, bus_id + 1);
	}
	return !strcasecmp(text, bus_id);
}

aclError aclrtDeviceGetByPCIBusId(const char *pciBusId, int32_t *deviceId)
{
	struct vnpu_io_device info;
	uint32_t count;
	aclError ret;

	if (!pciBusId)
		return vnpu_error_null(__func__, "pciBusId");
	if (!deviceId)
		return vnpu_error_null(__func__, "deviceId");
	ret = vnpu_device_count_get(__func__, &count);
	if (ret)
		return ret;

	for (uint32_t i = 0; i < count; i++) {
		ret = vnpu_device_query_user(__func__, i, &info);
		if (ret)
			return ret;
		if (is_bus_id(pciBusId, info.bus_id)) {
			*deviceId = i;
			return ACL_SUCCESS;
		}
	}
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, __func__,
		"pciBusId = \"%s\" is not the address of a visible device; aclrtDeviceGetPCIBusId returns the addresses",
		pciBusId);
}

aclError aclrtDeviceGetBareTgid(int32_t *pid)
{
	if (!pid)
		return vnpu_error_null(__func__, "pid");
	*pid = getpid();
	return ACL_SUCCESS;
}
