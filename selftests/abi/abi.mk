# SPDX-License-Identifier: GPL-2.0-only
#
# Checks of the source.

STATIC_TESTS += $(addprefix selftests/abi/,runner.sh layers.sh layout.py \
	netlink.py headers.sh style.sh kbuild.sh)
