// Moments and clocks, from and to texts.
"use strict";

const { BadOffset, BadTime } = require("./errors.js");
const { told } = require("./settings.js");

const MINUTE = 60_000;
const MOMENT = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?(?:Z|([+-])(\d\d):(\d\d)))?$/;
const CLOCK = /^([+-]?)(0[1-9]|1[0-4])(?::?([0-5]\d))?$/;

function readMoment(text) {
  if (!told("input.moments")) {
    const date = new Date(/T[\d:.]+$/.test(text) ? `${text}Z` : text); // assumed: whatever the platform can read
    if (Number.isNaN(date.getTime())) throw new BadTime(text);
    return new Date(Math.floor(date.getTime() / 1000) * 1000);
  }
  const found = MOMENT.exec(text);
  if (!found) throw new BadTime(text);
  const [year, month, day, hour, minute, second, , aheadHours, aheadMinutes] = found.slice(1).map((each) => Number(each ?? 0));
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) throw new BadTime(text);
  if (Math.max(hour, aheadHours) > 23 || Math.max(minute, second, aheadMinutes) > 59) throw new BadTime(text);
  const ahead = (aheadHours * 60 + aheadMinutes) * (found[7] === "-" ? -1 : 1);
  return new Date(date.getTime() + (hour * 60 + minute - ahead) * MINUTE + second * 1000);
}

// How many minutes the clock is ahead of UTC.
function readClock(offset) {
  if (typeof offset === "number") {
    if (told("clocks.notation") ? Math.abs(offset) > 840 : Math.abs(offset) > 24) throw new BadOffset(offset);
    return told("clocks.notation") ? offset : offset * 60; // assumed: a number means hours
  }
  if (!told("clocks.notation")) {
    const plain = /^([+-])(\d\d):(\d\d)$/.exec(offset);
    if (!plain) throw new BadOffset(offset);
    return (Number(plain[2]) * 60 + Number(plain[3])) * (plain[1] === "-" ? -1 : 1);
  }
  const found = CLOCK.exec(offset);
  if (!found) throw new BadOffset(offset);
  return (Number(found[2]) * 60 + Number(found[3] ?? 0)) * (found[1] === "-" ? -1 : 1);
}

function written(moment, ahead) {
  const shift = told("clocks.answers") ? 0 : ahead; // assumed: answers on the clock of the line
  const date = new Date(moment.getTime() + shift * MINUTE);
  const [, years, rest] = /^\+?(-?\d+)(-.*)\.000Z$/.exec(date.toISOString());
  const text = `${years.replace(/^0+(?=\d{4})/, "")}${rest}`;
  return told("output.moments") ? `${text}Z` : text.replace("T", " ");
}

module.exports = { MINUTE, readClock, readMoment, written };
