"use strict";
// When two rules are the same, and which comes first.

const RANK = { constant: 0, name: 1, and: 2, or: 3 };

function same(one, other) {
  if (one.kind !== other.kind) return false;
  if (one.kind === "constant") return one.value === other.value;
  if (one.kind === "name") return one.name === other.name;
  if (one.kind === "not") return same(one.of, other.of);
  const within = (parts, others) => parts.every((part) => holds(others, part));
  return within(one.parts, other.parts) && within(other.parts, one.parts);
}

const holds = (parts, wanted) => parts.some((part) => same(part, wanted));

function byCodePoint(one, other) {
  const left = Array.from(one);
  const right = Array.from(other);
  for (let place = 0; place < Math.min(left.length, right.length); place += 1) {
    const step = left[place].codePointAt(0) - right[place].codePointAt(0);
    if (step) return step;
  }
  return left.length - right.length;
}

function opened(rule) {
  let negations = 0;
  while (rule.kind === "not") {
    rule = rule.of;
    negations += 1;
  }
  return { rule, negations };
}

// A negation comes right after what it negates.
function compare(one, other) {
  const left = opened(one);
  const right = opened(other);
  return plain(left.rule, right.rule) || left.negations - right.negations;
}

function plain(one, other) {
  if (one.kind !== other.kind) return RANK[one.kind] - RANK[other.kind];
  if (one.kind === "constant") return one.value - other.value;
  if (one.kind === "name") return byCodePoint(one.name, other.name);
  for (let place = 0; place < Math.min(one.parts.length, other.parts.length); place += 1) {
    if (!same(one.parts[place], other.parts[place])) return compare(one.parts[place], other.parts[place]);
  }
  return one.parts.length - other.parts.length;
}

module.exports = { byCodePoint, compare, holds, same };
