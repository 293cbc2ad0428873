# SPDX-License-Identifier: Apache-2.0
"""Delivery of the Verilog as IP: known answers for its FuseSoC cores, and docs/integration.md."""
