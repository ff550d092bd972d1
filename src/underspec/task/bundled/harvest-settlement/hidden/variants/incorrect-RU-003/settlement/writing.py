# canary underspec-canary-c3754b41-d607-5707-87b2-47567ce15929
"""Tables and the workbook."""

import csv
import io
import zipfile
from xml.sax.saxutils import escape

HEADER = ("grower", "deliveries", "net_kg", "amount")
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
FORMAT = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def table(rows):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def cell(value):
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
    return f"<c><v>{value}</v></c>"


def amount(cents, point):
    return f"{cents // 100}{point}{cents % 100:02}"


class Number:
    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text


def workbook(lines):
    rows = [HEADER, *((name, count, net, Number(amount(cents, "."))) for name, count, net, cents in lines)]
    cells = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{FORMAT}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{FORMAT}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1"'
        f' Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>'
        '<sheet name="Settlement" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1"'
        f' Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}"><sheetData>{cells}</sheetData></worksheet>',
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, head + text)
    return content.getvalue()


def write_all(folder, lines, rejects):
    settled = [(name, count, net, amount(cents, ",")) for name, count, net, cents in lines]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settlement.csv").write_bytes(table([HEADER, *settled]))
    (folder / "rejects.csv").write_bytes(table([("line", "ticket", "reason"), *rejects]))
    (folder / "settlement.xlsx").write_bytes(workbook(lines))
