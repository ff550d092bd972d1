# canary underspec-canary-68c54722-8796-5522-a4c2-b1c55497f23c
"""How these tests use the tool."""

import json


def use(delivery, *words, **files):
    """Run it; ``a_srt=text`` is a file ``a.srt``."""
    named = {name.replace("_", "."): content for name, content in files.items()}
    return delivery.run("python3", "subs.py", *words, files=named)


def done(delivery, *words, **files):
    end = use(delivery, *words, **files)
    assert (end.exit_code, end.stdout, end.stderr) == (0, b"", b""), end


def cues_of(delivery, name="out.json"):
    content = delivery.read(name)
    assert content is not None, f"{name} is missing"
    return [(cue["start"], cue["end"], cue["text"]) for cue in json.loads(content)["cues"]]


def archive(*cues):
    return json.dumps({"cues": [{"start": start, "end": end, "text": text} for start, end, text in cues]})
