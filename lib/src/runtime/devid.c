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

static aclError to_driver(int32_t user, int32_t *driver)
{
	uint32_t device;
	aclError ret = vnpu_device_resolve(user, &device);

	if (!ret)
		*driver = device;
	return ret;
}

static aclError to_user(int32_t driver, int32_t *user)
{
	int32_t number;
	uint32_t count;
	aclError ret = vnpu_device_count_get(&count);

	if (ret)
		return ret;
	number = vnpu_device_user_number(driver);
	if (number < 0)
		return vnpu_error(ACL_ERROR_RT_INVALID_DEVICEID,
			"%d is not the number of a visible device (see ASCEND_RT_VISIBLE_DEVICES)",
			driver);
	*user = number;
	return ACL_SUCCESS;
}

aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid,
				       int32_t *const logicDevId)
{
	VNPU_CALL();

	if (!logicDevId)
		return vnpu_error_null("logicDevId");
	return to_driver(userDevid, logicDevId);
}

aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId,
				       int32_t *const userDevid)
{
	VNPU_CALL();

	if (!userDevid)
		return vnpu_error_null("userDevid");
	return to_user(logicDevId, userDevid);
}

aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId,
				      int32_t *const logicDevId)
{
	VNPU_CALL();

	if (!logicDevId)
		return vnpu_error_null("logicDevId");
	return to_user(phyDevId, logicDevId);
}

aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId,
				      int32_t *const phyDevId)
{
	VNPU_CALL();

	if (!phyDevId)
		return vnpu_error_null("phyDevId");
	return to_driver(logicDevId, phyDevId);
}

aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId,
				     int32_t *const userDevId)
{
	VNPU_CALL();

	if (!userDevId)
		return vnpu_error_null("userDevId");
	return to_user(phyDevId, userDevId);
}

aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId,
				     int32_t *const phyDevId)
{
	VNPU_CALL();

	if (!phyDevId)
		return vnpu_error_null("phyDevId");
	return to_driver(userDevId, phyDevId);
}

aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid)
{
	VNPU_CALL();
	struct vnpu_io_device info;
	aclError ret;

	if (!uuid)
		return vnpu_error_null("uuid");
	ret = vnpu_device_query_user(deviceId, &info);
	if (!ret)
		memcpy(uuid->bytes, info.uuid, sizeof(uuid->bytes));
	return ret;
}

#define BUS_ID_MIN	13	/* dddd:bb:dd.f and a NUL, as CANN requires */

aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char *pciBusId, int32_t len)
{
	VNPU_CALL();
	struct vnpu_io_device info;
	aclError ret;

	if (!pciBusId)
		return vnpu_error_null("pciBusId");
	ret = vnpu_device_query_user(deviceId, &info);
	if (ret)
		return ret;
	if (len < BUS_ID_MIN || (size_t)len <= strlen(info.bus_id))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
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
	VNPU_CALL();
	struct vnpu_io_device info;
	uint32_t count;
	aclError ret;

	if (!pciBusId)
		return vnpu_error_null("pciBusId");
	if (!deviceId)
		return vnpu_error_null("deviceId");
	ret = vnpu_device_count_get(&count);
	if (ret)
		return ret;

	for (uint32_t i = 0; i < count; i++) {
		ret = vnpu_device_query_user(i, &info);
		if (ret)
			return ret;
		if (is_bus_id(pciBusId, info.bus_id)) {
			*deviceId = i;
			return ACL_SUCCESS;
		}
	}
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"pciBusId = \"%s\" is not the address of a visible device; aclrtDeviceGetPCIBusId returns the addresses",
		pciBusId);
}

aclError aclrtDeviceGetBareTgid(int32_t *pid)
{
	VNPU_CALL();

	if (!pid)
		return vnpu_error_null("pid");
	*pid = getpid();
	return ACL_SUCCESS;
}
