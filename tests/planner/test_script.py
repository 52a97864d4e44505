"""Traditional characters become simplified ones, and the converter is only asked where it could change something."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opencc_pyo3 import OpenCC

from planner.script import _settled, simplified
from planner.text import normalize

CONVERT = OpenCC("t2s").convert
_SIMPLE = "".join(sorted(_settled()))
_RISKY = "乾著沈藉覆哩新抱毛坏打土子布后里面发只台复干征钟于系制准采松板表丑谷出"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("這套房總價多少", "这套房总价多少"),
        ("滿五唯一嗎", "满五唯一吗"),
        ("这套房总价多少", "这套房总价多少"),
        ("门把手坏了", "门把手坏了"),
        ("干着急", "干着急"),
        ("請回覆", "请回复"),
        ("回覆您", "回复您"),
    ],
)
def test_simplified(written: str, read: str) -> None:
    """Each character gives one."""
    assert simplified(written) == read


@settings(max_examples=200, deadline=None)
@given(st.text(st.one_of(st.sampled_from(_SIMPLE), st.sampled_from(_RISKY)), max_size=12))
def test_the_converter_is_never_missed(text: str) -> None:
    """What is taken as simplified already is what the converter leaves alone."""
    assert simplified(text) == CONVERT(text)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=30))
def test_every_place_is_kept(text: str) -> None:
    """A map of places would break on any other length."""
    norm = normalize(text).norm
    assert len(simplified(norm)) == len(norm)
