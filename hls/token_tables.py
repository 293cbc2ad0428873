# SPDX-License-Identifier: Apache-2.0
"""token_tables: the words of lane_dec's columns where an item may be a token of known runs.

They are those of its block's table (hls/code_tables.py) or, of a token, those of one of the two
known tables of its place.

Role         part of lane_dec, for the columns at even places, or at odd ones
Format       swmodel/FORMAT.md section 4.2, known runs
Parameters   parity: 0 for distances, 1 for runs
"""

from __future__ import annotations

from myhdl import ConcatSignal, Signal, always_comb, block, intbv

from hls.code_tables import (
    LENGTHS,
    LIMIT_BITS,
    LOW_BITS,
    bias,
    escape_word,
    limit_word,
    order,
    planes,
)
from hls.point import KNOWN_TABLES


@block
def token_tables(tokens, known, words, shown, parity):
    """Choose the words of the items in three steps.

    tokens  in   list, of each step whether its items are tokens
    known   in   list, which of the known tables they have
    words   in   limits, escape, biases and orders of the blocks' tables
    shown   out  the same of the items
    """
    tables = [pair[parity] for pair in KNOWN_TABLES]
    limits, escape, biases, orders = words
    item_limits, item_escape, item_biases, item_orders = shown
    low, high = (Signal(intbv(0)[bits:]) for bits in (LOW_BITS, LIMIT_BITS - LOW_BITS))
    limit_words = [limit_word(t) for t in tables]
    bias_words = [planes([bias(t, n) for n in LENGTHS]) for t in tables]
    order_words = [planes(order(t)) for t in tables]
    choices = [
        either(
            tokens[0],
            known[0],
            limits(LOW_BITS, 0),
            low,
            *(w % (1 << LOW_BITS) for w in limit_words),
        ),
        either(
            tokens[0],
            known[0],
            limits(LIMIT_BITS, LOW_BITS),
            high,
            *(w >> LOW_BITS for w in limit_words),
        ),
        join(low, high, item_limits),
        either(tokens[0], known[0], escape, item_escape, *map(escape_word, tables)),
    ]
    for i, (word, item_word) in enumerate(zip(biases, item_biases, strict=True)):
        choices.append(either(tokens[1], known[1], word, item_word, *(w[i] for w in bias_words)))
    for i, (word, item_word) in enumerate(zip(orders, item_orders, strict=True)):
        choices.append(either(tokens[2], known[2], word, item_word, *(w[i] for w in order_words)))
    return choices


@block
def join(low, high, whole):
    word = ConcatSignal(high, low)

    @always_comb
    def show():
        whole.next = word

    return show


@block
def either(token, known, word, shown, first, second):
    """The block's word, or one of two."""

    @always_comb
    def choose():
        shown.next = word
        if token:
            shown.next = first
            if known:
                shown.next = second

    return choose
