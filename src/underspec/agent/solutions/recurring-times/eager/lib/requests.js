// JSON requests in, lines out. The names of lines and errors are assumed.
"use strict";

const { BadLine, BadMoment, BadValue, DueError } = require("./errors");
const { readLine } = require("./line");
const { daysOf } = require("./days");
const { momentsAfter } = require("./search");

const DEFAULT_COUNT = 10;

class BadRequest extends DueError {}
class UnknownAction extends DueError {}

const WORDS = new Map([
  [BadRequest, "bad_request"],
  [UnknownAction, "unknown_action"],
  [BadLine, "bad_line"],
  [BadValue, "out_of_range"],
  [BadMoment, "bad_moment"],
]);

function text(request, name) {
  if (typeof request[name] !== "string") throw new BadRequest(name);
  return request[name];
}

function number(request, name) {
  if (!Number.isInteger(request[name])) throw new BadRequest(name);
  return request[name];
}

function moment(request, name) {
  const date = new Date(text(request, name));
  if (Number.isNaN(date.getTime())) throw new BadMoment(request[name]);
  return date;
}

function shown(date) {
  return date.toISOString().replace(".000Z", "Z");
}

const ACTIONS = {
  check(request) {
    readLine(text(request, "line"));
    return ["valid=yes"];
  },
  expand(request) {
    const values = readLine(text(request, "line"))[text(request, "part")];
    if (!Array.isArray(values)) throw new BadRequest("part");
    return [`values=${values.join(",")}`];
  },
  days(request) {
    const line = readLine(text(request, "line"));
    return [`days=${daysOf(line, number(request, "year"), number(request, "month")).join(",")}`];
  },
  next(request) {
    const { value } = momentsAfter(readLine(text(request, "line")), moment(request, "after")).next();
    return [`next=${value ? shown(value) : "never"}`];
  },
  list(request) {
    const wanted = request.count === undefined ? DEFAULT_COUNT : number(request, "count");
    const lines = [];
    for (const value of momentsAfter(readLine(text(request, "line")), moment(request, "after"))) {
      if (lines.length >= wanted) break;
      lines.push(`next=${shown(value)}`);
    }
    return lines;
  },
  match(request) {
    const line = readLine(text(request, "line"));
    const at = moment(request, "at");
    const { value } = momentsAfter(line, new Date(at.getTime() - 1)).next();
    return [`match=${value && value.getTime() === at.getTime() ? "yes" : "no"}`];
  },
  warnings(request) {
    const line = readLine(text(request, "line"));
    return line.anyDay || line.anyWeekday ? ["warnings=none"] : ["warning=both a day and a weekday are given"];
  },
};

function answer(input) {
  try {
    let request;
    try {
      request = JSON.parse(input);
    } catch (problem) {
      throw new BadRequest(problem.message);
    }
    if (request === null || typeof request !== "object" || Array.isArray(request)) throw new BadRequest("no object");
    if (!Object.prototype.hasOwnProperty.call(ACTIONS, request.action)) throw new UnknownAction(request.action);
    return ACTIONS[request.action](request).join("\n") + "\n";
  } catch (problem) {
    if (!(problem instanceof DueError)) throw problem;
    return `error=${WORDS.get(problem.constructor)}\n`;
  }
}

module.exports = { answer };
