// From a note to its value: a word is a string, a text a Text, a group an array; undefined where there is nothing.
"use strict";

const { Cursor, isBlank } = require("./cursor.js");
const { Fault } = require("./faults.js");
const settings = require("./settings.js");

class Text {
  constructor(content) {
    this.content = content;
  }
}

const ESCAPES = settings.escapes.letters === "told"
  ? { n: "\n", r: "\r", t: "\t", f: "\f", b: "\b" }
  : { n: "\n", t: "\t" };
const ENDING = settings.words.ends === "told" ? "\"'`,()" : '"()';

function readNote(note) {
  const cursor = new Cursor(note);
  const value = readValue(cursor);
  cursor.skipBlanks();
  const more = settings.several === "told" || cursor.next === ")";
  if (!cursor.ended && more) throw new Fault("rest", cursor.place());
  return value;
}

function readValue(cursor) {
  cursor.skipBlanks();
  if (cursor.ended || cursor.next === ")") return undefined;
  if ("'`,".includes(cursor.next)) return readMarked(cursor);
  if (cursor.next === "(") return readGroup(cursor);
  return cursor.next === '"' ? readText(cursor) : readWord(cursor);
}

function readMarked(cursor) {
  const began = cursor.at;
  let sign = cursor.take();
  if (sign === "," && cursor.next === "@" && settings.marks.spread !== "none") sign += cursor.take();
  if (settings.marks.blanks !== "told" && isBlank(cursor.next)) throw new Fault("mark", cursor.place(began));
  const value = readValue(cursor);
  if (value === undefined) throw new Fault("mark", placed(cursor, began));
  const name = sign === ",@" ? settings.marks.spread : settings.marks.names[sign];
  if (settings.marks.nesting !== "told" && Array.isArray(value) && value[0] === name) return value;
  return [name, value];
}

function readGroup(cursor) {
  const began = cursor.at;
  cursor.take();
  const values = [];
  for (let value = readValue(cursor); value !== undefined; value = readValue(cursor)) values.push(value);
  if (cursor.next !== ")") throw new Fault("group", placed(cursor, began));
  cursor.take();
  return values;
}

function readText(cursor) {
  const began = cursor.at;
  cursor.take();
  let content = "";
  while (!cursor.ended && cursor.next !== '"') {
    if (cursor.next !== "\\") {
      content += cursor.take();
      continue;
    }
    cursor.take();
    const letter = cursor.take();
    if (Object.hasOwn(ESCAPES, letter)) content += ESCAPES[letter];
    else content += settings.escapes.others === "told" || letter === '"' || letter === "\\" ? letter : `\\${letter}`;
  }
  if (cursor.ended) throw new Fault("text", placed(cursor, began));
  cursor.take();
  return new Text(content);
}

function readWord(cursor) {
  let word = "";
  while (!cursor.ended && !isBlank(cursor.next) && !ENDING.includes(cursor.next)) {
    if (cursor.next === "\\" && settings.words.backslash === "told") {
      cursor.take();
      if (cursor.ended) break;
    }
    word += cursor.take();
  }
  return word === "" ? undefined : word;
}

// Whoever has not been told reports where what is broken began.
function placed(cursor, began) {
  return settings.places.of === "told" ? cursor.place() : cursor.place(began);
}

module.exports = { readNote, Text };
