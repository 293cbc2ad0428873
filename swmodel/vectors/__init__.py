# SPDX-License-Identifier: Apache-2.0
"""Compatibility vectors; see README.md."""
