# SPDX-License-Identifier: GPL-2.0-only
#
# ascend-dbg, in the tree that looks like a CANN installation.

$(B)/cann/bin/ascend-dbg: tools/ascend-dbg/ascend-dbg
	@mkdir -p $(@D)
	install -m 755 $< $@

TOOLS		+= $(B)/cann/bin/ascend-dbg
