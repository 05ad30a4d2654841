"""The rules of requirements 3.7, slow and plain, over lists of units; no code shared with the package.

A unit is (kind, content), kind "w", "g" or "b". Operations are (name, left from, left to, right from, right
to) in units.
"""

from __future__ import annotations

Unit = tuple[str, bytes]
Step = tuple[str, int, int, int, int]


def _subsequence(a: list[Unit], b: list[Unit]) -> list[tuple[int, int]]:
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            if a[i] == b[j]:
                table[i][j] = table[i + 1][j + 1] + 1
            else:
                table[i][j] = max(table[i + 1][j], table[i][j + 1])
    i = j = 0
    found = []
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def _backbone(a: list[Unit], b: list[Unit]) -> dict[int, int]:
    """Equal units, left to right."""
    head = 0
    while head < min(len(a), len(b)) and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < min(len(a), len(b)) - head and a[len(a) - 1 - tail] == b[len(b) - 1 - tail]:
        tail += 1
    pair = {i: i for i in range(head)} | {len(a) - 1 - k: len(b) - 1 - k for k in range(tail)}
    ours = [i for i in range(head, len(a) - tail) if a[i][0] != "g"]
    theirs = [j for j in range(head, len(b) - tail) if b[j][0] != "g"]
    for i, j in _subsequence([a[i] for i in ours], [b[j] for j in theirs]):
        pair[ours[i]] = theirs[j]
    for i in range(head, len(a) - tail):
        if a[i][0] == "g" and i - 1 in pair and i + 1 in pair:
            j = pair[i - 1] + 1
            if pair[i + 1] == j + 1 and a[i] == b[j]:
                pair[i] = j
    return pair


def _move(a: list[Unit], b: list[Unit], gone_a: set[int], gone_b: set[int]) -> tuple[int, int, int] | None:
    best = None
    for i in range(len(a)):
        for j in range(len(b)):
            size = 0
            while i + size < len(a) and j + size < len(b):
                if i + size in gone_a or j + size in gone_b or a[i + size] != b[j + size]:
                    break
                size += 1
            if size >= 2 and any(kind == "w" for kind, _ in a[i : i + size]):
                key = (-size, i, j)
                best = key if best is None else min(best, key)
    return None if best is None else (best[1], best[2], -best[0])


def script(a: list[Unit], b: list[Unit]) -> list[Step]:
    pair = _backbone(a, b)
    steps: list[Step] = []
    for i in sorted(pair):
        j = pair[i]
        if steps and steps[-1][2] == i and steps[-1][4] == j:
            steps[-1] = ("equal", steps[-1][1], i + 1, steps[-1][3], j + 1)
        else:
            steps.append(("equal", i, i + 1, j, j + 1))
    fences = [(0, 0), *((s[2], s[4]) for s in steps)], [*((s[1], s[3]) for s in steps), (len(a), len(b))]
    gone_a, gone_b = set(pair), set(pair.values())
    while (move := _move(a, b, gone_a, gone_b)) is not None:
        i, j, size = move
        steps.append(("move", i, i + size, j, j + size))
        gone_a |= set(range(i, i + size))
        gone_b |= set(range(j, j + size))
    for (low, first), (high, end) in zip(*fences, strict=True):
        ours, theirs = _stretches(low, high, gone_a), _stretches(first, end, gone_b)
        if len(ours) == len(theirs) == 1:
            worded = _worded(a, ours[0]) or _worded(b, theirs[0])
            steps.append(("replace" if worded else "boundary_change", *ours[0], *theirs[0]))
            continue
        steps += [("delete" if _worded(a, s) else "boundary_change", *s, first, first) for s in ours]
        steps += [("insert" if _worded(b, s) else "boundary_change", low, low, *s) for s in theirs]
    return sorted(steps, key=lambda s: (s[3], s[4], s[1], s[2]))


def _stretches(low: int, high: int, gone: set[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for i in range(low, high):
        if i not in gone:
            if found and found[-1][1] == i:
                found[-1] = (found[-1][0], i + 1)
            else:
                found.append((i, i + 1))
    return found


def _worded(units: list[Unit], stretch: tuple[int, int]) -> bool:
    return any(kind == "w" for kind, _ in units[stretch[0] : stretch[1]])
