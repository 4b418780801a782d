// SPDX-License-Identifier: MIT
/*
 * Parameters of a profiling session: aclprofSetConfig().
 *
 * Only ACL_PROF_STORAGE_LIMIT has an effect.  The others select counters that
 * this device does not have: their values are recorded, so that the file shows
 * what the program asked for.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/util.h"
#include "prof.h"

#define EVENT_BYTES		256	/* approximate size in the file */
#define MIN_LIMIT_MB		200
#define MAX_LIMIT_MB		4294967295ULL
#define MAX_FREQUENCY		10000	/* Hz, the largest of any product */

#define FREQUENCY(_name)		\
	[ACL_PROF_##_name] = { "ACL_PROF_" #_name, true }
#define TEXT(_name)			\
	[ACL_PROF_##_name] = { "ACL_PROF_" #_name, false }

static const struct parameter {
	const char *name;		/* NULL for an unknown one */
	bool is_frequency;
} parameters[VNPU_PROF_PARAMETERS] = {
	TEXT(STORAGE_LIMIT),
	FREQUENCY(SYS_HARDWARE_MEM_FREQ),
	TEXT(LLC_MODE),
	FREQUENCY(SYS_IO_FREQ),
	FREQUENCY(SYS_INTERCONNECTION_FREQ),
	FREQUENCY(DVPP_FREQ),
	TEXT(HOST_SYS),
	TEXT(HOST_SYS_USAGE),
	FREQUENCY(HOST_SYS_USAGE_FREQ),
	FREQUENCY(LOW_POWER_FREQ),
	TEXT(SYS_MEM_SERVICEFLOW),
	FREQUENCY(SYS_CPU_FREQ),
	TEXT(OPTYPE),
	TEXT(NTS_METRICS),
	TEXT(PATH),
};

/* Convert a decimal number; 0 if it is none or is not in @min to @max. */
static uint64_t number_of(const char *text, uint64_t min, uint64_t max)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(text, &end, 10);
	return !errno && *text >= '0' && *text <= '9' && !*end &&
	       number >= min && number <= max ? number : 0;
}

static aclError check_length(const char *config, size_t length)
{
	if (!config)
		return vnpu_error_null("config");
	if (length > VNPU_PROF_VALUE_MAX ||
	    strnlen(config, VNPU_PROF_VALUE_MAX + 1) != length)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"configLength = %zu is not the length of config, or more than %d",
			length, VNPU_PROF_VALUE_MAX);
	return ACL_SUCCESS;
}

static aclError check_value(aclprofConfigType type, const char *config)
{
	const struct parameter *parameter = &parameters[type];

	if (type == ACL_PROF_STORAGE_LIMIT &&
	    !number_of(config, MIN_LIMIT_MB, MAX_LIMIT_MB))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"config = \"%s\" is not a valid limit; use %d to %llu MiB",
			config, MIN_LIMIT_MB, MAX_LIMIT_MB);
	if (parameter->is_frequency && !number_of(config, 1, MAX_FREQUENCY))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"config = \"%s\" is not a valid frequency for %s; use 1 to %d Hz",
			config, parameter->name, MAX_FREQUENCY);
	return ACL_SUCCESS;
}

aclError aclprofSetConfig(aclprofConfigType configType, const char *config,
			  size_t configLength)
{
	VNPU_CALL();
	struct vnpu_prof_values *values;
	aclError ret;

	if ((unsigned int)configType >= VNPU_PROF_PARAMETERS ||
	    !parameters[configType].name)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"configType = %d is not known; use aclprofConfigType",
			configType);
	ret = check_length(config, configLength);
	if (!ret)
		ret = check_value(configType, config);
	if (ret)
		return ret;

	vnpu_prof_lock();
	values = vnpu_prof_values();
	if (values) {
		memcpy(values->text[configType], config, configLength + 1);
		if (configType == ACL_PROF_STORAGE_LIMIT)
			vnpu_prof_events_limit((number_of(config, MIN_LIMIT_MB,
				MAX_LIMIT_MB) << 20) / EVENT_BYTES);
	}
	vnpu_prof_unlock();
	if (!values)
		return vnpu_prof_not_begun();
	if (configType != ACL_PROF_STORAGE_LIMIT)
		vnpu_log(ACL_WARNING, __func__,
			 "%s = \"%s\" has no effect: this device has no such data",
			 parameters[configType].name, config);
	return ACL_SUCCESS;
}

void vnpu_prof_values_print(const struct vnpu_prof_values *values, FILE *file)
{
	const char *separator = "";

	for (size_t i = 0; i < ARRAY_SIZE(parameters); i++) {
		if (!*values->text[i])
			continue;
		fprintf(file, "%s\"%s\":", separator, parameters[i].name);
		vnpu_json_print_string(file, values->text[i]);
		separator = ",";
	}
}
