# Forgets the run that ends with the text.
def longest_run(text):
    best, start = text[:1], 0
    for i in range(1, len(text)):
        if text[i] != text[i - 1]:
            if i - start > len(best):
                best = text[start:i]
            start = i
    return best
