# SPDX-License-Identifier: Apache-2.0
"""The command line: round trips through every kind of file, and what goes wrong in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import entrolith
import ml_dtypes
import numpy as np
import pytest
from entrolith import cli
from entrolith.cli.progress import Progress
from numpy.typing import NDArray
from reference.tables import identity

SAMPLES = Path(__file__).parents[2] / "tables" / "samples"
COMMAND = [sys.executable, "-c", "import sys; from entrolith.cli import main; sys.exit(main())"]


def run(*arguments: object) -> int:
    """The exit code of a command line, in this process."""
    try:
        return cli.main([str(argument) for argument in arguments])
    except SystemExit as stop:  # argparse's own refusals
        return int(stop.code or 0)


def spawn(*arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False)


def gradient(shape: tuple[int, ...] = (40, 50), dtype: Any = np.float32) -> NDArray[Any]:
    values = np.random.default_rng(1).normal(0, 1e-3, shape)
    return np.where(np.abs(values) < 3e-4, 0, values).astype(dtype)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def names(folder: str = ".") -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


def same(left: NDArray[Any], right: NDArray[Any]) -> bool:
    return (
        left.dtype == right.dtype
        and left.shape == right.shape
        and left.tobytes() == right.tobytes()
    )


# Round trips


@pytest.mark.parametrize("profile", entrolith.PROFILES)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("shape", [(), (0, 3), (7,), (40, 50)])
def test_npy(profile: str, dtype: Any, shape: tuple[int, ...]) -> None:
    array = gradient(shape, dtype)
    np.save("g.npy", array)
    assert run("compress", "g.npy", "--profile", profile) == 0
    assert Path("g.npy.elz").read_bytes() == entrolith.compress(array, profile=profile)
    assert run("decompress", "g.npy.elz", "-o", "back.npy") == 0
    assert same(np.load("back.npy"), array)
    assert names() == ["back.npy", "g.npy", "g.npy.elz"]


def test_layouts_of_npy_are_all_read() -> None:
    array = gradient()
    for name, stored in {"f": np.asfortranarray(array), "b": array.astype(">f4")}.items():
        np.save(name, stored)
        assert run("compress", f"{name}.npy") == 0
        assert run("decompress", f"{name}.npy.elz", "-f") == 0
        assert same(np.load(f"{name}.npy"), array)


@pytest.mark.parametrize("kind", ["uint16", "void"])
def test_bf16_npy(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    array = gradient(dtype=ml_dtypes.bfloat16)
    np.save("g.npy", array.view(np.uint16) if kind == "uint16" else array)
    assert run("compress", "g.npy") == 2
    assert "--dtype bf16" in capsys.readouterr().err
    assert run("compress", "g.npy", "--dtype", "bf16") == 0
    assert run("decompress", "g.npy.elz", "-o", "back.npy") == 0
    assert "uint16 patterns" in capsys.readouterr().err
    assert same(np.load("back.npy"), array.view(np.uint16))


def test_npz_becomes_one_stream_and_an_npz_again() -> None:
    tensors: dict[str, Any] = {
        "w": gradient((30, 4)),
        "b": gradient((5,), np.float16),
        "x/../y": gradient((2,)),
        "file": gradient(()),
    }
    with zipfile.ZipFile("all.npz", "w") as archive:  # savez() takes no array of the name "file"
        for name, tensor in tensors.items():
            with archive.open(name + ".npy", "w") as member:
                np.lib.format.write_array(member, tensor)
    assert run("compress", "all.npz") == 0
    assert Path("all.npz.elz").read_bytes() == entrolith.compress(tensors)
    assert run("decompress", "all.npz.elz", "-o", "back.npz") == 0
    with np.load("back.npz") as back:
        assert list(back) == list(tensors)
        for name, tensor in tensors.items():
            assert same(back[name], tensor)
    assert names() == ["all.npz", "all.npz.elz", "back.npz"]


def test_some_of_several_arrays(capsys: pytest.CaptureFixture[str]) -> None:
    tensors: dict[str, Any] = {"a/w": gradient((300, 40)), "b": gradient((5,), np.float16)}
    Path("all.elz").write_bytes(entrolith.compress(tensors))
    assert run("decompress", "all.elz", "--name", "a/w") == 0
    assert same(np.load("all.a.w.npy"), tensors["a/w"])
    assert run("decompress", "all.elz", "--name", "b", "--raw", "-o", "b.bin") == 0
    assert Path("b.bin").read_bytes() == tensors["b"].tobytes()
    flat = tensors["a/w"].ravel()
    for given, expected in {"7:9": flat[7:9], ":5": flat[:5], "11990:": flat[11990:]}.items():
        assert run("decompress", "all.elz", "--name", "a/w", "--range", given, "-f") == 0
        assert same(np.load("all.a.w.npy"), expected)
    Path("one.elz").write_bytes(entrolith.compress(flat))
    assert run("decompress", "one.elz", "--range", "100:200") == 0
    assert same(np.load("one.npy"), flat[100:200])
    assert run("info", "all.elz") == 0
    out = capsys.readouterr().out
    assert "2, 12005 values, 48010 bytes" in out
    assert "a/w       fp32, 300 x 40" in out
    assert run("info", "all.elz", "--json") == 0
    fields = json.loads(capsys.readouterr().out)
    assert [tensor["name"] for tensor in fields["tensors"]] == list(tensors)


def test_levels_modes_and_threads() -> None:
    array = gradient((700, 500))
    np.save("g.npy", array)
    for options, expected in {
        ("--level", "1"): entrolith.compress(array, level=1),
        ("--level", "9", "--threads", "2"): entrolith.compress(array, level=9),
        ("--mode", "dynamic"): entrolith.compress(array, mode="dynamic"),
        ("--no-check",): entrolith.compress(array, check=False),
    }.items():
        assert run("compress", "g.npy", "-f", *options) == 0
        assert Path("g.npy.elz").read_bytes() == expected
        assert run("decompress", "g.npy.elz", "-f", "--threads", "0", "-o", "back.npy") == 0
        assert same(np.load("back.npy"), array)


def test_bf16_among_others_of_an_npz(capsys: pytest.CaptureFixture[str]) -> None:
    bf16 = gradient(dtype=ml_dtypes.bfloat16)
    np.savez("all.npz", w=gradient(), h=bf16)
    assert run("compress", "all.npz") == 2
    assert "array 'h' holds uint16 values" in capsys.readouterr().err
    assert run("compress", "all.npz", "--dtype", "bf16") == 0
    assert Path("all.npz.elz").read_bytes() == entrolith.compress({"w": gradient(), "h": bf16})
    assert run("decompress", "all.npz.elz", "-f") == 0
    assert "bfloat16 values are written as uint16 patterns" in capsys.readouterr().err
    with np.load("all.npz") as back:
        assert same(back["h"], bf16.view(np.uint16))


def test_one_array_of_an_npz() -> None:
    np.savez_compressed("all.npz", w=gradient((30, 4)), step=np.int64(3))
    assert run("compress", "all.npz", "--member", "w") == 0
    assert run("decompress", "all.npz.w.elz") == 0
    assert same(np.load("all.npz.w.npy"), gradient((30, 4)))


@pytest.mark.parametrize("dtype", ["fp32", "bf16", "fp16"])
def test_raw(dtype: str) -> None:
    bits = gradient().astype({"fp32": "f4", "bf16": ml_dtypes.bfloat16, "fp16": "f2"}[dtype])
    Path("g.bin").write_bytes(bits.tobytes())
    assert run("compress", "g.bin", "--dtype", dtype, "--shape", "50x40") == 0
    assert run("decompress", "g.bin.elz", "--raw", "-f") == 0
    assert Path("g.bin").read_bytes() == bits.tobytes()
    assert run("decompress", "g.bin.elz") == 0
    assert np.load("g.bin.npy").shape == (50, 40)


def test_standard_input_and_output() -> None:
    np.save("g.npy", gradient())
    stream = spawn("compress", "-", stdin=Path("g.npy").read_bytes())
    assert (stream.returncode, stream.stderr) == (0, b"")
    assert stream.stdout == entrolith.compress(gradient())
    back = spawn("decompress", "-", stdin=stream.stdout)
    assert (back.returncode, back.stderr) == (0, b"")
    assert back.stdout == Path("g.npy").read_bytes()
    raw = spawn("decompress", "-", "--raw", stdin=stream.stdout)
    assert raw.stdout == gradient().tobytes()
    shown = spawn("info", "-", stdin=stream.stdout)
    assert (shown.returncode, shown.stderr) == (0, b"")


# Output files


def test_existing_files_are_kept_without_force(capsys: pytest.CaptureFixture[str]) -> None:
    np.save("g.npy", gradient())
    Path("g.npy.elz").write_text("mine")
    assert run("compress", "g.npy") == 1
    assert capsys.readouterr().err == "entrolith: g.npy.elz: exists; -f overwrites it\n"
    assert Path("g.npy.elz").read_text() == "mine"
    assert run("compress", "g.npy", "-f") == 0
    assert run("decompress", "g.npy.elz") == 1


def test_a_link_stays_a_link() -> None:
    np.save("g.npy", gradient())
    Path("real").write_text("old")
    Path("link").symlink_to("real")
    assert run("compress", "g.npy", "-o", "link", "-f") == 0
    assert Path("link").is_symlink()
    assert Path("real").read_bytes() == entrolith.compress(gradient())


def test_a_device_is_written_not_replaced() -> None:
    np.save("g.npy", gradient())
    assert run("compress", "g.npy", "-o", os.devnull) == 0
    assert Path(os.devnull).is_char_device()


def test_nothing_is_left_of_a_failed_write(capsys: pytest.CaptureFixture[str]) -> None:
    np.save("g.npy", gradient())
    assert run("compress", "g.npy", "-o", "nowhere/g.elz") == 1
    assert capsys.readouterr().err == "entrolith: nowhere/g.elz: No such file or directory\n"
    full = Path("/dev/full")
    if full.exists():
        assert run("compress", "g.npy", "-o", full) == 1
        assert "No space left on device" in capsys.readouterr().err
    corrupt = bytearray(entrolith.compress(gradient()))
    corrupt[-1] ^= 1
    Path("c.elz").write_bytes(corrupt)
    assert run("decompress", "c.elz") == 1
    assert names() == ["c.elz", "g.npy"]


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_is_no_error(unbuffered: str) -> None:
    np.save("g.npy", gradient((1 << 20,)))
    pipe = subprocess.Popen(
        [*COMMAND, "compress", "g.npy", "-o", "-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    assert pipe.stdout is not None
    assert pipe.stderr is not None
    pipe.stdout.read(1)
    pipe.stdout.close()
    assert pipe.stderr.read() == b""
    pipe.stderr.close()
    assert pipe.wait() == cli.BROKEN_PIPE


# What goes wrong


def make_inputs() -> None:
    np.save("f128.npy", np.zeros(3, np.longdouble))
    np.save("i32.npy", np.zeros(3, np.int32))
    np.save("c64.npy", np.zeros(3, np.complex64))
    np.save("object.npy", np.array([None]), allow_pickle=True)
    np.save("f32.npy", gradient())
    np.savez("two.npz", w=gradient(), step=np.int64(1))
    np.savez("empty.npz")
    Path("cut.npy").write_bytes(Path("f32.npy").read_bytes()[:-5])
    Path("garbled.npy").write_bytes(Path("f32.npy").read_bytes().replace(b"}", b"{"))
    Path("huge.npy").write_bytes(
        Path("f32.npy").read_bytes().replace(b"(40, 50)", b"(9999999999999,)")
    )
    Path("cut.npz").write_bytes(Path("two.npz").read_bytes()[:-30])
    Path("raw.bin").write_bytes(bytes(1001))
    Path("folder").mkdir()
    stream = entrolith.compress(gradient())
    Path("short.elz").write_bytes(stream[:-1])
    Path("no.elz").write_bytes(b"what?")
    Path("two.elz").write_bytes(entrolith.compress({"w": gradient(), "v": gradient()}))
    Path("nul.elz").write_bytes(entrolith.compress({"w\0": gradient()}))
    Path("other.elz").write_bytes(stream)
    Path("other.json").write_text(json.dumps({"tables": [[1] + [0] * 14 + [1]], "identity": ""}))
    Path("not.json").write_text("[1, 2")
    Path("list.json").write_text("[1, 2]")


FAILURES = [
    (1, "compress absent.npy", "absent.npy: No such file or directory"),
    (1, "compress folder", "folder: Is a directory"),
    (1, "compress f128.npy", "128 is not supported; float32, bfloat16"),
    (1, "compress i32.npy", "i32.npy: int32 is not supported; float32, bfloat16"),
    (1, "compress c64.npy", "c64.npy: complex64 is not supported"),
    (1, "compress object.npy", "object.npy: not a sound .npy file"),
    (1, "compress cut.npy", "cut.npy: not a sound .npy file"),
    (1, "compress garbled.npy", "garbled.npy: not a sound .npy file"),
    (1, "compress huge.npy", "huge.npy: not a sound .npy file"),
    (1, "compress cut.npz -o d", "cut.npz: not a sound .npz file"),
    (1, "compress empty.npz -o d", "empty.npz: holds no array"),
    (1, "compress two.npz -o d", "two.npz: array 'step': int64 is not supported"),
    (2, "compress two.npz --member v", "no array 'v'; it holds w, step"),
    (2, "compress two.npz --member w --shape 3", "--shape is for raw files"),
    (2, "compress f32.npy --member w", "f32.npy: --member is for .npz files"),
    (2, "compress f32.npy --shape 3", "f32.npy: --shape is for raw files"),
    (2, "compress f32.npy --dtype fp16", "f32.npy: float32 values are not fp16"),
    (2, "compress raw.bin", "raw.bin: neither .npy nor .npz; for raw values give --dtype"),
    (1, "compress raw.bin --dtype fp32", "1001 bytes are not a whole number of fp32 values"),
    (2, "compress f32.npy --dtype fp128", "invalid choice: 'fp128'"),
    (2, "compress f32.npy --profile best", "invalid choice: 'best'"),
    (2, "compress f32.npy --profile hw-n8-c4096 --level 1", "f32.npy: a profile is fixed"),
    (2, "compress f32.npy --level 0", "'0' is not a whole number from 1 to 9"),
    (2, "compress f32.npy --mode quick", "invalid choice: 'quick'"),
    (2, "compress f32.npy --threads -1", "'-1' is not a whole number from 0 to 65536"),
    (2, "decompress two.elz --name u", "two.elz: no array 'u'; it holds w, v"),
    (2, "decompress other.elz --name u", "other.elz: no array 'u'; it holds one"),
    (2, "decompress two.elz --raw", "two.elz: --raw and --range are for one array"),
    (2, "decompress two.elz --range 0:3", "two.elz: --raw and --range are for one array"),
    (2, "decompress other.elz --range 0:3000", "--range: values 0 to 3000 of 2000"),
    (2, "decompress other.elz --range 3", "'3' is no range; write 1000:2000"),
    (1, "decompress nul.elz", "nul.elz: array 'w\\x00' has a name that no .npz file can have"),
    (2, "compress raw.bin --shape 3,-1", "'3,-1' is no shape"),
    (1, "compress f32.npy --tables absent.json", "absent.json: No such file or directory"),
    (1, "compress f32.npy --tables not.json", "not.json: not a table set in JSON"),
    (
        1,
        "compress f32.npy --tables list.json",
        "list.json: a table set is a JSON object with a list",
    ),
    (1, "compress f32.npy --tables other.json", "other.json: the identity is ''"),
    (2, "compress", "the following arguments are required: FILE"),
    (2, "", "the following arguments are required: COMMAND"),
    (2, "decompress f32.npy", "f32.npy: does not end in .elz; give -o OUT"),
    (1, "decompress short.elz", "short.elz: "),
    (1, "decompress no.elz", "no.elz: "),
    (1, "info short.elz", "short.elz: "),
    (1, "info no.elz", "no.elz: "),
    (1, "info absent.elz", "absent.elz: No such file or directory"),
    (1, "tables learn absent.npy -o d", "absent.npy: No such file or directory"),
    (1, "tables learn i32.npy -o d", "i32.npy: int32 is not supported"),
    (1, "tables learn f32.npy -o d", "too few for 16 tables: give at least 8192 of them, or a"),
    (2, "tables learn raw.bin -o d", "for raw values give --dtype"),
    (2, "tables learn - -o d", "samples are read from files"),
    (2, "tables learn f32.npy -o d --k 0", "'0' is not a whole number from 1 to 128"),
    (2, "tables learn f32.npy -o d --name a/b", "letters, digits"),
    (2, "tables learn f32.npy", "the following arguments are required: -o/--output"),
]


@pytest.mark.parametrize(("code", "command", "message"), FAILURES, ids=[f[1] for f in FAILURES])
def test_failure_is_one_line_that_names_its_cause(
    capsys: pytest.CaptureFixture[str], code: int, command: str, message: str
) -> None:
    make_inputs()
    before = sorted(path.name for path in Path().rglob("*"))
    assert run(*command.split()) == code
    out, err = capsys.readouterr()
    assert out == ""
    last = err.splitlines()[-1]  # argparse puts the usage before it
    assert last.startswith("entrolith")
    assert message in last
    assert sorted(path.name for path in Path().rglob("*")) == before


def test_nothing_but_zeros_has_nothing_to_learn_from(capsys: pytest.CaptureFixture[str]) -> None:
    for values, why in ((np.zeros(9, np.float32), "are all zero"), (gradient((0,)), "are empty")):
        np.save("z.npy", values)
        assert run("tables", "learn", "z.npy", "-o", "d") == 1
        assert why in capsys.readouterr().err


def test_binary_is_not_written_to_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save("g.npy", gradient())
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run("compress", "g.npy", "-o", "-") == 2
    assert "terminal" in capsys.readouterr().err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    name, version, rest = capsys.readouterr().out.split(maxsplit=2)
    assert (name, rest) == ("entrolith", f"(format {entrolith.FORMAT_VERSION})\n")
    assert version[0].isdigit()


# info


def test_info_accounts_for_every_byte(capsys: pytest.CaptureFixture[str]) -> None:
    array = gradient((300, 400))
    stream = entrolith.compress(array, profile="hw-n8-c4096")
    Path("g.elz").write_bytes(stream)
    assert run("info", "g.elz", "--json") == 0
    fields = json.loads(capsys.readouterr().out)
    assert fields["tensors"] == [{"name": "", "dtype": "fp32", "shape": [300, 400], "predictor": 0}]
    assert fields["profile"] == "hw-n8-c4096"
    assert fields["stream_bytes"] == len(stream) == sum(fields["sizes"].values())
    assert run("info", "g.elz") == 0
    text = capsys.readouterr().out
    for part, count in fields["sizes"].items():
        row = f"  {part.replace('_', ' '):12}{count:{len(str(len(stream)))}} "
        assert (row in text) == (count > 0)
    assert f"{len(stream) / array.nbytes:.4f}" in text


def test_info_of_an_empty_array(capsys: pytest.CaptureFixture[str]) -> None:
    Path("g.elz").write_bytes(entrolith.compress(gradient((0,))))
    assert run("info", "g.elz") == 0
    assert "ratio" not in capsys.readouterr().out


# tables learn


def test_learned_tables_code_their_samples_better_than_shipped_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sample = SAMPLES / "vgg16sparse.late.fp32.npy"
    assert run("tables", "learn", sample, "-o", "mine", "--k", "8") == 0
    out = capsys.readouterr().out  # a slow machine has written its progress to stderr
    assert names("mine") == ["mine.dec.hex", "mine.enc.hex", "mine.json"]
    fields = json.loads(Path("mine/mine.json").read_text())
    assert len(fields["tables"]) == 8
    assert fields["identity"] == identity(fields["tables"]).hex()

    assert run("compress", sample, "--tables", "mine/mine.json", "-o", "own.elz") == 0
    ratio = Path("own.elz").stat().st_size / np.load(sample).nbytes
    assert f"compressed / original: {ratio:.4f}" in out

    fixed = ("compress", sample, "--mode", "static")  # nothing but tables of the set
    assert run(*fixed, "--tables", "mine/mine.json", "-o", "fixed.elz") == 0
    assert run(*fixed, "-o", "shipped.elz") == 0
    own, shipped = Path("fixed.elz").stat().st_size, Path("shipped.elz").stat().st_size
    assert own < shipped  # learned on this very file

    assert run("decompress", "own.elz") == 1
    assert "own.elz: " in capsys.readouterr().err
    assert run("decompress", "own.elz", "--tables", "mine/mine.json") == 0
    assert same(np.load("own.npy"), np.load(sample))

    bits = [float(line.split()[0]) for line in out.splitlines() if line.startswith("  ")]
    entropy, bound, dynamic, first, refined = bits
    assert bound < dynamic < refined <= first
    assert bound < entropy


def test_learning_is_repeatable_and_takes_bf16_beside_fp32() -> None:
    bf16 = SAMPLES / "bert.late.bf16.npy"
    fp32 = Path("g.npz")
    np.savez(fp32, a=gradient((9000,)), b=gradient((900,), np.float16))
    for folder in ("one", "two"):
        command = ("tables", "learn", bf16, "-o", folder, "--dtype", "bf16", "--name", "set")
        assert run(*command) == 0
    for name in ("set.json", "set.enc.hex", "set.dec.hex"):
        assert Path("one", name).read_bytes() == Path("two", name).read_bytes()
    assert run("tables", "learn", fp32, "-o", "one", "--name", "set") == 1  # exists
    assert run("tables", "learn", fp32, "-o", "one", "--name", "set", "-f", "--k", "4") == 0


def test_learning_without_scikit_learn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    np.save("g.npy", gradient((1 << 15,)))
    assert run("tables", "learn", "g.npy", "-o", "d") == 1
    assert capsys.readouterr().err.endswith("; pip install 'entrolith[tables]'\n")


def test_progress_on_a_terminal_wipes_its_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = Progress()
    progress("counting", 1, 3)
    progress("counting", 2, 3)  # too soon to be shown
    progress.close()
    assert capsys.readouterr().err == "\rcounting: 1 of 3\r                \r"


def test_progress_in_a_file_is_silent_for_short_work(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progress = Progress()
    progress("counting", 1, 3)
    progress.close()
    assert capsys.readouterr().err == ""
