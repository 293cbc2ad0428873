# SPDX-License-Identifier: Apache-2.0
"""The command `entrolith`."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence

from entrolith.cli import parser
from entrolith.cli.failure import Failure

BROKEN_PIPE = 128 + 13
INTERRUPTED = 128 + 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line.

    Args:
        arguments: default: those of the process.

    Returns:
        0, or 1 if the data or a file is at fault, or 2 if the command line is; as a shell has it
        for a reader that went away and for an interrupt.
    """
    parsed = parser.build(_compress, _decompress, _info, _learn).parse_args(arguments)
    try:
        code: int = parsed.run(parsed)
        sys.stdout.flush()
    except Failure as failure:
        print(f"entrolith: {failure}", file=sys.stderr)
        return failure.code
    except BrokenPipeError:
        # What is still buffered has nowhere to go; Python would complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except MemoryError:
        print("entrolith: not enough memory", file=sys.stderr)
        return 1
    return code


# Imported when needed, so that help and refusals do not wait for NumPy.


def _compress(arguments: Namespace) -> int:
    from entrolith.cli import codec

    return codec.compress(arguments)


def _decompress(arguments: Namespace) -> int:
    from entrolith.cli import codec

    return codec.decompress(arguments)


def _info(arguments: Namespace) -> int:
    from entrolith.cli import info

    return info.info(arguments)


def _learn(arguments: Namespace) -> int:
    from entrolith.cli import learn

    return learn.learn_tables(arguments)
