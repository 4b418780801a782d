// SPDX-License-Identifier: MIT
/* PYTORCH_NPU_ALLOC_CONF: the options of the allocator, "name:value,name:value". */
#include "memory.h"

#include <cstdlib>
#include <sstream>

namespace npu {

namespace {

constexpr const char *VARIABLE = "PYTORCH_NPU_ALLOC_CONF";

double number_of(const std::string &name, const std::string &value, double least,
		 double most)
{
	char *end;
	double number = strtod(value.c_str(), &end);

	TORCH_CHECK(!value.empty() && !*end && number >= least && number <= most,
		    VARIABLE, ": ", name, " is ", value, ", not a number from ",
		    least, " to ", most);
	return number;
}

bool boolean_of(const std::string &name, const std::string &value)
{
	TORCH_CHECK(value == "True" || value == "False", VARIABLE, ": ", name,
		    " is ", value, ", not True or False");
	return value == "True";
}

void set_option(Config &config, const std::string &name, const std::string &value)
{
	if (name == "max_split_size_mb")
		config.max_split = (size_t)number_of(name, value, 20, 1 << 30)
				   << 20;
	else if (name == "garbage_collection_threshold")
		config.collect = number_of(name, value, 0, 1);
	else if (name == "expandable_segments")
		config.is_expandable = boolean_of(name, value);
	else if (name == "base_addr_aligned_kb")
		/* Memory of the device is aligned to 2 MiB in any case. */
		(void)number_of(name, value, 0, 16);
	else
		TORCH_CHECK(false, VARIABLE, ": there is no option ", name,
			    "; there are max_split_size_mb, "
			    "garbage_collection_threshold, expandable_segments "
			    "and base_addr_aligned_kb");
}

Config parse(const char *text)
{
	std::istringstream options(text ? text : "");
	std::string option;
	Config config;

	while (std::getline(options, option, ',')) {
		size_t colon = option.find(':');

		TORCH_CHECK(colon != std::string::npos, VARIABLE, ": ", option,
			    " has no value, as in max_split_size_mb:64");
		set_option(config, option.substr(0, colon),
			   option.substr(colon + 1));
	}
	/* Expandable memory consists of units that move, and has no chunks to split. */
	TORCH_CHECK(!config.is_expandable || config.max_split == SIZE_MAX,
		    VARIABLE, ": expandable_segments and max_split_size_mb exclude "
		    "each other");
	return config;
}

} /* namespace */

const Config &config()
{
	static const Config from_environment = parse(getenv(VARIABLE));

	return from_environment;
}

} /* namespace npu */
