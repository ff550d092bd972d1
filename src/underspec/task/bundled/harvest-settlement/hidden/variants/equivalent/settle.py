# canary underspec-canary-a7466096-e32e-5f61-92f6-007c646754ad
"""Everything in one pass, with decimals and a workbook of shared strings."""

import decimal
import os
import re
import sys
import xml.etree.ElementTree as xml
import zipfile
from collections import OrderedDict, namedtuple
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal

decimal.getcontext().prec = 60
Line = namedtuple("Line", "name count kilograms euros")
REASONS = []


def give_up(path, why):
    sys.stderr.write(f"{path}: {why}\n")
    raise SystemExit(4)


def split(text):
    """Records of a CSV text, as (first line, fields)."""
    line, first, fields, field, quoted, place = 1, 1, [], "", False, 0
    while place < len(text):
        sign = text[place]
        if quoted:
            if sign == '"' and text[place + 1 : place + 2] == '"':
                field += '"'
                place += 1
            elif sign == '"':
                quoted = False
            else:
                line += sign == "\n"
                field += sign
        elif sign == '"' and not field:
            quoted = True
        elif sign == ";":
            fields.append(field)
            field = ""
        elif sign == "\n":
            yield first, [*fields, field]
            line += 1
            first, fields, field = line, [], ""
        elif sign != "\r":
            field += sign
        place += 1
    if fields or field:
        yield first, [*fields, field]


def load(path, *wanted):
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            records = list(split(stream.read()))
    except OSError as error:
        give_up(path, error.strerror)
    except UnicodeDecodeError:
        give_up(path, "no UTF-8")
    if not records:
        give_up(path, "no header")
    places = {name.strip(): place for place, name in enumerate(records[0][1])}
    if not set(wanted) <= set(places):
        give_up(path, "columns are missing")
    for line, fields in records[1:]:
        fields = [field.strip() for field in fields]
        if "".join(fields):
            yield line, [fields[places[name]] if places[name] < len(fields) else "" for name in wanted]


def decimal_of(text):
    whole, comma, part = text.partition(",")
    groups = whole.split(".")
    if len(groups) > 1 and not (1 <= len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])):
        return None
    digits = "".join(groups)
    if not re.fullmatch("[0-9]+", digits) or (comma and not re.fullmatch("[0-9]+", part)):
        return None
    return Decimal(f"{digits}.{part or 0}")


def weight_of(text):
    for unit, factor in (("kg", 1), ("t", 1000)):
        if text.endswith(unit):
            bare = text[: -len(unit)]
            value = decimal_of(bare[:-1] if bare.endswith(" ") else bare)
            return None if value is None else value * factor
    return None


def is_day(text):
    try:
        return datetime.strptime(text, "%Y-%m-%d").strftime("%Y-%m-%d") == text
    except ValueError:
        return False


def find(prices, variety, day):
    best = None
    for first, price in sorted(prices.get(variety, {}).items()):
        if first <= day:
            best = price
    return best


def account(fields, prices):
    """A reason, or kilograms and euros, or nothing at all."""
    _, day, grower, variety, weight, moisture = fields
    if not grower:
        return "no_grower"
    if not is_day(day):
        return "bad_day"
    kilograms = weight_of(weight)
    if kilograms is None:
        return "bad_weight"
    if not kilograms:
        return None
    water = decimal_of(moisture)
    if water is None or water >= 100:
        return "bad_moisture"
    price = find(prices, variety, day)
    if price is None:
        return "no_price"
    dry = kilograms * min(Decimal(86), 100 - water) / 86
    dry = dry.quantize(Decimal(1), ROUND_HALF_UP)
    return dry, dry * price


def quote(value):
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if set(text) & set(';"\n\r') else text


