// From a text to a line.
"use strict";

const { PartCount, WideStep } = require("./errors.js");
const { readDays } = require("./days.js");
const { SHORT_WORDS, monthNumbers, weekdayNumbers } = require("./names.js");
const { extent, readPiece } = require("./pieces.js");
const { told } = require("./settings.js");
const { warningsOf } = require("./warnings.js");

const LAST_YEAR = told("lines.ranges") ? 275759 : 2099;
const FIRST_YEAR = told("lines.ranges") ? 0 : 1970;
const RANGES = {
  second: extent(0, 59),
  minute: extent(0, 59),
  hour: extent(0, 23),
  month: extent(1, 12),
  year: extent(FIRST_YEAR, LAST_YEAR, { around: false, origin: told("years.steps") ? 1970 : 2000 }),
};

function partsOf(text) {
  const plain = text.trim().toLowerCase();
  const parts = (SHORT_WORDS[plain] ?? plain).split(/\s+/);
  const most = told("lines.long") ? 7 : 6; // assumed: seconds in front are all that can be added
  if (parts.length < 5 || parts.length > most) throw new PartCount(text);
  if (parts.length === 5) parts.unshift("0");
  const [second, minute, hour, day, month, weekday, year = "*"] = parts;
  return { second, minute, hour, day, month, weekday, year };
}

function readLine(text, { strict = false } = {}) {
  const parts = partsOf(text);
  parts.month = monthNumbers(parts.month);
  parts.weekday = weekdayNumbers(parts.weekday);
  const line = { pieces: {} };
  const read = (name) => {
    line.pieces[name] = parts[name].split(",").map((piece) => readPiece(piece, RANGES[name]));
  };
  const readBoth = () => {
    line.days = readDays(parts.day, parts.weekday);
  };
  if (told("errors.part_order")) {
    readBoth();
    ["year", "second", "minute", "hour", "month"].forEach(read);
  } else {
    ["second", "minute", "hour"].forEach(read);
    readBoth();
    ["month", "year"].forEach(read);
  }
  line.values = (name) => [...new Set(line.pieces[name].flatMap((piece) => piece.values()))].sort((a, b) => a - b);
  line.hasYear = (year) => line.pieces.year.some((piece) => piece.includesYear(year));
  line.lastYear = Math.max(...line.pieces.year.map((piece) => piece.to));
  if (strict && told("check.strict") && warningsOf(line).length) throw new WideStep(text);
  return line;
}

module.exports = { readLine };
