"use strict";

// Assumed: round brackets, double quotes, a backslash before odd characters, and the signs that everybody uses.
const SIGNS = { "'": "quote", "`": "template", ",": "insert" };
const TOKEN = /\s*(?:(?<text>"(?:[^"\\]|\\[^])*")|(?<sign>,@|['`,])|(?<open>\()|(?<close>\))|(?<word>(?:\\[^]|[^\s"'`,()\\])+))/y;

class NoteError extends Error {
  constructor(kind, at) {
    super(kind);
    this.kind = kind;
    this.at = at;
  }
}

function tokens(note) {
  const found = [];
  const end = note.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const begin = TOKEN.lastIndex;
    const match = TOKEN.exec(note);
    if (!match) throw new NoteError("bad_text", begin);
    found.push({ ...match.groups, at: TOKEN.lastIndex - match[0].trimStart().length });
  }
  return found;
}

const unescaped = (text) => text.replace(/\\([^])/g, (_, one) => ({ n: "\n", t: "\t" })[one] ?? one);

function value(list, end) {
  const token = list.shift();
  if (!token) throw new NoteError("unfinished", end);
  if (token.text !== undefined) return { string: unescaped(token.text.slice(1, -1)) };
  if (token.word !== undefined) return token.word.replace(/\\([^])/g, "$1");
  if (token.sign !== undefined) return { [SIGNS[token.sign[0]]]: value(list, end) };
  if (token.close !== undefined) throw new NoteError("unexpected_bracket", token.at);
  const members = [];
  while (list.length && list[0].close === undefined) members.push(value(list, end));
  if (!list.shift()) throw new NoteError("missing_bracket", token.at);
  return members;
}

function read(note) {
  const list = tokens(note);
  if (!list.length) return undefined;
  const found = value(list, note.length);
  if (list.length) throw new NoteError("too_much", list[0].at);
  return found;
}

module.exports = { read, NoteError };
