def longest_run(text: str) -> str:
    """Return the longest run of one repeated character in text.

    Where several runs are equally long, return the first of them. For an empty text return an
    empty string.

    >>> longest_run("aabbbc")
    'bbb'
    >>> longest_run("xyz")
    'x'
    """
