"""What tokens cost, and that what is unknown stays unknown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.errors import UsageError
from underspec.model.prices import Price, Prices, Tokens, load_prices

PRICE = Price(
    input=2.0, output=10.0, cache_read=0.2, cache_write=2.5, cache_write_1h=4.0, source="a test", read="2026-01-01"
)
BARE = Price(input=2.0, output=10.0, source="a test", read="2026-01-01")


def test_each_kind_of_token_has_its_rate() -> None:
    tokens = Tokens(input=1_000_000, output=100_000, cache_read=2_000_000, cache_write=400_000)
    assert PRICE.cost(tokens) == pytest.approx(2.0 + 1.0 + 0.4 + 1.0)


def test_a_cache_write_of_unknown_lifetime_costs_the_five_minute_rate() -> None:
    tokens = Tokens(input=0, output=0, cache_write=1_000_000)
    assert PRICE.cost(tokens) == PRICE.cost(tokens, cache_lifetime="5m") == 2.5
    assert PRICE.cost(tokens, cache_lifetime="1h") == 4.0


def test_a_count_or_rate_that_is_unknown_makes_the_cost_unknown() -> None:
    assert PRICE.cost(Tokens()) is None
    assert PRICE.cost(Tokens(input=1)) is None
    assert BARE.cost(Tokens(input=1, output=1, cache_read=1)) is None
    assert BARE.cost(Tokens(input=1, output=1, cache_write=1)) is None
    assert BARE.cost(Tokens(input=1, output=1, cache_read=0)) is not None


@given(*[st.integers(0, 10**9)] * 8)
def test_costs_add_up(a: int, b: int, c: int, d: int, e: int, f: int, g: int, h: int) -> None:
    both = PRICE.cost(Tokens(a + e, b + f, c + g, d + h))
    one, other = PRICE.cost(Tokens(a, b, c, d)), PRICE.cost(Tokens(e, f, g, h))
    assert one is not None
    assert other is not None
    assert both == pytest.approx(one + other)


def test_a_model_is_found_by_its_own_name_only() -> None:
    prices = Prices({"p/one": PRICE, "p/two": BARE.model_copy(update={"names": ("p/zwei",)})}, "packaged")
    assert prices.find("p/one") is PRICE
    assert prices.find("p/zwei") is not None
    for other in ("p/one-mini", "q/one", "one", "openrouter/p/one", "P/ONE"):
        assert prices.find(other) is None
        assert prices.source_of(other) is None


def test_a_cost_limit_needs_a_price() -> None:
    prices = load_prices()
    prices.require("anthropic/claude-opus-4-5")
    with pytest.raises(UsageError, match="price is not known"):
        prices.require("local/nobody")


def test_every_packaged_price_says_whose_word_it_is_and_from_when() -> None:
    prices = load_prices()
    assert prices.models
    for name, price in prices.models.items():
        assert "/" in name
        assert price.source.startswith("https://")
        assert price.cache_read is not None
        assert price.cache_read < price.input < price.output
        assert (prices.source_of(name) or "").startswith("packaged 20")


def test_a_users_file_stands_alone(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('[models."my/model"]\ninput = 1\noutput = 2\nsource = "my contract"\nread = "2026-05-01"\n')
    prices = load_prices(file)
    assert set(prices.models) == {"my/model"}
    assert prices.source_of("my/model") == f"{file} 2026-05-01"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("not toml", ""),
        ('[models."m/m"]\ninput = -1\noutput = 1\nsource = "s"\nread = "2026-05-01"', "input"),
        ('[models."m/m"]\ninput = nan\noutput = 1\nsource = "s"\nread = "2026-05-01"', "input"),
        ('[models."m/m"]\ninput = 1\nsource = "s"\nread = "2026-05-01"', "output"),
        ('[models."m/m"]\ninput = 1\noutput = 1\nsource = "s"\nread = "lately"', "read"),
        ('[models."m/m"]\ninput = 1\noutput = 1\nsource = "s"\nread = "2026-05-01"\ncheap = true', "cheap"),
    ],
)
def test_a_wrong_file_is_named_with_the_place(tmp_path: Path, text: str, where: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(UsageError) as caught:
        load_prices(file)
    assert caught.value.file == str(file)
    assert where in (caught.value.where or "")
