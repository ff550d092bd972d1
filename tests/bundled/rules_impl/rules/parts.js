"use strict";
// Rules as values: {kind: "constant", value}, {kind: "name", name}, {kind: "not", of}, {kind: "and" | "or", parts}.

const constant = (value) => ({ kind: "constant", value });
const name = (text) => ({ kind: "name", name: text });
const not = (of) => ({ kind: "not", of });
const combination = (kind, parts) => ({ kind, parts });

const isCombination = (rule) => rule.kind === "and" || rule.kind === "or";
const isBare = (rule) => rule.kind === "name" || (rule.kind === "not" && rule.of.kind === "name");
const otherKind = (kind) => (kind === "and" ? "or" : "and");
const neutral = (kind) => (kind === "and" ? 1 : 0);

function inner(rule) {
  if (rule.kind === "not") return [rule.of];
  return isCombination(rule) ? rule.parts : [];
}

// The rule with other inner parts, as many as it has.
function rebuilt(rule, parts) {
  if (rule.kind === "not") return not(parts[0]);
  return isCombination(rule) ? combination(rule.kind, parts) : rule;
}

function written(rule) {
  if (rule.kind === "constant") return String(rule.value);
  if (rule.kind === "name") return rule.name;
  if (rule.kind === "not") return rule.of.kind === "name" ? `~${rule.of.name}` : `~(${written(rule.of)})`;
  const sign = rule.kind === "and" ? "&" : "|";
  return rule.parts.map((part) => (isBare(part) ? written(part) : `(${written(part)})`)).join(sign);
}

module.exports = {
  combination, constant, inner, isBare, isCombination, name, neutral, not, otherKind, rebuilt, written,
};
