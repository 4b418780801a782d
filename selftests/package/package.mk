# SPDX-License-Identifier: GPL-2.0-only
#
# Packaging: installation, and the module through DKMS.

HOST_TESTS += $(addprefix selftests/package/,install.sh dkms.sh readme.sh)
