"""Attacks run against the shop of the behaviour tests."""

from tests.behaviour.conftest import empty, open_shop, packs, platform, review, shop, world

__all__ = ["empty", "open_shop", "packs", "platform", "review", "shop", "world"]
