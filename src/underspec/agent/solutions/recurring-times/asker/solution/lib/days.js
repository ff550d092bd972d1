// Which days of a month the day and weekday parts choose.
"use strict";

const { BadOrdinal, BadPiece } = require("./errors.js");
const { extent, readPiece } = require("./pieces.js");
const { told } = require("./settings.js");

const DAY = extent(1, 31, { around: false });
const WEEKDAY = extent(0, told("names.seven") || !told("lines.ranges") ? 6 : 7, { seven: true });

class Month {
  constructor(year, month) {
    const first = new Date(Date.UTC(2000 + (year % 400), month - 1, 1)); // the calendar repeats every 400 years
    this.firstWeekday = first.getUTCDay();
    this.length = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  }

  weekday(day) {
    return (this.firstWeekday + day - 1) % 7;
  }

  withWeekday(weekday) {
    return this.days().filter((day) => this.weekday(day) === weekday % 7);
  }

  days() {
    return Array.from({ length: this.length }, (_, index) => index + 1);
  }

  working(day) {
    const near = { 6: day - 1, 0: day + 1 }[this.weekday(day)] ?? day;
    if (near < 1) return near + 3;
    return near > this.length ? near - 3 : near;
  }
}

const noMark = (text) => (told("days.question_mark") && text === "?" ? "*" : text);

// Kinds of day pieces, the first that fits; each yields { choose, piece } with choose(month) giving days.
const DAY_KINDS = [
  {
    fits: (text) => text === "l" || (told("days.month_end") && text === "lw"),
    read: (text) => ({ choose: (month) => [text === "l" ? month.length : month.working(month.length)] }),
  },
  {
    fits: (text) => told("days.working_day") && text.endsWith("w"),
    read: (text) => {
      const piece = readPiece(text.slice(0, -1), DAY);
      const known = (month) => piece.values().map((day) => (told("days.missing") ? Math.min(day, month.length) : day));
      return { piece, ending: true, choose: (month) => known(month).map((day) => month.working(day)) };
    },
  },
  {
    fits: () => true,
    read: (text) => {
      const piece = readPiece(noMark(text), DAY);
      return { piece, bare: piece.bare, choose: () => piece.values() };
    },
  },
];

const WEEKDAY_KINDS = [
  {
    fits: (text) => told("days.last_weekday") && text.endsWith("l"),
    read: (text) => {
      const piece = readPiece(text.slice(0, -1), WEEKDAY);
      return { piece, ending: true, choose: (month) => piece.values().map((each) => month.withWeekday(each).pop()) };
    },
  },
  {
    fits: (text) => text.includes("#"),
    read: (text) => {
      const mark = text.lastIndexOf("#");
      const ordinal = text.slice(mark + 1);
      // Assumed: one weekday stands in front, and any slip is just a piece that cannot be read.
      const known = told("days.ordinal") || /^\d#[1-4]$/.test(text);
      if (!known) throw new BadPiece(text);
      if (!/^[1-5]$/.test(ordinal)) throw new BadOrdinal(text);
      const piece = readPiece(text.slice(0, mark), WEEKDAY);
      const nth = (month, each) => month.withWeekday(each)[Number(ordinal) - 1];
      return { piece, ending: true, last: true, choose: (month) => piece.values().map((each) => nth(month, each)) };
    },
  },
  {
    fits: () => true,
    read: (text) => {
      const piece = readPiece(noMark(text), WEEKDAY);
      return { piece, bare: piece.bare, choose: (month) => piece.values().flatMap((each) => month.withWeekday(each)) };
    },
  },
];

function readPart(part, kinds) {
  return part.split(",").map((text) => kinds.find((kind) => kind.fits(text)).read(text));
}

function readDays(day, weekday) {
  return {
    day: readPart(day, DAY_KINDS),
    weekday: readPart(weekday, WEEKDAY_KINDS),
    of(year, month) {
      const at = new Month(year, month);
      const chosen = (pieces) => new Set(pieces.flatMap((piece) => piece.choose(at)));
      const parts = [this.day, this.weekday];
      const free = parts.map((pieces) => pieces.length === 1 && pieces[0].bare);
      if (free[0] && free[1]) return at.days();
      if (told("days.together")) {
        const either = chosen(parts.flat().filter((piece) => !piece.bare));
        return at.days().filter((each) => either.has(each));
      }
      // Assumed: where both parts say something, both have to fit.
      const [byDay, byWeekday] = parts.map(chosen);
      return at.days().filter((each) => (free[0] || byDay.has(each)) && (free[1] || byWeekday.has(each)));
    },
  };
}

module.exports = { readDays };
