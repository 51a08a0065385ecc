"""Finds the mistake behind a wrong signature (protocol 3.2).

A mistake that produces exactly the given signature is proven, not guessed.
"""

from dataclasses import dataclass
from typing import Tuple

from .mistaken_signing import MistakableRequest, MistakenPart, right_signing
from .usual_mistakes import ROWS, Row


@dataclass(frozen=True)
class SigningMistake:
    component: MistakenPart
    #: Says what is wrong and what to do instead.
    sentence: str


def find_mistakes(request: MistakableRequest, signature: str) -> Tuple[SigningMistake, ...]:
    """One or two mistakes that produce the signature; none when it is right or unexplained."""
    right = right_signing(request)
    if right.signature() == signature:
        return ()
    variants = [(row, change) for row in ROWS for change in row.make(request)]
    for row, change in variants:
        if change(right).signature() == signature:
            return (_mistake(row),)
    for index, (row, change) in enumerate(variants):
        changed = change(right)
        for other, second in variants[index + 1 :]:
            if other is not row and second(changed).signature() == signature:
                return (_mistake(row), _mistake(other))
    return ()


def _mistake(row: Row) -> SigningMistake:
    return SigningMistake(row.component, row.sentence)
