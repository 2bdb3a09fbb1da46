"""Mutations that know what they mutate: fields of JSON, elements and shapes of arrays."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]
Mutation = Callable[[np.ndarray, random.Random], np.ndarray]
DTYPES = ["u1", "<u2", "<i4", "<u4", "<i8", "<f4", "<f8", "<u8", "<i2"]
ODD_VALUES: list[Any] = [
    None, True, False, -1, 0, 1, 2, 7, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, -(2**63),
    10**30, 0.5, -0.0, 1e308, float("nan"), float("inf"), "", "x", "0", "..", ".", "/",
    "/etc/passwd", "../x", "a/b", "a\\b", "nul\0", "\ud800", "C:x", "x" * 5000, [], [[]],
    {}, {"a": 1}, [1, 2], ["a"], [None],
]  # fmt: skip


def mutated_json(value: Any, dice: random.Random) -> Any:
    """A copy with one place in it different: replaced, dropped, doubled or renamed."""
    places = list(_places(value))
    if not places or dice.random() < 0.02:
        return dice.choice(ODD_VALUES)
    path = dice.choice(places)
    copy = _copied(value)
    parent = copy
    for step in path[:-1]:
        parent = parent[step]
    key, old = path[-1], parent[path[-1]]
    action = dice.random()
    if action < 0.1:
        del parent[key]
    elif action < 0.15 and isinstance(parent, list):
        parent.insert(key, _copied(old))
    elif action < 0.2 and isinstance(parent, dict):
        parent[dice.choice(["", "other", *map(str, list(parent)[:3])])] = parent.pop(key)
    elif action < 0.6 and type(old) is int:
        parent[key] = old + dice.choice([-1, 1, 2, 8, 64, -64, 255, 2**31, 2**32, -old, -2 * old])
    elif action < 0.5 and isinstance(old, str):
        parent[key] = dice.choice([old + "x", "../" + old, "/" + old, old[:-1], old.upper()])
    else:
        parent[key] = dice.choice(ODD_VALUES)
    return copy


def _places(value: Any, path: tuple[Any, ...] = ()) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in items:
        yield (*path, key)
        if isinstance(child, dict | list):
            yield from _places(child, (*path, key))


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(child) for key, child in value.items()}
    return [_copied(child) for child in value] if isinstance(value, list) else value


def mutated_array(array: np.ndarray, dice: random.Random) -> np.ndarray:
    """A copy with some of its elements, its length or its type different."""
    return dice.choice(_ELEMENTS * 4 + _SHAPES)(array.copy(), dice)


def _set(array: np.ndarray, dice: random.Random) -> np.ndarray:
    for _ in range(dice.choice([1, 1, 1, 2, 5])):
        if len(array):
            array[dice.randrange(len(array))] = _value(array, dice)
    return array


def _value(array: np.ndarray, dice: random.Random) -> Any:
    """Something an element could be: an extreme, a neighbour's, or a little more or less."""
    if array.dtype.kind == "f":
        return dice.choice(
            [0.0, -1.0, np.nan, np.inf, -np.inf, 1e30, 2 * float(dice.choice(array))]
        )
    limits = np.iinfo(array.dtype)
    near = int(dice.choice(array)) + dice.choice([-2, -1, 0, 1, 2])
    chosen = dice.choice(
        [0, 1, len(array), len(array) - 1, limits.max, limits.min, near, near, near, near,
         limits.max // 2, dice.randint(limits.min, limits.max)]
    )  # fmt: skip
    return min(max(chosen, limits.min), limits.max)


def _swap(array: np.ndarray, dice: random.Random) -> np.ndarray:
    if len(array):
        first, second = dice.randrange(len(array)), dice.randrange(len(array))
        array[[first, second]] = array[[second, first]]
    return array


def _step(array: np.ndarray, dice: random.Random) -> np.ndarray:
    """Everything from one place on is more or less by the same."""
    at = dice.randrange(len(array) + 1)
    with np.errstate(over="ignore"):
        array[at:] += np.array(dice.choice([1, 1, 2, 3, 100])).astype(array.dtype)
    return array


def _fill(array: np.ndarray, dice: random.Random) -> np.ndarray:
    if len(array):
        array[dice.randrange(len(array)) :] = _value(array, dice)
    return array


def _shorter(array: np.ndarray, dice: random.Random) -> np.ndarray:
    return array[: max(0, len(array) - dice.choice([1, 1, 2, 8, 10**6]))]


def _longer(array: np.ndarray, dice: random.Random) -> np.ndarray:
    return np.concatenate([array, np.resize(array, dice.choice([1, 1, 2, 8, 64]))])


def _retyped(array: np.ndarray, dice: random.Random) -> np.ndarray:
    with np.errstate(all="ignore"):
        return array.astype(dice.choice(DTYPES))


def _reinterpreted(array: np.ndarray, dice: random.Random) -> np.ndarray:
    data = array.tobytes()
    dtype = np.dtype(dice.choice(DTYPES))
    return np.frombuffer(data[: len(data) // dtype.itemsize * dtype.itemsize], dtype)


def _shuffled(array: np.ndarray, dice: random.Random) -> np.ndarray:
    return array[dice.sample(range(len(array)), len(array))]


_ELEMENTS: list[Mutation] = [_set, _set, _swap, _step, _fill]
_SHAPES: list[Mutation] = [_shorter, _longer, _retyped, _reinterpreted, _shuffled]


def mutated_arrays(arrays: Arrays, dice: random.Random) -> Arrays:
    """Named arrays of which one or two are different, missing, or in another's place."""
    result = dict(arrays)
    for _ in range(dice.choice([1, 1, 1, 2])):
        name = dice.choice(sorted(result))
        action = dice.random()
        if action < 0.03 and len(result) > 1:
            del result[name]
        elif action < 0.06:
            result[dice.choice(sorted(result))] = result[name]
        else:
            result[name] = mutated_array(result[name], dice)
    return result
