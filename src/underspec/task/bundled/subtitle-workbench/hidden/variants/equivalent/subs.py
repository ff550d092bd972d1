# canary underspec-canary-afbaef7c-9781-5d59-8b16-c12becf7b003
"""The subtitle workbench as one machine that walks over lines."""

import io
import json
import os
import sys
from dataclasses import dataclass


class Leave(Exception):
    def __init__(self, code, words):
        self.code = code
        self.words = words


@dataclass(frozen=True)
class Cue:
    begin: int
    finish: int
    words: str

    def moved(self, by):
        return Cue(self.begin + by, self.finish + by, self.words)


def clock_of(word, comma_too, hours_needed):
    """Milliseconds, or None."""
    if comma_too:
        word = word.replace(",", ".")
    whole, point, rest = word.partition(".")
    parts = whole.split(":")
    if not point or len(rest) != 3 or len(parts) not in ((3,) if hours_needed else (2, 3)):
        return None
    if not all(part.isascii() and part.isdigit() for part in [*parts, rest]) or any(len(part) != 2 for part in parts[-2:]):
        return None
    hours, minutes, seconds = [0, *map(int, parts)][-3:]
    if minutes > 59 or seconds > 59:
        return None
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + int(rest)


class Walker:
    """Collects cues from lines. ``before`` says whether a line may stand before the times."""

    def __init__(self, name, web):
        self.name, self.web = name, web
        self.cues = []
        self.state, self.times, self.text = "between", None, []

    def fail(self, number, words):
        raise Leave(3, f"{self.name}:{number}: {words}")

    def times_of(self, number, line):
        left, arrow, right = line.partition("-->")
        words = right.split()
        if not arrow or not words or (not self.web and len(words) > 1):
            self.fail(number, "no times where times should be")
        found = [clock_of(word, not self.web, not self.web) for word in (left.strip(), words[0])]
        if None in found:
            self.fail(number, "times that cannot be read")
        if found[0] > found[1]:
            self.fail(number, "ends before it starts")
        return found

    def line(self, number, line):
        blank = not line.strip()
        if self.state == "skip":
            self.state = "between" if blank else "skip"
        elif self.state == "text":
            if blank:
                self.flush()
            else:
                self.text.append(line)
        elif blank:
            if self.state == "titled":
                self.fail(self.title, "a block without times")
        elif self.state == "between" and "-->" not in line:
            if self.web and line.split()[0] in {"NOTE", "STYLE", "REGION"}:
                self.state = "skip"
            elif self.web or line.strip().isdigit():
                self.state, self.title = "titled", number
            else:
                self.fail(number, "a block without times")
        else:
            self.times, self.text, self.state = self.times_of(number, line), [], "text"

    def flush(self):
        if self.state == "titled":
            self.fail(self.title, "a block without times")
        if self.state == "text":
            self.cues.append(Cue(*self.times, "\n".join(self.text)))
        self.state = "between"


def kind_of(name):
    for kind in ("srt", "vtt", "json"):
        if name.lower().endswith("." + kind):
            return kind
    raise Leave(5, f"{name}: no format that is known")


def load(name):
    kind = kind_of(name)
    try:
        lines = open(name, encoding="utf-8-sig").read().split("\n")
    except OSError as error:
        raise Leave(3, f"{name}:1: {error.strerror}")
    except UnicodeError:
        raise Leave(3, f"{name}:1: not UTF-8")
    if kind == "json":
        cues = load_json(name, "\n".join(lines))
    else:
        walker = Walker(name, kind == "vtt")
        first = 0
        if walker.web:
            if not lines[0].startswith("WEBVTT"):
                walker.fail(1, "WEBVTT is missing")
            while first < len(lines) and lines[first].strip():
                first += 1
        for number in range(first, len(lines)):
            walker.line(number + 1, lines[number])
        walker.flush()
        cues = walker.cues
    return [cue for cue in cues if cue.words.split()]


