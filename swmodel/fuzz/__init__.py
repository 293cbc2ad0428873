# SPDX-License-Identifier: Apache-2.0
"""Fuzzing; see README.md."""
