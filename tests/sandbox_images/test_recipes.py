"""The catalogue: twelve languages, each with a recipe that can be made or says why not."""

from __future__ import annotations

import pytest

from underspec.errors import HarnessError, UsageError
from underspec.sandbox.images.recipe import Recipe, catalogue, find_recipe, parse_recipe

LANGUAGES = {
    *("C#", "C++", "Dart", "Go", "Java", "JavaScript", "Kotlin", "PHP", "Python", "Ruby", "Rust", "TypeScript"),
}
GOOD = """
schema_version = 1
name = "toy"
language = "Toy"
version = "1"
version_command = "toy --version"
suite = "trixie"
packages = ["toy"]
[dispatcher]
file = "main.toy"
source = "echo"
command = "toy main.toy"
"""


def test_every_language_of_the_benchmark_has_one_recipe() -> None:
    assert sorted(recipe.language for recipe in catalogue().values()) == sorted(LANGUAGES)


def test_what_debian_cannot_serve_says_why_and_names_no_packages() -> None:
    unavailable = {recipe.name for recipe in catalogue().values() if recipe.unavailable}
    assert unavailable == {"csharp", "dart", "kotlin"}


@pytest.mark.parametrize("recipe", catalogue().values(), ids=lambda recipe: recipe.name)
def test_a_dispatcher_is_two_lines(recipe: Recipe) -> None:
    assert len(recipe.dispatcher.source.strip().splitlines()) <= 2


@pytest.mark.parametrize("recipe", catalogue().values(), ids=lambda recipe: recipe.name)
def test_no_recipe_brings_a_package_manager_full_of_libraries(recipe: Recipe) -> None:
    assert not {"npm", "maven", "gradle", "composer", "python3-pip", "python3-setuptools"} & set(recipe.packages)


def test_the_digest_follows_what_shapes_the_tree_and_nothing_else() -> None:
    def digest(**changes: object) -> str:
        return Recipe.model_validate({**toy.model_dump(), **changes}).digest

    toy = parse_recipe(GOOD, file="toy.toml")
    shaping: list[dict[str, object]] = [{"packages": ["tool", "toy"]}, {"suite": "bookworm"}, {"env": {"A": "1"}}]
    digests = [digest(**change) for change in shaping]
    assert len({toy.digest, *digests}) == len(shaping) + 1
    assert digest(version="2", language="Other") == toy.digest


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('suite = "trixie"', 'suite = "sid"', "$.suite"),
        ('["toy"]', '["toy; rm -rf /"]', "$.packages[0]"),
        ('["toy"]', '["--allow-unauthenticated"]', "$.packages[0]"),
        ('packages = ["toy"]', 'unavailable = "no"', "$"),
        ('["toy"]', '["toy", "tool"]', "$"),
        ('name = "toy"', 'name = "../toy"', "$.name"),
        ('name = "toy"', 'name = "tool"', "$.name"),
        ("schema_version = 1", "schema_version = 2", "$.schema_version"),
        ('suite = "trixie"', 'suit = "trixie"', "$.suit"),
    ],
)
def test_a_bad_recipe_is_refused_with_its_place(old: str, new: str, place: str) -> None:
    assert old in GOOD
    with pytest.raises(HarnessError) as caught:
        parse_recipe(GOOD.replace(old, new), file="toy.toml")
    assert (caught.value.file, caught.value.where) == ("toy.toml", place)


def test_an_unknown_recipe_is_wrong_use_and_the_mend_names_the_known() -> None:
    with pytest.raises(UsageError, match="cobol") as caught:
        find_recipe("cobol")
    assert "python" in (caught.value.mend or "")