def load_json(name, text):
    try:
        cues = []
        for entry in json.loads(text)["cues"]:
            cue = Cue(entry["start"], entry["end"], entry["text"])
            if {type(cue.begin), type(cue.finish), type(cue.words)} != {int, str} or type(cue.words) is int:
                raise TypeError
            if cue.begin < 0 or cue.finish < cue.begin:
                raise TypeError
            cues.append(cue)
        return cues
    except json.JSONDecodeError as error:
        raise Leave(3, f"{name}:{error.lineno}: {error.msg}")
    except (KeyError, TypeError):
        raise Leave(3, f"{name}:1: not what the archive keeps")


def save(name, cues, force):
    kind, out = kind_of(name), io.StringIO()
    tidy = []
    for cue in sorted(cues, key=lambda cue: (cue.begin, cue.finish)):
        if cue not in tidy:
            tidy.append(cue)
    if kind == "json":
        keys = ("start", "end", "text")
        rows = [dict(zip(keys, (cue.begin, cue.finish, cue.words))) for cue in tidy]
        out.write(json.dumps({"cues": rows}, ensure_ascii=False, indent="  ") + "\n")
    elif kind == "vtt":
        out.write("WEBVTT\n\n")
    for number, cue in enumerate(tidy if kind != "json" else [], 1):
        if kind == "srt":
            print(number, file=out)
        print(stamp(cue.begin, kind), "-->", stamp(cue.finish, kind), file=out)
        print(cue.words, file=out, end="\n\n")
    if os.path.exists(name) and not force:
        raise Leave(4, f"{name}: there is such a file already")
    with open(name + ".part", "w", encoding="utf-8", newline="\n") as stream:
        stream.write(out.getvalue())
    os.rename(name + ".part", name)


def stamp(time, kind):
    seconds, rest = divmod(time, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return "%02d:%02d:%02d%s%03d" % (hours, minutes, seconds, "," if kind == "srt" else ".", rest)


def whole(options, name):
    try:
        return int(options[name])
    except (KeyError, ValueError):
        raise Leave(5, f"{name} needs a whole number")


def fraction(text):
    over, _, under = text.partition("/")
    try:
        over, under = int(over), int(under or 1)
    except ValueError:
        raise Leave(5, "--factor needs a fraction")
    if over <= 0 or under <= 0:
        raise Leave(5, "--factor has to be above zero")
    return over, under


def stretch(cue, over, under):
    begin, finish = ((time * over * 2 + under) // (2 * under) for time in (cue.begin, cue.finish))
    if cue.begin < cue.finish:
        finish = max(finish, begin + 1)
    return Cue(begin, finish, cue.words)


def parse(words):
    takes = {"convert": set(), "shift": {"--by"}, "stretch": {"--factor"}, "join": {"--gap"}}
    if not words or words[0] not in takes:
        raise Leave(5, "convert, shift, stretch or join")
    names, options, rest = [], {}, list(words[1:])
    while rest:
        word = rest.pop(0)
        key, equals, value = word.partition("=")
        if word == "--force":
            options[word] = True
        elif key in takes[words[0]]:
            if not equals and not rest:
                raise Leave(5, f"{key} needs a value")
            options[key] = value if equals else rest.pop(0)
        elif word.startswith("--"):
            raise Leave(5, f"{word} does not belong here")
        else:
            names.append(word)
    if len(names) != (3 if words[0] == "join" else 2):
        raise Leave(5, "the number of files is wrong")
    for name in names:
        kind_of(name)
    return words[0], names, options


def main(words):
    command, names, options = parse(words)
    if command == "shift":
        by = whole(options, "--by")
    elif command == "stretch":
        over, under = fraction(options.get("--factor", ""))
    elif command == "join":
        gap = whole({"--gap": 0, **options}, "--gap")
    cues = load(names[0])
    if command == "shift":
        cues = [cue.moved(by) for cue in cues if cue.finish + by >= 1]
        cues = [Cue(0, cue.finish, cue.words) if cue.begin < 0 else cue for cue in cues]
    elif command == "stretch":
        cues = [stretch(cue, over, under) for cue in cues]
    elif command == "join":
        later = load(names[1])
        by = max((cue.finish + gap for cue in cues), default=0)
        cues += [cue.moved(by) for cue in later]
    save(names[-1], cues, "--force" in options)


try:
    main(sys.argv[1:])
except Leave as leave:
    print(leave.words, file=sys.stderr)
    raise SystemExit(leave.code)
