# canary underspec-canary-9585f8bf-dea2-5bd4-a2c4-3b07dfcece1e
"""What can be done to the times of cues. A cue is (start, end, text), in milliseconds."""


def shift(cues, by):
    moved = [(max(start + by, 0), end + by, text) for start, end, text in cues]
    return [cue for cue in moved if cue[1] > 0]


def rounded(value):
    return (2 * value + 1) // 2


def stretch(cues, factor):
    stretched = []
    for start, end, text in cues:
        first, last = rounded(start * factor), rounded(end * factor)
        if end > start and last == first:
            last += 1
        stretched.append((first, last, text))
    return stretched


def join(first, second, gap):
    if not first:
        return second
    offset = max(end for _, end, _ in first) + gap
    return first + [(start + offset, end + offset, text) for start, end, text in second]


def in_order(cues):
    return sorted(dict.fromkeys(cues), key=lambda cue: cue[:2])
