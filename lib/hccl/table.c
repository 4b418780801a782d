// SPDX-License-Identifier: MIT
/*
 * Rank tables: JSON files that list servers, their devices and the ranks of these.
 * All numbers in them are strings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "comm.h"

static HcclResult bad(const char *path, const char *reason)
{
	aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__,
		  "rank table %s: %s", path, reason);
	return HCCL_E_PARA;
}

static const char *text_of(json_object *object, const char *name)
{
	json_object *value;

	if (!json_object_object_get_ex(object, name, &value) ||
	    !json_object_is_type(value, json_type_string))
		return NULL;
	return json_object_get_string(value);
}

static json_object *array_of(json_object *object, const char *name)
{
	json_object *value;

	if (!json_object_object_get_ex(object, name, &value) ||
	    !json_object_is_type(value, json_type_array))
		return NULL;
	return value;
}

static bool number_of(json_object *object, const char *name,
		      unsigned int max, unsigned int *number)
{
	const char *text = text_of(object, name);
	unsigned long value;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (*end || errno || value > max)
		return false;
	*number = (unsigned int)value;
	return true;
}

/* Collect the devices by rank, each once. */
static const char *read_devices(json_object *list, int devices[],
				unsigned int *count)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *item = json_object_array_get_idx(list, i);
		unsigned int device, rank;

		if (!json_object_is_type(item, json_type_object) ||
		    !number_of(item, "device_id", INT32_MAX, &device) ||
		    !number_of(item, "rank_id", HCCL_RANKS_MAX - 1, &rank))
			return "a device needs \"device_id\" and \"rank_id\", which are strings with a number";
		if (devices[rank] >= 0)
			return "a rank_id occurs twice";
		for (unsigned int r = 0; r < HCCL_RANKS_MAX; r++)
			if (devices[r] == (int)device)
				return "a device_id occurs twice";
		devices[rank] = (int)device;
		++*count;
	}
	return NULL;
}

static const char *read_table(json_object *table, int devices[],
			      unsigned int *count)
{
	const char *status, *problem;
	json_object *servers, *list;

	if (!json_object_is_type(table, json_type_object))
		return "it is not a JSON object";
	status = text_of(table, "status");
	if (!status || strcmp(status, "completed"))
		return "\"status\" is not \"completed\"";
	servers = array_of(table, "server_list");
	if (!servers)
		return "it has no \"server_list\"";
	if (json_object_array_length(servers) != 1)
		return "it must have one server, since this is one host";
	list = array_of(json_object_array_get_idx(servers, 0), "device");
	if (!list)
		return "the server has no list \"device\"";
	problem = read_devices(list, devices, count);
	if (problem)
		return problem;
	for (unsigned int r = 0; r < *count; r++)
		if (devices[r] < 0)
			return "the ranks are not numbered from 0 without gaps";
	return *count ? NULL : "it has no ranks";
}

HcclResult hccl_table_read(const char *path, unsigned int rank,
			   unsigned int *ranks, unsigned int *device,
			   struct hccl_place *place)
{
	int devices[HCCL_RANKS_MAX];
	const char *problem, *text;
	json_object *table;

	if (access(path, R_OK))
		return HCCL_E_OPEN_FILE_FAILURE;
	table = json_object_from_file(path);
	if (!table)
		return bad(path, "it is not valid JSON");
	memset(devices, 0xff, sizeof(devices));
	*ranks = 0;
	problem = read_table(table, devices, ranks);
	if (!problem && rank >= *ranks)
		problem = "the rank is not in it";
	if (!problem) {
		/* Ranks may have copies that differ in spaces. */
		text = json_object_to_json_string_ext(table,
						      JSON_C_TO_STRING_PLAIN);
		hccl_place_derive(place, NULL, text, strlen(text), true);
		*device = (unsigned int)devices[rank];
	}
	json_object_put(table);
	return problem ? bad(path, problem) : HCCL_SUCCESS;
}
