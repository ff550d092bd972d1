// From a text to the values of its parts.
"use strict";

const { BadLine, BadValue } = require("./errors");

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const PARTS = {
  second: { low: 0, high: 59 },
  minute: { low: 0, high: 59 },
  hour: { low: 0, high: 23 },
  day: { low: 1, high: 31 },
  month: { low: 1, high: 12, names: MONTHS, first: 1 },
  weekday: { low: 0, high: 7, names: WEEKDAYS, first: 0 },
};
// Assumed: the words that job schedulers usually have.
const WORDS = {
  "@yearly": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@hourly": "0 * * * *",
};

function numberOf(text, part) {
  const place = part.names ? part.names.indexOf(text.slice(0, 3)) : -1;
  if (place >= 0) return place + part.first; // "monday" is fine, too
  if (!/^\d+$/.test(text)) throw new BadLine(text);
  const number = Number(text);
  if (number < part.low || number > part.high) throw new BadValue(text);
  return number;
}

function piece(text, part) {
  const [range, step, ...more] = text.split("/");
  if (more.length || (step !== undefined && !/^[1-9]\d*$/.test(step))) throw new BadLine(text);
  const stride = Number(step || 1);
  if (range === "*") return series(part.low, part.high, stride);
  const ends = range.split("-");
  if (ends.length > 2) throw new BadLine(text);
  const from = numberOf(ends[0], part);
  const to = ends.length === 2 ? numberOf(ends[1], part) : step ? part.high : from;
  // Assumed: over midnight or the new year means both ends separately.
  if (to < from) return [...series(from, part.high, stride), ...series(part.low, to, stride)];
  return series(from, to, stride);
}

function series(from, to, stride) {
  const values = [];
  for (let value = from; value <= to; value += stride) values.push(value);
  return values;
}

function values(text, part) {
  return [...new Set(text.split(",").flatMap((each) => piece(each, part)))].sort((a, b) => a - b);
}

// Assumed: a sixth part in front are the seconds; longer lines do not exist.
function readLine(text) {
  const plain = text.trim().toLowerCase();
  const parts = (WORDS[plain] || plain).split(/\s+/);
  if (parts.length === 5) parts.unshift("0");
  if (parts.length !== 6) throw new BadLine(text);
  const [second, minute, hour, day, month, weekday] = parts;
  const last = day === "l";
  const nth = /^(.*)#([1-5])$/.exec(weekday);
  return {
    second: values(second, PARTS.second),
    minute: values(minute, PARTS.minute),
    hour: values(hour, PARTS.hour),
    month: values(month, PARTS.month),
    day: last ? [] : values(day, PARTS.day),
    weekday: values(nth ? nth[1] : weekday, PARTS.weekday).map((value) => value % 7),
    nth: nth && Number(nth[2]),
    last,
    anyDay: day === "*",
    anyWeekday: weekday === "*",
    text,
  };
}

module.exports = { readLine };
