"""Agreement of two judges, in exact fractions."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tekrar.core.curation.agreement import agreement, agreement_by_kind


def test_the_textbook_example() -> None:
    """Cohen's kappa of 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no is 0.4."""
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    found = agreement(pairs)
    assert (found.observed, found.expected, found.kappa) == (Fraction(7, 10), Fraction(1, 2), Fraction(2, 5))


def test_where_kappa_is_not_defined() -> None:
    assert agreement([]).observed is None
    assert agreement([]).kappa is None
    same = agreement([("y", "y")] * 3)
    assert (same.observed, same.kappa) == (1, None)


def test_by_kind_over_what_both_judged() -> None:
    first = {b"1": "family", b"2": "no", b"3": "quotation", b"4": "no"}
    second = {b"1": "family", b"2": "family", b"3": "quotation", b"5": "no"}
    found = agreement_by_kind(first, second, dict.fromkeys(first, "pair") | {b"3": "group"})
    assert list(found) == ["group", "pair"]
    assert (found["pair"].count, found["pair"].equal) == (2, 1)
    assert found["pair"].table == {("family", "family"): 1, ("no", "family"): 1}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), max_size=30))
def test_agreement_is_one_for_equal_judges_and_the_same_both_ways(pairs: list[tuple[str, str]]) -> None:
    found, back = agreement(pairs), agreement([(b, a) for a, b in pairs])
    assert (found.observed, found.expected, found.kappa) == (back.observed, back.expected, back.kappa)
    assert found.kappa is None or found.kappa <= 1
    assert (found.kappa == 1) <= all(a == b for a, b in pairs)
