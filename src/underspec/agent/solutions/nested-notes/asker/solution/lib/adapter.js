// JSON requests in, lines out.
"use strict";

const { Fault } = require("./faults.js");
const { printed } = require("./printing.js");
const { readNote } = require("./reader.js");
const settings = require("./settings.js");

const WORDS = settings.errors.words === "told"
  ? { request: "bad_request", action: "unknown_action", text: "open_text", group: "open_group", mark: "bare_mark", rest: "left_over" }
  : { request: "bad_request", action: "bad_action", text: "unclosed_text", group: "unclosed_bracket", mark: "lonely_sign", rest: "too_much" };
const LINES = settings.answers === "told"
  ? { nothing: "value=none", fine: "valid=yes", wrong: "valid=no", nowhere: "place=none" }
  : { nothing: "value=", fine: "valid=yes", wrong: "valid=false", nowhere: "line=0\ncolumn=0" };

class Refused extends Error {}

const ACTIONS = {
  read(note) {
    const value = readNote(note);
    return value === undefined ? LINES.nothing : `value=${printed(value)}`;
  },
  check(note) {
    return faultOf(note) ? LINES.wrong : LINES.fine;
  },
  [settings.requests.locate](note) {
    const fault = faultOf(note);
    return fault ? `line=${fault.place.line}\ncolumn=${fault.place.column}` : LINES.nowhere;
  },
};

function faultOf(note) {
  try {
    readNote(note);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  return undefined;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused("request");
  }
}

function answer(text) {
  const request = parsed(text);
  if (typeof request !== "object" || request === null || Array.isArray(request)) throw new Refused("request");
  const named = typeof request.action === "string" && Object.hasOwn(ACTIONS, request.action);
  const order = [[named, "action"], [typeof request.text === "string", "request"]];
  if (settings.errors.order !== "told") order.reverse();
  for (const [fits, word] of order) if (!fits) throw new Refused(word);
  return ACTIONS[request.action](request.text);
}

function respond(text) {
  try {
    return `${answer(text)}\n`;
  } catch (error) {
    if (error instanceof Fault) return `error=${WORDS[error.kind]}\n`;
    if (error instanceof Refused) return `error=${WORDS[error.message]}\n`;
    throw error;
  }
}

module.exports = { respond };
