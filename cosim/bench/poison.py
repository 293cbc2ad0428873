# SPDX-License-Identifier: Apache-2.0
"""RAMs whose output is unknown after a read of the word that is being written.

hls/ram.py forbids such a read, because memories differ in what it returns, and the emitted Verilog
tells synthesis not to care. Icarus returns the old word, so that only this edit shows an offence.
"""

from __future__ import annotations

import re

ARRAY = re.compile(r"^\(\* no_rw_check \*\) reg \[(\d+):0\] (\w+) ", re.MULTILINE)
WRITE = r"if \((?P<write>\w+)\) begin\s+{memory}\[(?P<address>\w+(?:\[[^]]+\])?)\] <= "
READ = r"<= (?P<word>{memory}\[(?P<address>\w+(?:\[[^]]+\])?)\]);"


def poisoned(text: str) -> str:
    """The module with poisoned RAMs.

    Raises:
        ValueError: a memory is not written and read as hls/ram.py does it, or there is none.
    """
    arrays = ARRAY.findall(text)
    if not arrays:
        raise ValueError("the module has no memory")
    for top, memory in arrays:
        writes = list(re.finditer(WRITE.format(memory=memory), text))
        reads = list(re.finditer(READ.format(memory=memory), text))
        if len(writes) != 1 or len(reads) != 1:
            raise ValueError(f"{memory} has {len(writes)} write ports, {len(reads)} read ports")
        (write,), (read,) = writes, reads
        clash = f"{write['write']} && {write['address']} == {read['address']}"
        unknown = f"{{{int(top) + 1}{{1'bx}}}}"
        text = text.replace(read[0], f"<= ({clash}) ? {unknown} : {read['word']};")
    return text
