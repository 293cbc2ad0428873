# SPDX-License-Identifier: Apache-2.0
"""The command line: what may be typed."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from importlib import metadata

import entrolith
from entrolith.dtypes import DTYPES
from entrolith.options import DEFAULT_LEVEL

Command = Callable[[Namespace], int]

EPILOG = """\
FILE may be - for standard input, and an output - for standard output.
exit status: 0 done, 1 the data or a file is at fault, 2 the command line is
"""


def _shape(text: str) -> tuple[int, ...]:
    dimensions = re.split("[x,]", text)
    if not all(re.fullmatch("[0-9]+", dimension) for dimension in dimensions):
        raise ArgumentTypeError(f"{text!r} is no shape; write 128,64")
    return tuple(int(dimension) for dimension in dimensions)


def _range(text: str) -> tuple[int, int | None]:
    match = re.fullmatch("([0-9]*):([0-9]*)", text)
    if match is None:
        raise ArgumentTypeError(f"{text!r} is no range; write 1000:2000")
    start, stop = match.groups()
    return int(start or 0), int(stop) if stop else None


def _at_least(low: int, high: int) -> Callable[[str], int]:
    def integer(text: str) -> int:
        if not re.fullmatch("[0-9]+", text) or not low <= int(text) <= high:
            raise ArgumentTypeError(f"{text!r} is not a whole number from {low} to {high}")
        return int(text)

    return integer


def _name(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", text):
        raise ArgumentTypeError(f"{text!r}: letters, digits, _, - and . only")
    return text


def build(compress: Command, decompress: Command, info: Command, learn: Command) -> ArgumentParser:
    """The parser; a parsed command line has its function in `run`."""
    version = f"entrolith {metadata.version('entrolith')} (format {entrolith.FORMAT_VERSION})"
    parser = ArgumentParser(
        prog="entrolith",
        description="Lossless compression of gradients and other floating-point arrays.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    one = commands.add_parser("compress", help="compress an .npy, .npz or raw file")
    one.add_argument("file", metavar="FILE", help=".npy, .npz, or raw values with --dtype")
    one.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="default: FILE.elz",
    )
    one.add_argument(
        "--dtype", choices=DTYPES, help="of raw values, or what the unsigned integers of .npy are"
    )
    one.add_argument("--shape", type=_shape, metavar="N,M,...", help="of raw values; default: flat")
    one.add_argument(
        "--member", metavar="NAME", help="one array of an .npz file; default: all in one stream"
    )
    one.add_argument(
        "--level",
        type=_at_least(1, 9),
        default=DEFAULT_LEVEL,
        metavar="N",
        help="1 (fast) to 9 (small); default: %(default)s",
    )
    one.add_argument("--mode", choices=entrolith.MODES, help="of code tables; default: the level's")
    one.add_argument("--no-check", action="store_true", help="write no checks")
    one.add_argument("--profile", choices=entrolith.PROFILES, help="instead of a level")
    _common(one)
    one.set_defaults(run=compress)

    one = commands.add_parser("decompress", help="restore an array as .npy, several as .npz")
    one.add_argument("file", metavar="FILE", help="an .elz file")
    one.add_argument(
        "-o", "--output", metavar="OUT", help="default: FILE without .elz, as .npy or .npz"
    )
    one.add_argument("--name", metavar="NAME", help="one array of several")
    one.add_argument(
        "--range", type=_range, metavar="A:B", help="values A to B - 1 of one array, in C order"
    )
    one.add_argument("--raw", action="store_true", help="write the values alone, little-endian")
    _common(one)
    one.set_defaults(run=decompress)

    one = commands.add_parser("info", help="show what a stream is and where its bytes went")
    one.add_argument("file", metavar="FILE", help="an .elz file")
    one.add_argument("--json", action="store_true", help="as a JSON object")
    one.set_defaults(run=info)

    one = commands.add_parser("tables", help="make code tables for your own data")
    tables = one.add_subparsers(metavar="COMMAND", required=True)
    one = tables.add_parser("learn", help="learn a table set from samples")
    one.add_argument("samples", nargs="+", metavar="SAMPLE", help=".npy, .npz or raw file")
    one.add_argument("-o", "--output", metavar="DIR", required=True, help="folder for the set")
    one.add_argument("--k", type=_at_least(1, 128), default=16, help="tables; default: %(default)s")
    one.add_argument(
        "--seed",
        type=_at_least(0, 2**31),
        default=0,
        metavar="N",
        help="of K-means; default: %(default)s",
    )
    one.add_argument("--name", type=_name, help="of the set; default: the name of DIR")
    one.add_argument(
        "--dtype", choices=DTYPES, help="of raw values, or what the unsigned integers of .npy are"
    )
    one.add_argument("-f", "--force", action="store_true", help="overwrite files")
    one.set_defaults(run=learn)
    return parser


def _common(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--threads",
        type=_at_least(0, 1 << 16),
        default=1,
        metavar="N",
        help="0: one for each core; default: %(default)s",
    )
    parser.add_argument("--tables", metavar="SET.json", help="a table set of `tables learn`")
    parser.add_argument("-f", "--force", action="store_true", help="overwrite files")
