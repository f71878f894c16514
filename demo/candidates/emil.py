from itertools import groupby


# Right on runs, but returns None for an empty text and compares without regard to case.
def longest_run(text):
    runs = ["".join(group) for _, group in groupby(text, key=str.lower)]
    return max(runs, key=len) if runs else None
