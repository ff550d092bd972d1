// Steps that are wider than what they step through.
"use strict";

const { told } = require("./settings.js");

function inOrder(line) {
  const { second, minute, hour, month, year } = line.pieces;
  const { day, weekday } = line.days;
  const place = (each) => (each.last ? 2 : each.ending ? 1 : 0);
  // A stable sort: within a kind from left to right.
  const arranged = (pieces) => (told("warnings.order") ? [...pieces].sort((a, b) => place(a) - place(b)) : pieces);
  const days = [...arranged(day), ...arranged(weekday)].filter(({ piece }) => piece).map(({ piece }) => piece);
  const months = told("warnings.order") ? [...days, ...month] : [...month, ...days];
  return [...second, ...minute, ...hour, ...months, ...year];
}

// Assumed: a step is compared with how many numbers there are.
const span = (piece) => (told("warnings.span") ? piece.distance : piece.distance + 1);

function warningsOf(line) {
  return inOrder(line)
    .filter((piece) => piece.step > 1 && piece.step > span(piece))
    .map((piece) => ({ piece: piece.text, step: piece.step, span: span(piece) }));
}

module.exports = { warningsOf };
