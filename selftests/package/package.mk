# SPDX-License-Identifier: GPL-2.0-only
#
# Packaging: what is installed, and the module through DKMS.

HOST_TESTS += selftests/package/install.sh selftests/package/dkms.sh
