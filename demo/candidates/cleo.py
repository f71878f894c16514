"""Right."""


def second_largest(numbers):
    """See the task."""
    distinct = sorted(set(numbers))
    return distinct[-2] if len(distinct) > 1 else None
