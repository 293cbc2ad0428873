# SPDX-License-Identifier: Apache-2.0
"""From sample arrays to table sets: how probabilities become the fixed tables of FORMAT.md section 3."""
