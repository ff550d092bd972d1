"use strict";

const { read, NoteError } = require("./notes");

// The action that tells the place is a guess, and so are all words.
const ACTIONS = {
  read: (note) => {
    const found = read(note);
    return found === undefined ? "value=empty" : `value=${JSON.stringify(found)}`;
  },
  check: (note) => {
    try {
      read(note);
      return "valid=yes";
    } catch (error) {
      if (error instanceof NoteError) return `error=${error.kind}`;
      throw error;
    }
  },
  where: (note) => {
    try {
      read(note);
      return "fault=none";
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      const lines = note.slice(0, error.at).split("\n");
      return `line=${lines.length}\ncolumn=${lines.at(-1).length + 1}`;
    }
  },
};

function answer(text) {
  let request;
  try {
    request = JSON.parse(text);
  } catch {
    return "error=bad_request\n";
  }
  if (request === null || typeof request !== "object") return "error=bad_request\n";
  if (!Object.hasOwn(ACTIONS, request.action)) return "error=bad_action\n";
  if (typeof request.text !== "string") return "error=bad_request\n";
  try {
    return `${ACTIONS[request.action](request.text)}\n`;
  } catch (error) {
    if (error instanceof NoteError) return `error=${error.kind}\n`;
    throw error;
  }
}

module.exports = { answer };
