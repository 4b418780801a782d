# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# To be sourced by bash: the environment of set_env.sh, where older builds look.

# shellcheck source=/dev/null
. "$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)/set_env.sh"
