"""Gives 0 where there are fewer than two distinct numbers."""


def second_largest(numbers):
    """See the task."""
    distinct = sorted(set(numbers), reverse=True)
    return distinct[1] if len(distinct) > 1 else 0
