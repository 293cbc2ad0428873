# SPDX-License-Identifier: Apache-2.0
"""Hardware blocks in MyHDL; `python -m hls.emit` turns them into the Verilog of rtl/."""
