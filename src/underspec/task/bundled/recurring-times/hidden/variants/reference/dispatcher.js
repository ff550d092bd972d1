// canary underspec-canary-2f4f9eaa-d206-46c0-bd5f-02d0058df7e4
// Answers one request with the golden library, which the composer puts under vendor/golden.
//
// It looks parameters up, calls the library and puts the answer in the contract's neutral words. What a line means,
// which lines and offsets are wrong, and when something is due is never decided here.
"use strict";

const path = require("node:path");
const { CronosExpression } = require(path.join(__dirname, "vendor", "golden", "index.js"));

const SECOND = 1000;
const DAY = 86400 * SECOND;
const PARTS = { second: "seconds", minute: "minutes", hour: "hours", month: "months" };
const MESSAGES = [
  ["Expression must have at least", "part_count"],
  ["Field item invalid format", "bad_piece"],
  ["Field item out of valid value range", "out_of_range"],
  ["Field item range invalid", "bad_range"],
  ["Field item nth of month", "bad_ordinal"],
  ["Strict mode", "wide_step"],
  ["Invalid offset", "bad_offset"],
  ["Invalid IANA name or offset", "bad_offset"],
];

class Refused extends Error {}

function need(request, name, good) {
  const value = request[name];
  if (!good(value)) throw new Refused("bad_request");
  return value;
}

function optional(request, name, good, standard) {
  const value = request[name];
  return value === undefined || value === null ? standard : need(request, name, good);
}

const isText = (value) => typeof value === "string";
const isFlag = (value) => typeof value === "boolean";
const whole = (least, most) => (value) => Number.isInteger(value) && value >= least && value <= most;

function parse(line, options) {
  let expression;
  try {
    expression = CronosExpression.parse(line, options);
  } catch (error) {
    const known = MESSAGES.find(([start]) => error.message.startsWith(start));
    if (known) throw new Refused(known[1]);
    throw error;
  }
  // A named zone is no offset; whether names are known depends on the machine, so none is let through.
  if (options.timezone !== undefined && expression.timezone.fixedOffset === undefined) throw new Refused("bad_offset");
  return expression;
}

function moment(text) {
  const found = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?(?:Z|([+-])(\d\d):(\d\d)))?$/.exec(text);
  if (!found) throw new Refused("bad_time");
  const [year, month, day, hour, minute, second, , offHour, offMinute] = found.slice(1).map((part) => Number(part ?? 0));
  const clock = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const same = clock.getUTCFullYear() === year && clock.getUTCMonth() === month - 1 && clock.getUTCDate() === day;
  if (!same || hour > 23 || minute > 59 || second > 59 || offHour > 23 || offMinute > 59) throw new Refused("bad_time");
  const sign = found[7] === "-" ? -1 : 1;
  return new Date(clock.getTime() - sign * (offHour * 60 + offMinute) * 60 * SECOND);
}

function shown(date) {
  const two = (number) => String(number).padStart(2, "0");
  const day = `${String(date.getUTCFullYear()).padStart(4, "0")}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  return `${day}T${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}Z`;
}

const isOffset = (value) => isText(value) || Number.isInteger(value);

function timed(request, name) {
  const line = need(request, "line", isText);
  const text = need(request, name, isText);
  const offset = optional(request, "offset", isOffset, 0);
  return () => ({ expression: parse(line, { timezone: offset }), from: moment(text) });
}

const ACTIONS = {
  check(request) {
    parse(need(request, "line", isText), { strict: optional(request, "strict", isFlag, false) });
    return "valid=yes\n";
  },
  expand(request) {
    const line = need(request, "line", isText);
    const part = need(request, "part", (value) => isText(value) && Object.hasOwn(PARTS, value));
    return `values=${parse(line, {})[PARTS[part]].join(" ")}\n`;
  },
  days(request) {
    const line = need(request, "line", isText);
    const year = need(request, "year", whole(1970, 9999));
    const month = need(request, "month", whole(1, 12));
    const expression = parse(line, { timezone: 0 });
    const days = [];
    const end = Date.UTC(year, month, 1);
    let due = expression.nextDate(new Date(Date.UTC(year, month - 1, 1) - SECOND));
    while (due && due.getTime() < end) {
      days.push(due.getUTCDate());
      due = expression.nextDate(new Date((Math.floor(due.getTime() / DAY) + 1) * DAY - SECOND));
    }
    return `days=${days.join(" ") || "none"}\n`;
  },
  next(request) {
    const { expression, from } = timed(request, "after")();
    const due = expression.nextDate(from);
    return `time=${due ? shown(due) : "none"}\n`;
  },
  list(request) {
    const start = timed(request, "after");
    const count = optional(request, "count", whole(0, 1000), undefined);
    const { expression, from } = start();
    const due = expression.nextNDates(from, count);
    return `count=${due.length}\n` + due.map((date) => `time=${shown(date)}\n`).join("");
  },
  match(request) {
    const { expression, from } = timed(request, "at")();
    const due = expression.nextDate(new Date(from.getTime() - SECOND));
    return `match=${due && due.getTime() === from.getTime() ? "yes" : "no"}\n`;
  },
  warnings(request) {
    const found = parse(need(request, "line", isText), {}).warnings.map(({ message }) => {
      const [, step, span, piece] = /\((\d+)\).*\((\d+)\).*'(.*)'$/.exec(message);
      return `warning=${piece} step=${step} span=${span}\n`;
    });
    return `count=${found.length}\n` + found.join("");
  },
};

function respond(text) {
  try {
    let request;
    try {
      request = JSON.parse(text);
    } catch (error) {
      if (error instanceof SyntaxError) throw new Refused("bad_request");
      throw error;
    }
    if (typeof request !== "object" || request === null || Array.isArray(request)) throw new Refused("bad_request");
    if (!isText(request.action) || !Object.hasOwn(ACTIONS, request.action)) throw new Refused("unknown_action");
    return ACTIONS[request.action](request);
  } catch (error) {
    if (error instanceof Refused) return `error=${error.message}\n`;
    throw error;
  }
}

module.exports = { respond };

if (require.main === module) process.stdout.write(respond(require("node:fs").readFileSync(0, "utf8")));
