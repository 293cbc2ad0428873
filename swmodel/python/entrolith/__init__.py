# SPDX-License-Identifier: Apache-2.0
"""Lossless entropy coding for machine learning."""

from entrolith._core import FORMAT_VERSION

__all__ = ["FORMAT_VERSION"]
