"""Information in integers: logarithms to base 2 in sixteenths of a bit, without a float anywhere.

No float enters a score, an order, an ID or a root (requirements 3.6; field report 86), because two machines
may
round a logarithm differently. The table is made with Python's whole numbers: exact on every machine.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

#: Scale of every score: sixteenths of a bit.
BIT: Final = 16
#: Bits of the mantissa that the table resolves.
MANTISSA: Final = 10


@lru_cache(maxsize=1)
def mantissa_table() -> NDArray[np.int64]:
    """floor(16 * log2(1 + k / 1024)) for k in 0..1023: the largest m with 2^m <= ((1024 + k) / 1024)^16."""
    found = []
    m = 0
    for k in range(1 << MANTISSA):
        power = ((1 << MANTISSA) + k) ** BIT
        while (1 << (m + 1 + MANTISSA * BIT)) <= power:
            m += 1
        found.append(m)
    return np.array(found, np.int64)


def log2_sixteenths(numbers: NDArray[Any]) -> NDArray[np.int64]:
    """log2 of positive whole numbers in sixteenths of a bit, rounded down at 10 bits of mantissa.

    Args:
        numbers: values from 1 to 2^52, any shape.
    """
    whole = np.ascontiguousarray(numbers, np.int64)
    exponent = np.zeros(whole.shape, np.int64)
    rest = whole.copy()
    for step in (32, 16, 8, 4, 2, 1):
        high = rest >> step
        big = high > 0
        exponent[big] += step
        rest[big] = high[big]
    shifted = np.where(
        exponent >= MANTISSA,
        whole >> np.maximum(exponent - MANTISSA, 0),
        whole << np.maximum(MANTISSA - exponent, 0),
    )
    found: NDArray[np.int64] = exponent * BIT + mantissa_table()[shifted - (1 << MANTISSA)]
    return found
