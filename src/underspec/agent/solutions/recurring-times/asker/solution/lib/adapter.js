// JSON requests in, lines out.
"use strict";

const errors = require("./errors.js");
const { readLine } = require("./line.js");
const { readClock, readMoment, written } = require("./moments.js");
const { dueDays, matches, several } = require("./search.js");
const { setting, told } = require("./settings.js");
const { warningsOf } = require("./warnings.js");

const TOLD_WORDS = {
  BadRequest: "bad_request", UnknownAction: "unknown_action", PartCount: "part_count", BadPiece: "bad_piece",
  OutOfRange: "out_of_range", BadRange: "bad_range", BadOrdinal: "bad_ordinal", WideStep: "wide_step", BadOffset: "bad_offset",
  BadTime: "bad_time", NeverDue: "never_due",
};
const ASSUMED_WORDS = {
  BadRequest: "bad_request", UnknownAction: "unknown_action", PartCount: "invalid_line", BadPiece: "invalid_line",
  OutOfRange: "out_of_range", BadRange: "invalid_line", BadOrdinal: "invalid_line", WideStep: "suspicious_line",
  BadOffset: "invalid_timezone", BadTime: "invalid_moment", NeverDue: "never_due",
};
const WORDS = told("errors.words") ? TOLD_WORDS : ASSUMED_WORDS;

const ASSUMED_LINES = { fine: "valid=yes", gap: ",", none: "none", time: "next", never: "never", counted: false, yes: "yes", no: "no" };
const TOLD_LINES = { fine: "valid=yes", gap: " ", none: "none", time: "time", never: "none", counted: true, yes: "yes", no: "no" };
const LINES = told("output.lines") ? TOLD_LINES : ASSUMED_LINES;

const isText = (value) => typeof value === "string";
const isWhole = (value) => Number.isInteger(value);
const isFlag = (value) => typeof value === "boolean";

function parameter(request, name, fits, standard) {
  const value = request[name] ?? standard;
  if (!fits(value)) throw new errors.BadRequest(name);
  return value;
}

const counted = (lines) => (LINES.counted ? [`count=${lines.length}`, ...lines] : lines);

// Shapes are looked at for all parameters before any of them is understood.
function timed(request, name) {
  const line = parameter(request, "line", isText);
  const moment = parameter(request, name, isText);
  const offset = parameter(request, setting("requests.offset"), (value) => isText(value) || isWhole(value), 0);
  return () => {
    if (told("errors.order")) return [readLine(line), readClock(offset), readMoment(moment)];
    const from = readMoment(moment);
    return [readLine(line), readClock(offset), from];
  };
}

const ACTIONS = {
  check(request) {
    const strict = parameter(request, setting("requests.strict"), isFlag, false);
    readLine(parameter(request, "line", isText), { strict });
    return [LINES.fine];
  },
  expand(request) {
    const line = parameter(request, "line", isText);
    const part = parameter(request, "part", (value) => ["second", "minute", "hour", "month"].includes(value));
    return [`values=${readLine(line).values(part).join(LINES.gap)}`];
  },
  days(request) {
    const line = parameter(request, "line", isText);
    const year = parameter(request, "year", (value) => isWhole(value) && value >= 1970 && value <= 9999);
    const month = parameter(request, "month", (value) => isWhole(value) && value >= 1 && value <= 12);
    return [`days=${dueDays(readLine(line), year, month).join(LINES.gap) || LINES.none}`];
  },
  next(request) {
    const [line, ahead, after] = timed(request, "after")();
    const [found] = several(line, after, ahead, 1);
    return [`${LINES.time}=${found ? written(found, ahead) : LINES.never}`];
  },
  list(request) {
    const understood = timed(request, "after");
    const bounded = (value) => isWhole(value) && value >= 0 && value <= 1000;
    const count = parameter(request, setting("requests.count"), bounded, setting("moments.count"));
    const [line, ahead, after] = understood();
    return counted(several(line, after, ahead, count).map((moment) => `${LINES.time}=${written(moment, ahead)}`));
  },
  match(request) {
    const [line, ahead, at] = timed(request, setting("requests.at"))();
    return [`match=${matches(line, at, ahead) ? LINES.yes : LINES.no}`];
  },
  warnings(request) {
    const found = warningsOf(readLine(parameter(request, "line", isText)));
    if (!told("warnings.lines")) return found.map(({ step }) => `warning=step ${step} is too large`);
    const shown = (piece) => (told("warnings.piece") ? piece : piece.toUpperCase());
    return counted(found.map(({ piece, step, span }) => `warning=${shown(piece)} step=${step} span=${span}`));
  },
};

function respond(text) {
  try {
    let request;
    try {
      request = JSON.parse(text);
    } catch (problem) {
      throw new errors.BadRequest(problem.message);
    }
    if (request === null || typeof request !== "object" || Array.isArray(request)) throw new errors.BadRequest("no object");
    if (!Object.hasOwn(ACTIONS, request.action)) throw new errors.UnknownAction(request.action);
    return ACTIONS[request.action](request).map((line) => `${line}\n`).join("");
  } catch (problem) {
    if (!(problem instanceof errors.RecurringError)) throw problem;
    return `error=${WORDS[problem.constructor.name]}\n`;
  }
}

module.exports = { respond };
