# SPDX-License-Identifier: Apache-2.0
"""The benchmark: Entrolith beside other compressors, on the same arrays in the same run."""
