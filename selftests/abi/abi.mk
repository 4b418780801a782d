# SPDX-License-Identifier: GPL-2.0-only
#
# Checks of the source.

STATIC_TESTS += $(addprefix selftests/abi/,runner.sh layers.sh layout.py errnos.py \
	netlink.py headers.sh prose.py style.sh kbuild.sh)
SLOW_TESTS += $(addprefix selftests/abi/,headers.sh style.sh kbuild.sh)
HOST_TESTS += selftests/abi/older.sh
LONG_TESTS += $(addprefix selftests/abi/,kbuild.sh older.sh)

# They run with the module of another version, too.
selftests/abi/older.sh: | $(addprefix $(B)/selftests/lib/,device context memory \
	copy vmm async event event_order)
