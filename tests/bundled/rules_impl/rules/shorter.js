"use strict";
// Making rules shorter, in the steps of section 8; distributing and standard forms, as in section 9.

const { combination, constant, inner, isBare, isCombination, neutral, not, otherKind, rebuilt } = require("./parts");
const { cancelled, inwards, opposite } = require("./negations");
const { compare, holds, same } = require("./order");

function shorter(rule) {
  if (rule.kind === "not") {
    const left = cancelled(rule);
    if (left.kind !== "not") return shorter(left);
    return left.of.kind === "constant" ? constant(1 - left.of.value) : not(shorter(left.of));
  }
  return isCombination(rule) ? shorterCombination(rule) : rule;
}

const unnested = (rule) =>
  combination(rule.kind, rule.parts.flatMap((part) => (part.kind === rule.kind ? part.parts : [part])));

function shorterCombination(rule) {
  const { kind } = rule;
  const ruling = constant(1 - neutral(kind));
  let { parts } = unnested(inwards(combination(kind, rule.parts.map(shorter))));
  if (holds(parts, ruling)) return ruling;
  parts = parts.filter((part, place) => !holds(parts.slice(0, place), part));
  if (parts.length === 1) return parts[0];
  parts = parts.filter((part) => !same(part, constant(neutral(kind))));
  if (parts.length === 1) return parts[0];
  if (parts.some((part) => part.kind === "name" && holds(parts, not(part)))) return ruling;
  const merged = merge(kind, parts);
  if (merged !== null) return merged.length === 1 ? merged[0] : shorter(combination(kind, merged));
  parts = absorb(kind, parts);
  if (parts.length === 1) return parts[0];
  return combination(kind, [...parts].sort(compare));
}

const joined = (kind, parts) => (parts.length === 1 ? parts[0] : combination(kind, parts));

// The one part in which `one` differs from `parts`, if it is one and negated there; null otherwise.
function difference(one, parts) {
  let found = null;
  for (const part of one.parts) {
    if (holds(parts, part)) continue;
    if (found !== null || !holds(parts, opposite(part))) return null;
    found = part;
  }
  return found;
}

function merge(kind, parts) {
  const other = otherKind(kind);
  for (let first = 0; first < parts.length; first += 1) {
    for (let second = first + 1; second < parts.length; second += 1) {
      const [one, two] = [parts[first], parts[second]];
      if (one.kind !== other || two.kind !== other || one.parts.length !== two.parts.length) continue;
      const differs = difference(one, two.parts);
      if (differs === null) continue;
      const left = joined(other, without(one.parts, differs));
      return parts.flatMap((part, place) => (place === first ? [left] : place === second ? [] : [part]));
    }
  }
  return null;
}

function without(parts, gone) {
  const place = parts.findIndex((part) => same(part, gone));
  return parts.filter((_, other) => other !== place);
}

function absorb(kind, given) {
  const other = otherKind(kind);
  const parts = [...given];
  const drop = (state, place) => {
    parts.splice(place, 1);
    if (place < state.holder) state.holder -= 1;
  };
  const state = { holder: 0 };
  for (; state.holder < parts.length; state.holder += 1) {
    for (let place = 0; place < parts.length; ) {
      const [holder, target] = [parts[state.holder], parts[place]];
      if (place === state.holder || target.kind !== other) {
        place += 1;
        continue;
      }
      const alike = holder.kind === other;
      if (holds(target.parts, holder) || (alike && holder.parts.every((part) => holds(target.parts, part)))) {
        drop(state, place);
        continue;
      }
      if (holds(target.parts, opposite(holder))) {
        const left = joined(other, without(target.parts, opposite(holder)));
        if (holds(parts, left)) drop(state, place);
        else parts[place] = left;
      } else if (alike) {
        const differs = difference(holder, target.parts);
        if (differs !== null) parts[place] = shorter(joined(other, without(target.parts, opposite(differs))));
      }
      place += 1;
    }
  }
  return parts;
}

function distributed(rule) {
  const other = otherKind(rule.kind);
  let choices = [[]];
  for (const part of rule.parts) {
    const options = part.kind === other ? part.parts : [part];
    choices = choices.flatMap((chosen) => options.map((option) => [...chosen, option]));
  }
  return joined(other, choices.map((chosen) => shorter(combination(rule.kind, chosen))));
}

function distributedEverywhere(rule, outer) {
  if (isBare(rule) || rule.kind === "constant") return rule;
  const within = rebuilt(rule, inner(rule).map((part) => shorter(distributedEverywhere(part, outer))));
  return within.kind === otherKind(outer) ? distributed(within) : within;
}

function standardForm(rule, outer) {
  const short = shorter(inwards(rule));
  if (!isCombination(short)) return short;
  const parts = short.parts.map((part) => standardForm(part, outer));
  if (short.kind === outer) return shorter(distributedEverywhere(combination(short.kind, parts), outer));
  return parts.reduce((sofar, part) =>
    shorter(distributedEverywhere(combination(short.kind, [sofar, part]), outer)));
}

module.exports = { distributed, joined, shorter, standardForm, unnested, without };
