# SPDX-License-Identifier: Apache-2.0
"""From sample arrays to the table sets of FORMAT.md section 3: how probabilities become code."""
