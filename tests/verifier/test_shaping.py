"""A claim about several parts is taken apart the same way in every process."""

from verifier.shaping import by_part
from verifier.statements import Statement


def test_a_word_of_two_kinds_counts_as_the_same_one_always() -> None:
    """The order in which a set is walked differs from process to process."""
    places = (frozenset({"room:master", "bedroom:any"}), frozenset({"room:living"}))
    for turned in (places, places[::-1]):
        assert by_part(Statement("主卧客厅都朝南", 0, 7, places=turned)) == [
            Statement("主卧客厅都朝南", 0, 7, places=turned)
        ]
    both = (frozenset({"bedroom:any", "room:master"}), frozenset({"bedroom:second"}))
    assert len(by_part(Statement("主卧次卧都朝南", 0, 7, places=both))) == 2
