# Takes the last of equally long runs.
def longest_run(text):
    best = current = ""
    for char in text:
        current = current + char if char in current else char
        if len(current) >= len(best):
            best = current
    return best if len(best) > 1 else text[:1]
