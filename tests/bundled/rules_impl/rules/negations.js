"use strict";
// Cancelling negations, and turning negated combinations inside out.

const { combination, constant, inner, isBare, isCombination, not, otherKind, rebuilt } = require("./parts");

function cancelled(rule) {
  while (rule.kind === "not" && rule.of.kind === "not") rule = rule.of.of;
  return rule;
}

const opposite = (rule) => cancelled(not(rule));

function insideOut(rule) {
  const left = cancelled(rule);
  if (left.kind !== "not" || isBare(left)) return left;
  if (left.of.kind === "constant") return constant(1 - left.of.value);
  return combination(otherKind(left.of.kind), left.of.parts.map(opposite));
}

function inwards(rule) {
  const turned = rule.kind === "not" ? insideOut(rule) : rule;
  if (isBare(turned) || !isCombination(turned)) return turned;
  return rebuilt(turned, inner(turned).map(inwards));
}

module.exports = { cancelled, insideOut, inwards, opposite };
