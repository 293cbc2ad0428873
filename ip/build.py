# SPDX-License-Identifier: Apache-2.0
"""Write the known answers of ip/ and what docs/ shows of the hardware.

    python ip/build.py [--out DIR]

(`./nox -s docs` does this.) DIR/ip/known_answers and DIR/ip/known_answer.core; DIR/docs gets the
waveforms, and the pages with the parts between their markers replaced. DIR is the repository if
left out.
"""

from __future__ import annotations

import argparse
import struct
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

if (
    not __package__
):  # started as a script: make `hls`, `cosim`, `reports` and `reference` importable
    root = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(root), str(root / "swmodel")]

from hls.configuration import ROOT, Configuration, find, load
from ip import known_answer, page, simulation, waveform

SHOWN = "w1_fp32"  # whose frame is drawn
FRAME = (0.75, -0.5, 0.125, 1.0)


def drawings(folder: Path) -> dict[str, str]:
    """The waveforms of a short frame, by name of their file."""
    encoder, decoder = find(f"gradient_enc_{SHOWN}"), find(f"gradient_dec_{SHOWN}")
    frame = list(struct.unpack(f"<{len(FRAME)}I", struct.pack(f"<{len(FRAME)}f", *FRAME)))
    values, chunks = known_answer.answers(encoder, [frame])
    drawn = {}
    for top, send, expect in ((encoder, values, chunks), (decoder, chunks, values)):
        traces = simulation.run(top, send, expect, folder)
        title = f"A frame of {len(FRAME)} values through {top.name}"
        drawn[f"{top.block}.svg"] = waveform.render(title, traces)
    return drawn


def pages(configurations: Sequence[Configuration]) -> dict[str, str]:
    """The pages of docs/ that have generated parts, by name of their file."""
    tops = [configuration for configuration in configurations if configuration.top]
    blocks = [configuration for configuration in configurations if not configuration.top]

    def contracts(listed: Sequence[Configuration]) -> str:
        texts = [(ROOT / "rtl" / f"{one.name}.v").read_text() for one in listed]
        return page.contracts(listed, texts)

    parts = {
        "integration.md": {
            "contracts": contracts(tops),
            "encoder": page.ports([top for top in tops if top.block == "gradient_enc"]),
            "decoder": page.ports([top for top in tops if top.block == "gradient_dec"]),
            "errors": page.error_codes(),
            "constraints": page.constraints(),
        },
        "streams.md": {"contracts": contracts(blocks)},
    }
    texts = {}
    for name, bodies in parts.items():
        text = (ROOT / "docs" / name).read_text()
        for marker, body in bodies.items():
            text = page.replaced(text, marker, body)
        texts[name] = text
    return texts


def main(given: Sequence[str] | None = None) -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(description="Write known answers and parts of docs/.")
    parser.add_argument("--out", metavar="DIR", type=Path, default=ROOT, help="write here")
    out: Path = parser.parse_args(given).out
    configurations = load()
    with tempfile.TemporaryDirectory() as folder:
        docs = drawings(Path(folder)) | pages(configurations)
    answers = known_answer.files(configurations)
    written = {out / "docs" / name: text for name, text in docs.items()}
    written |= {out / "ip" / name: text for name, text in answers.items()}
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for path in (out / "ip" / "known_answers").iterdir():  # of configurations that are no more
        if path not in written:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
