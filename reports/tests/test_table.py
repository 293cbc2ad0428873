# SPDX-License-Identifier: Apache-2.0
"""Tables and page: every figure of the summary, none that is not measured."""

from reports import published, readme, table
from reports.baselines import Baseline, figures_of
from reports.summary import Summary


def test_area_table(summary: Summary) -> None:
    assert table.area(summary["entries"][:2]) == (
        "| configuration | kGE, Nangate45 | kGE, OSU018 | flip-flops | memory, kbit "
        "| period, ns | set by the path | values a cycle | Gbit/s |\n"
        "| --- | --: | --: | --: | --: | --: | --- | --: | --: |\n"
        "| `fifo` | 0.50 | 0.38 | 1,234 | 33.0 | 1.250 | memory to register | - | - |\n"
        "| `gradient_dec_w1_fp32` | 9.50 | 7.12 | 1,234 | 33.0 | 1.250 | memory to register "
        "| 1.000 | 24.0 |\n"
    )


def test_fpga_table_has_every_seed(summary: Summary) -> None:
    lines = table.fpga(summary["entries"][:2]).splitlines()
    assert lines[2] == "| `fifo` | 4,321 | 210 | 0 | 1.5 | - | - | - |"
    assert lines[3].endswith("| 123.4 | 6.0 | 120.0, 121.0, 123.4, 125.0, 126.0 |")


def test_path_table_has_the_kinds_there_are(summary: Summary) -> None:
    summary["entries"][0]["paths_ns"] = {"input to output": 0.75}
    lines = table.paths(summary["entries"][:2]).splitlines()
    assert lines[0] == (
        "| configuration | register to output | memory to register | input to output |"
    )
    assert lines[2:] == [
        "| `fifo` | - | - | 0.750 |",
        "| `gradient_dec_w1_fp32` | 0.500 | 1.250 | - |",
    ]


def test_trial_table_marks_the_one_reported(summary: Summary) -> None:
    assert table.trials(summary["entries"][:1], ["area", "delay"]).splitlines() == [
        "| configuration | area: kGE, ns | delay: kGE, ns |",
        "| --- | --: | --: |",
        "| `fifo` | 0.25, 1.500 | **0.50, 1.250** |",
    ]


def test_memory_table(summary: Summary) -> None:
    rows = table.memory(summary["entries"][:1]).splitlines()[2:]
    assert rows == ["| `fifo` | `chunk` | 1,024 | 33 | 1 + 1 |"]


def test_page_states_library_constraints_and_exclusions(summary: Summary) -> None:
    then = Baseline("the start", {"fifo": figures_of(summary["entries"][0])})
    page = readme.render(
        summary, baselines=[then], designs=published.read(), worst={"bf16": 0.7, "fp32": 0.8}
    )
    for entry in summary["entries"]:
        assert f"| `{entry['config']}` |" in page
    for words in (
        "Nangate45 typical",
        "**memories excluded**",
        "clock to data of a memory | 0.31",
        "set-up of every pin of a memory | 0.05",
        "OpenSTA 2.0.17",
        "Yosys 0.70",
        "more than 1024 bits",
        "5.67 GE in Nangate45, 4 in OSU018",
        "least, 0.700 in bf16, 0.800 in fp32",
        "*the start*: 0 of 1 configurations",
        "EBPC",
    ):
        assert words in page
    assert "{" not in page
    assert max(len(line) for line in page.splitlines() if not line.startswith("|")) <= 120
