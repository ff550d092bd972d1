# canary underspec-canary-a32a02e1-d1e9-52f9-800b-6ca591cdf6a3
"""Months for the tests: files in, tables out."""

import io
import re
import zipfile
from xml.etree import ElementTree

HEADER = "ticket;day;grower;variety;weight;moisture"
PRICES = "variety;from;price\nwheat;2024-08-01;0,20\nrye;2024-08-01;0,15\n"
COMMAND = ("python3", "settle.py", "--deliveries", "in.csv", "--prices", "list.csv", "--out", "out")


class Month:
    def __init__(self, delivery, *lines, prices=PRICES, header=HEADER):
        self.delivery = delivery
        deliveries = "\n".join((header, *lines)) + "\n"
        self.done = delivery.run(*COMMAND, files={"in.csv": deliveries, "list.csv": prices})
        assert self.done.exit_code == 0, self.done

    def table(self, name):
        content = self.delivery.read(f"out/{name}.csv")
        assert content is not None, f"{name}.csv is missing"
        header, *lines = content.decode().split("\n")
        assert lines.pop() == "", "the last line has no end"
        return header, lines

    @property
    def settled(self):
        return self.table("settlement")[1]

    @property
    def rejects(self):
        return self.table("rejects")[1]


def workbook(content):
    """Name and cells of the only sheet: numbers as float, text as str; a formula is an error."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        trees = {name: ElementTree.fromstring(archive.read(name)) for name in archive.namelist() if name.endswith(".xml")}
    [sheet] = [name for name in trees if re.fullmatch(r"xl/worksheets/[^/]+\.xml", name)]
    [named] = [node for node in trees["xl/workbook.xml"].iter() if node.tag.endswith("}sheet")]
    shared = []
    if "xl/sharedStrings.xml" in trees:
        for entry in trees["xl/sharedStrings.xml"]:
            shared.append("".join(node.text or "" for node in entry.iter() if node.tag.endswith("}t")))
    rows = []
    for row in (node for node in trees[sheet].iter() if node.tag.endswith("}row")):
        cells = []
        for cell in (node for node in row if node.tag.endswith("}c")):
            children = {node.tag.rpartition("}")[2]: node for node in cell}
            assert "f" not in children, "a formula"
            kind = cell.get("t", "n")
            if kind == "n":
                cells.append(float(children["v"].text))
            elif kind == "s":
                cells.append(shared[int(children["v"].text)])
            elif kind == "str":
                cells.append(children["v"].text)
            else:
                assert kind == "inlineStr", kind
                cells.append("".join(node.text or "" for node in children["is"].iter() if node.tag.endswith("}t")))
        rows.append(cells)
    return named.get("name"), rows
