# SPDX-License-Identifier: Apache-2.0
"""The costs of huff_choice lead to the choices of the reference."""

import json
import random

import pytest
from reference.choose import choose_table, histogram_of

from hls.configuration import BUILT
from hls.huff_choice import RAW_COST, table_costs
from hls.point import ESCAPE, RAW


@pytest.mark.parametrize("seed", range(20))
def test_the_first_of_the_cheapest_is_the_choice(seed: int) -> None:
    rng = random.Random(seed)
    built = json.loads((BUILT / "gradient_k16.json").read_text())["tables"]
    tables = rng.sample(built, rng.randrange(1, len(built) + 1))
    differences = [int(rng.expovariate(rng.choice([0.1, 0.5, 2]))) for _ in range(300)]
    costs = [[*table_costs(lengths)] for lengths in tables] + [[RAW_COST] * (ESCAPE + 1)]
    spent = [sum(cost[min(d, ESCAPE)] for d in differences) for cost in costs]
    cheapest = spent.index(min(spent))
    chosen, _ = choose_table(histogram_of(differences), tables, 8)
    assert chosen == (RAW if cheapest == len(tables) else cheapest)
