def longest_run(text):
    best = current = ""
    for char in text:
        current = current + char if current.endswith(char) and current else char
        if len(current) > len(best):
            best = current
    return best
