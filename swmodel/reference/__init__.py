# SPDX-License-Identifier: Apache-2.0
"""The reference codec: slow, in the order of FORMAT.md, sharing no code with the package."""
