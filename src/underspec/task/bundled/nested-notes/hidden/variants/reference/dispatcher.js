// canary underspec-canary-90ee58dc-ba1f-5954-9b7c-d4587179f1de
// Answers one request with the golden library, which lies in vendor/golden.
//
// It looks at the parameters, calls the library and puts what comes back into the contract's words. What a note is, what
// its values are and where a fault lies is never decided here.
"use strict";

const path = require("node:path");
const readNote = require(path.join(__dirname, "vendor", "golden", "index.js"));

const FAULTS = [
  ["Syntax error: Unterminated", "open_text"],
  ["Syntax error: Unexpected", "bare_mark"],
  ["Syntax error: Expected `)`", "open_group"],
  ["Syntax error: Superfluous", "left_over"],
];

class Refused extends Error {}

function category(fault) {
  const known = FAULTS.find(([start]) => fault.message.startsWith(start));
  if (!known) throw fault;
  return known[1];
}

// Texts come back as objects of their own, words as plain strings.
function shown(value) {
  if (Array.isArray(value)) return value.map(shown);
  return value instanceof String ? { text: value.toString() } : value;
}

const ACTIONS = {
  read(found) {
    if (found instanceof Error) return `error=${category(found)}\n`;
    return `value=${found === "" ? "none" : JSON.stringify(shown(found))}\n`;
  },
  check(found) {
    return `valid=${found instanceof Error ? "no" : "yes"}\n`;
  },
  locate(found) {
    return found instanceof Error ? `line=${found.line}\ncolumn=${found.col}\n` : "place=none\n";
  },
};

function answer(text) {
  let request;
  try {
    request = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refused("bad_request");
    throw error;
  }
  if (typeof request !== "object" || request === null || Array.isArray(request)) throw new Refused("bad_request");
  if (typeof request.action !== "string" || !Object.hasOwn(ACTIONS, request.action)) throw new Refused("unknown_action");
  if (typeof request.text !== "string") throw new Refused("bad_request");
  return ACTIONS[request.action](readNote(request.text));
}

function respond(text) {
  try {
    return answer(text);
  } catch (error) {
    if (error instanceof Refused) return `error=${error.message}\n`;
    throw error;
  }
}

module.exports = { respond };

if (require.main === module) process.stdout.write(respond(require("node:fs").readFileSync(0, "utf8")));
