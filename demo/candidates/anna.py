"""Forgets that equal numbers count once."""


def second_largest(numbers):
    """See the task."""
    if len(set(numbers)) < 2:
        return None
    return sorted(numbers)[-2]
