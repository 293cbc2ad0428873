# SPDX-License-Identifier: Apache-2.0
"""Between frames and the words that move: `width` values a word, chunks in `word_bytes` a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cosim.bench.stages import group_words
from cosim.bench.streams import Word
from hls.point import NumberFormat

WORD_BYTES = 4


def values_to_words(frame: Sequence[int], fmt: NumberFormat, width: int = 1) -> list[Word]:
    """So many values a word, the first lowest; tkeep marks their bytes; tlast on the last word."""
    size = fmt.width // 8
    return [
        replace(word, tkeep=(1 << size * (word.tuser + 1)) - 1, tuser=0)
        for word in group_words(frame, fmt.width, width)
    ]


def words_to_values(words: Sequence[Word], fmt: NumberFormat, width: int = 1) -> list[int]:
    """The frame of these words of groups; only the last has tlast, and may have fewer values."""
    assert [word.tlast for word in words] == [0] * (len(words) - 1) + [1], "tlast is misplaced"
    size, mask, values = fmt.width // 8, (1 << fmt.width) - 1, []
    for word in words:
        keep = word.tkeep if width > 1 else (1 << size) - 1
        count = keep.bit_length() // size
        assert keep == (1 << count * size) - 1, "tkeep does not mark whole values"
        assert count == width or (word.tlast and count), "a group within the frame is short"
        values += [word.tdata >> fmt.width * i & mask for i in range(count)]
    return values


def chunks_to_words(chunks: Sequence[bytes], word_bytes: int = WORD_BYTES) -> list[Word]:
    """A packet for each chunk: tkeep marks its bytes, tuser all words of the frame's last chunk."""
    words = []
    for i, chunk in enumerate(chunks):
        user = int(i == len(chunks) - 1)
        for at in range(0, len(chunk), word_bytes):
            part = chunk[at : at + word_bytes]
            keep = (1 << len(part)) - 1
            last = int(at + word_bytes >= len(chunk))
            words.append(Word(int.from_bytes(part, "little"), keep, user, last))
    return words


def words_to_chunk(words: Sequence[Word], word_bytes: int = WORD_BYTES) -> bytes:
    """The chunk of a packet's words; tkeep may be partial, from the lowest byte up, in the last."""
    full = 2**word_bytes - 1
    assert all(word.tkeep == full for word in words[:-1]), "a word within the packet is not full"
    size = words[-1].tkeep.bit_length()
    assert words[-1].tkeep == (1 << size) - 1, "tkeep is not contiguous"
    assert size, "a packet's last word is empty"
    joined = b"".join(word.tdata.to_bytes(word_bytes, "little") for word in words)
    end = len(joined) - word_bytes + size
    assert not any(joined[end:]), "bytes behind the last are not 0"
    return joined[:end]


def assert_same(found: Sequence[int], expected: Sequence[int], what: str) -> None:
    """Bytes or values: equal, or an error that shows the first difference."""
    if found == expected:
        return
    at = next(
        (i for i, (a, b) in enumerate(zip(found, expected, strict=False)) if a != b),
        min(len(found), len(expected)),
    )
    context = slice(max(0, at - 4), at + 8)
    raise AssertionError(
        f"{what}: differs at {at}; {len(found)} came, {len(expected)} expected\n"
        f"    came     {[f'{v:x}' for v in found[context]]}\n"
        f"    expected {[f'{v:x}' for v in expected[context]]}"
    )
