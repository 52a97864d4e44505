"""Logs hold neither secrets nor whole phone or identity numbers."""

import pytest

from gateway.logs import mask, mask_numbers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("电话13812345678，找张先生", "电话138****5678，找张先生"),
        ("身份证110101190001010014", "身份证110101********0014"),
        ("11010119000101001X", "110101********001X"),
        ("订单 2026113000123 已建", "订单 2026113000123 已建"),
        ("总价2980000元", "总价2980000元"),
    ],
)
def test_numbers_of_people_are_masked(text, expected):
    """Phones and identity numbers keep their ends; other numbers stay."""
    assert mask_numbers(text) == expected


def test_secrets_are_masked_by_name():
    """Whatever calls itself a secret is not written."""
    event = {"event": "x", "access_token": "abc", "Authorization": "Bearer y", "n": 1}
    assert mask(None, "info", event) == {"event": "x", "access_token": "***", "Authorization": "***", "n": 1}