def save(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as stream:
        stream.writelines(";".join(map(quote, row)) + "\n" for row in rows)


def save_workbook(path, rows):
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    strings = list(dict.fromkeys(value for row in rows for value in row if isinstance(value, str)))
    table, sheet = xml.Element("sst", xmlns=main), xml.Element("worksheet", xmlns=main)
    for text in strings:
        xml.SubElement(xml.SubElement(table, "si"), "t").text = text
    data = xml.SubElement(sheet, "sheetData")
    for number, row in enumerate(rows, 1):
        node = xml.SubElement(data, "row", r=str(number))
        for letter, value in zip("ABCD", row):
            kind = {"t": "s"} if isinstance(value, str) else {}
            content = strings.index(value) if kind else value
            xml.SubElement(xml.SubElement(node, "c", r=f"{letter}{number}", **kind), "v").text = str(content)
    book = xml.Element("workbook", {"xmlns": main, "xmlns:r": relations})
    xml.SubElement(xml.SubElement(book, "sheets"), "sheet", {"name": "Settlement", "sheetId": "1", "r:id": "r1"})
    links, top = xml.Element("Relationships", xmlns=f"{package}/relationships"), None
    for number, (kind, target) in enumerate([("worksheet", "worksheets/a.xml"), ("sharedStrings", "sharedStrings.xml")], 1):
        xml.SubElement(links, "Relationship", Id=f"r{number}", Type=f"{relations}/{kind}", Target=target)
    top = xml.Element("Relationships", xmlns=f"{package}/relationships")
    xml.SubElement(top, "Relationship", Id="r1", Type=f"{relations}/officeDocument", Target="xl/workbook.xml")
    types = xml.Element("Types", xmlns=f"{package}/content-types")
    xml.SubElement(types, "Default", Extension="rels", ContentType="application/vnd.openxmlformats-package.relationships+xml")
    kinds = {"workbook": "sheet.main", "worksheets/a": "worksheet", "sharedStrings": "sharedStrings"}
    for part, kind in kinds.items():
        xml.SubElement(types, "Override", PartName=f"/xl/{part}.xml", ContentType=f"{office}.{kind}+xml")
    with zipfile.ZipFile(path, "w") as archive:
        for name, tree in (
            ("[Content_Types].xml", types),
            ("_rels/.rels", top),
            ("xl/workbook.xml", book),
            ("xl/_rels/workbook.xml.rels", links),
            ("xl/worksheets/a.xml", sheet),
            ("xl/sharedStrings.xml", table),
        ):
            archive.writestr(name, xml.tostring(tree, encoding="utf-8", xml_declaration=True))


def main(options):
    prices = {}
    for line, (variety, first, price) in load(options["--prices"], "variety", "from", "price"):
        value = decimal_of(price)
        if value is None or not is_day(first):
            give_up(options["--prices"], f"line {line}")
        prices.setdefault(variety, {})[first] = value
    names = ("ticket", "day", "grower", "variety", "weight", "moisture")
    tickets = OrderedDict()
    for line, fields in load(options["--deliveries"], *names):
        tickets.pop(fields[0], None)
        tickets[fields[0]] = (line, fields)
    rejects, growers = [], {}
    for line, fields in tickets.values():
        result = account(fields, prices)
        if isinstance(result, str):
            rejects.append((line, fields[0], result))
        elif result:
            growers.setdefault(fields[2], []).append(result)
    cent = Decimal("0.01")
    lines = [
        Line(name, len(parts), sum(p[0] for p in parts), sum(p[1] for p in parts).quantize(cent, ROUND_HALF_UP))
        for name, parts in growers.items()
    ]
    lines.sort(key=lambda line: line.name.casefold())
    lines.sort(key=lambda line: line.euros, reverse=True)
    zero = Decimal("0.00")
    lines.append(
        Line("TOTAL", sum(l.count for l in lines), sum(l.kilograms for l in lines), sum((l.euros for l in lines), zero))
    )
    header = ("grower", "deliveries", "net_kg", "amount")
    os.makedirs(options["--out"], exist_ok=True)
    place = options["--out"] + "/"
    save(place + "settlement.csv", [header, *(line._replace(euros=str(line.euros).replace(".", ",")) for line in lines)])
    save(place + "rejects.csv", [("line", "ticket", "reason"), *rejects])
    save_workbook(place + "settlement.xlsx", [header, *lines])


main(dict(zip(sys.argv[1::2], sys.argv[2::2])))
