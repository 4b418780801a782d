# SPDX-License-Identifier: MIT
#
# It is our own; there is nothing to try out.
set(CMAKE_ASC_COMPILER_WORKS 1 CACHE INTERNAL "")
