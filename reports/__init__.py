# SPDX-License-Identifier: Apache-2.0
"""Area, timing and throughput of rtl/; `python reports/build.py` measures and writes them."""
