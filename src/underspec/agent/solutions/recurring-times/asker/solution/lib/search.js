// The moments of a line.
"use strict";

const { NeverDue } = require("./errors.js");
const { MINUTE } = require("./moments.js");
const { told } = require("./settings.js");

const YEARS_AHEAD = 40_000;

function* years(line, first) {
  const last = Math.min(line.lastYear, first + YEARS_AHEAD);
  for (let year = first; year <= last; year++) if (line.hasYear(year)) yield year;
}

// Ascending; strictly later than `after` where that was answered so.
function* momentsAfter(line, after, ahead) {
  const clock = after.getTime() + ahead * MINUTE - (told("moments.after") ? 0 : 1);
  const [seconds, minutes, hours, months] = ["second", "minute", "hour", "month"].map(line.values);
  for (const year of years(line, new Date(clock).getUTCFullYear())) {
    for (const month of months) {
      if (Date.UTC(year, month, 1) <= clock) continue;
      for (const day of line.days.of(year, month)) {
        if (Date.UTC(year, month - 1, day + 1) <= clock) continue;
        for (const hour of hours) {
          for (const minute of minutes) {
            for (const second of seconds) {
              const moment = Date.UTC(year, month - 1, day, hour, minute, second);
              if (moment > clock) yield new Date(moment - ahead * MINUTE);
            }
          }
        }
      }
    }
  }
}

function several(line, after, ahead, count) {
  const found = [];
  if (count === 0) return found;
  for (const moment of momentsAfter(line, after, ahead)) {
    found.push(moment);
    if (found.length === count) return found;
  }
  if (!found.length && !told("years.over")) throw new NeverDue(); // assumed: that is a failure
  return found;
}

function matches(line, moment, ahead) {
  const length = told("moments.match") ? 1000 : MINUTE; // assumed: the minute decides
  const from = Math.floor(moment.getTime() / length) * length;
  const before = told("moments.after") ? 1000 : 0;
  const [found] = several(line, new Date(from - before), ahead, 1);
  return found !== undefined && found.getTime() < from + length;
}

function dueDays(line, year, month) {
  return line.hasYear(year) && line.values("month").includes(month) ? line.days.of(year, month) : [];
}

module.exports = { dueDays, matches, several };
