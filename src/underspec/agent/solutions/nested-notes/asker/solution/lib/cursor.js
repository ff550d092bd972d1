// A place in a note. Characters are UTF-16 units.
"use strict";

const settings = require("./settings.js");

const EXOTIC = /\s/;
const PLAIN = /[ \t\n\r]/;

class Cursor {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  get next() {
    return this.text[this.at] ?? "";
  }

  get ended() {
    return this.at >= this.text.length;
  }

  // One character, a line end of two characters as one.
  take() {
    const pair = this.text.startsWith("\r\n", this.at) ? 2 : 1;
    const taken = this.text.slice(this.at, this.at + pair);
    this.at += taken.length;
    return taken;
  }

  skipBlanks() {
    while (!this.ended && isBlank(this.next)) this.at += 1;
  }

  place(at = this.at) {
    const before = this.text.slice(0, at);
    const lines = before.split(settings.places.line_ends === "told" ? /\r\n|\r|\n/ : /\n/);
    const last = lines[lines.length - 1];
    const width = settings.places.units === "told" ? last.length : [...last].length;
    const first = settings.places.first;
    return { line: lines.length - 1 + first, column: width + first };
  }
}

function isBlank(character) {
  return (settings.blanks === "told" ? EXOTIC : PLAIN).test(character);
}

module.exports = { Cursor, isBlank };
