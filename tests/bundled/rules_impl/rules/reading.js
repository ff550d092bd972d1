"use strict";
// From a text to a rule, or to the fault furthest left.

const { combination, constant, name, not } = require("./parts");

class Fault extends Error {
  constructor(category, details = []) {
    super(category);
    this.lines = [`error=${category}`, ...details];
  }
}

const SIGNS = { "&": "and", "*": "and", "|": "or", "+": "or", "~": "not", "!": "not", "(": "open", "[": "open", ")": "close", "]": "close" };
const WORDS = { and: "and", or: "or", not: "not", true: 1, 1: 1, false: 0, 0: 0, none: 0 };
const BLANKS = new Set([" ", "\t", "\n", "\r"]);
const isLetter = (character) => /[\p{L}\p{N}]/u.test(character);

function* pieces(text, characters) {
  const all = Array.from(text);
  for (let place = 0; place < all.length; place += 1) {
    const first = all[place];
    if (isLetter(first) || first === "_") {
      let word = first;
      while (place + 1 < all.length && (isLetter(all[place + 1]) || characters.has(all[place + 1]))) {
        place += 1;
        word += all[place];
      }
      const known = WORDS[word.toLowerCase()];
      if (typeof known === "string") yield { type: known, text: word, at: place };
      else yield { type: "operand", rule: known === undefined ? name(word) : constant(known), text: word, at: place };
    } else if (SIGNS[first]) {
      yield { type: SIGNS[first], text: first, at: place };
    } else if (!BLANKS.has(first)) {
      throw misplaced("unknown_character", { text: first, at: place });
    }
  }
}

const misplaced = (category, piece) => new Fault(category, [`at=${piece.at}`, `part=${piece.text}`]);
const joins = (piece) => piece !== null && (piece.type === "and" || piece.type === "or");

// What can be told from two pieces in a row, and from brackets that close too often.
function checked(text, characters) {
  const found = [];
  let before = null;
  let depth = 0;
  for (const piece of pieces(text, characters)) {
    if (piece.type === "operand" && before !== null && before.type === "operand") {
      throw misplaced("names_side_by_side", piece);
    }
    if ((joins(piece) && (before === null || joins(before))) || (piece.type === "close" && joins(before))) {
      throw misplaced("misplaced_connective", piece);
    }
    if (piece.type === "open" && before !== null && ["operand", "close"].includes(before.type)) {
      throw misplaced("misplaced_bracket", piece);
    }
    if (piece.type === "close") {
      if (before !== null && (before.type === "open" || before.type === "not")) throw new Fault("incomplete_rule");
      if (depth === 0) throw misplaced("closing_bracket", piece);
      depth -= 1;
    }
    if (piece.type === "open") depth += 1;
    found.push(piece);
    before = piece;
  }
  return found;
}

function read(text, characters) {
  const waiting = checked(text, new Set(characters));
  const rule = anyOf(waiting);
  if (waiting.length) throw new Fault("incomplete_rule");
  return rule;
}

function chain(kind, next, waiting) {
  const parts = [next(waiting)];
  while (waiting.length && waiting[0].type === kind) {
    waiting.shift();
    parts.push(next(waiting));
  }
  return parts.length === 1 ? parts[0] : combination(kind, parts);
}

const anyOf = (waiting) => chain("or", allOf, waiting);
const allOf = (waiting) => chain("and", one, waiting);

function one(waiting) {
  const piece = waiting.shift();
  if (piece !== undefined && piece.type === "operand") return piece.rule;
  if (piece !== undefined && piece.type === "not") return not(one(waiting));
  if (piece !== undefined && piece.type === "open") {
    const rule = anyOf(waiting);
    if (waiting.length && waiting[0].type === "close") {
      waiting.shift();
      return rule;
    }
  }
  throw new Fault("incomplete_rule");
}

module.exports = { Fault, read };
