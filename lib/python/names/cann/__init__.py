# SPDX-License-Identifier: MIT
"""Parts of CANN that are written in Python."""
