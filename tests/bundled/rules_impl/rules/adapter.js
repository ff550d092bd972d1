"use strict";
// From a request to the text of its answer.

const { inner, isCombination, rebuilt, written } = require("./parts");
const { Fault, read } = require("./reading");
const { byCodePoint, compare, holds, same } = require("./order");
const { cancelled, insideOut, inwards } = require("./negations");
const { distributed, joined, shorter, standardForm, unnested, without } = require("./shorter");

const bad = () => new Fault("bad_request");
const isText = (value) => typeof value === "string";
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const has = (object, key) => Object.prototype.hasOwnProperty.call(object, key);

function need(request, key, good) {
  if (!has(request, key) || !good(request[key])) throw bad();
  return request[key];
}
const text = (request, key) => need(request, key, isText);
const flag = (request, key) => has(request, key) && need(request, key, (value) => typeof value === "boolean");
const choice = (request, key, ...known) => need(request, key, (value) => known.includes(value));

function charactersOf(request) {
  if (!has(request, "characters")) return [".", ":", "_"];
  const isCharacter = (value) => isText(value) && Array.from(value).length === 1;
  return need(request, "characters", (value) => Array.isArray(value) && value.every(isCharacter));
}

const ruleLine = (rule) => [`rule=${written(rule)}`];
const maybeShorter = (rule, wanted) => (wanted ? shorter(rule) : rule);

function names(rule, signed) {
  if (rule.kind === "name") return [rule.name];
  if (rule.kind === "not" && rule.of.kind === "name") return [signed ? written(rule) : rule.of.name];
  return inner(rule).flatMap((part) => names(part, signed));
}

function substituted(rule, pairs, otherwise) {
  const pair = pairs.find(([part]) => same(part, rule));
  if (pair) return pair[1];
  if (rule.kind === "name") return otherwise === null ? rule : otherwise;
  return rebuilt(rule, inner(rule).map((part) => substituted(part, pairs, otherwise)));
}

function decided(rule, facts) {
  if (rule.kind === "name") {
    if (!has(facts, rule.name)) throw new Fault("missing_fact", [`name=${rule.name}`]);
    return facts[rule.name];
  }
  const answers = inner(rule).map((part) => decided(part, facts));
  if (rule.kind === "not") return !answers[0];
  return rule.kind === "and" ? answers.every(Boolean) : answers.some(Boolean);
}

const holdsConstant = (rule) => rule.kind === "constant" || inner(rule).some(holdsConstant);

function removed(rule, part) {
  if (holds(rule.parts, part)) return without(rule.parts, part);
  if (part.kind === rule.kind && part.parts.every((one) => holds(rule.parts, one))) {
    return rule.parts.filter((one) => !holds(part.parts, one));
  }
  return rule.parts;
}

const ACTIONS = {
  read(request, rule) {
    const short = flag(request, "simplify");
    return ruleLine(maybeShorter(rule(text(request, "rule")), short));
  },
  simplify: (request, rule) => ruleLine(shorter(rule(text(request, "rule")))),
  negation(request, rule) {
    const how = choice(request, "how", "everywhere", "outermost", "doubles");
    const found = rule(text(request, "rule"));
    if (how === "everywhere") return ruleLine(inwards(found));
    if (found.kind !== "not") throw new Fault("no_negation");
    return ruleLine(how === "doubles" ? cancelled(found) : insideOut(found));
  },
  normal_form(request, rule) {
    const form = choice(request, "form", "any_of", "all_of");
    return ruleLine(standardForm(rule(text(request, "rule")), form === "any_of" ? "or" : "and"));
  },
  list_names(request, rule) {
    const [signed, once] = [flag(request, "signed"), flag(request, "once")];
    const found = names(rule(text(request, "rule")), signed);
    const listed = once ? [...new Set(found)].sort(byCodePoint) : found;
    return listed.map((one) => `name=${one}`);
  },
  substitute(request, rule) {
    const isPair = (value) => isObject(value) && isText(value.part) && isText(value.by);
    const given = need(request, "replace", (value) => Array.isArray(value) && value.every(isPair));
    const rest = has(request, "otherwise") ? text(request, "otherwise") : null;
    const short = flag(request, "simplify");
    const found = rule(text(request, "rule"));
    const pairs = [];
    for (const pair of given) {
      const [part, by] = [rule(pair.part), rule(pair.by)];
      const earlier = pairs.find(([known]) => same(known, part));
      if (earlier) earlier[1] = by;
      else pairs.push([part, by]);
    }
    const otherwise = rest === null ? null : rule(rest);
    return ruleLine(maybeShorter(substituted(found, pairs, otherwise), short));
  },
  decide(request, rule) {
    const areFacts = (value) => isObject(value) && Object.values(value).every((one) => typeof one === "boolean");
    const facts = need(request, "facts", areFacts);
    const found = rule(text(request, "rule"));
    if (holdsConstant(found)) throw new Fault("constant_in_rule");
    return [`answer=${decided(found, facts) ? "yes" : "no"}`];
  },
  compare(request, rule) {
    const texts = [text(request, "first"), text(request, "second")];
    const short = flag(request, "simplify");
    const [first, second] = texts.map((one) => rule(one)).map((one) => maybeShorter(one, short));
    return [`same=${same(first, second) ? "yes" : "no"}`];
  },
  sort_rules(request, rule) {
    const texts = need(request, "rules", (value) => Array.isArray(value) && value.every(isText));
    return texts.map((one) => rule(one)).sort(compare).flatMap(ruleLine);
  },
  rearrange(request, rule) {
    const step = choice(request, "step", "unnest", "distribute", "remove");
    const short = flag(request, "simplify");
    const texts = [text(request, "rule"), ...(step === "remove" ? [text(request, "part")] : [])];
    const [found, part] = texts.map((one) => rule(one));
    if (!isCombination(found)) throw new Fault("no_connective");
    if (step === "unnest") return ruleLine(unnested(found));
    if (step === "distribute") return ruleLine(distributed(found));
    const left = removed(found, part);
    if (!left.length) throw new Fault("nothing_left");
    return ruleLine(left.length === 1 ? left[0] : maybeShorter(joined(found.kind, left), short));
  },
};

function respond(request) {
  let lines;
  try {
    if (!isObject(request) || !isText(request.action) || !has(ACTIONS, request.action)) throw bad();
    const characters = charactersOf(request);
    lines = ACTIONS[request.action](request, (one) => read(one, characters));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    lines = error.lines;
  }
  return lines.map((line) => `${line}\n`).join("");
}

module.exports = { respond };
