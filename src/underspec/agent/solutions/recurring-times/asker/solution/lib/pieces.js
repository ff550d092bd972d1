// The pieces that parts are made of: everything, a number, a range, each with or without a step.
"use strict";

const { BadPiece, BadRange, OutOfRange } = require("./errors.js");
const { told } = require("./settings.js");

const TOLD = /^(?:(\*)|(\d+)(?:-(\d+))?)(?:\/([1-9]\d*))?$/;
const ASSUMED = /^(?:(\*)|(0|[1-9]\d*)(?:-(0|[1-9]\d*))?)(?:\/(\d+))?$/;

// A range of numbers. `around`: ranges may pass its end. `origin`: where "*" begins, if not at the lowest number.
function extent(low, high, { around = true, seven = false, origin = low } = {}) {
  return { low, high, around, seven, origin };
}

function series(from, to, step) {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

class Piece {
  constructor(text, range, from, to, step, everything) {
    Object.assign(this, { text, range, from, to, step });
    this.bare = everything && step === 1;
  }

  get distance() {
    return this.to >= this.from ? this.to - this.from : this.range.high - this.from + (this.to - this.range.low) + 1;
  }

  values() {
    const { low, high } = this.range;
    if (this.to < this.from && !told("pieces.around")) {
      // Assumed: any range may pass the end, and a step begins anew behind it.
      return [...series(this.from, high, this.step), ...series(low, this.to, this.step)];
    }
    return series(0, this.distance, this.step).map((way) => low + ((this.from - low + way) % (high - low + 1)));
  }

  includesYear(year) {
    return this.bare || (year >= this.from && year <= this.to && (year - this.from) % this.step === 0);
  }
}

function readPiece(text, range) {
  const found = (told("pieces.notation") ? TOLD : ASSUMED).exec(text);
  if (!found) throw new BadPiece(text);
  const [, all, first, second, stride] = found;
  const step = Number(stride ?? 1) || 1;
  if (all) return new Piece(text, range, range.origin, range.high, step, true);
  const [from, to] = [first, second].map((digits) => (digits === undefined ? undefined : numbered(Number(digits), range)));
  const outside = (number) => number !== undefined && (number < range.low || number > range.high);
  if (to === undefined) {
    if (outside(from)) throw new OutOfRange(text);
    if (stride !== undefined && !told("pieces.steps")) throw new BadPiece(text); // assumed: a step needs a range
    return new Piece(text, range, from, stride === undefined ? from : range.high, step, false);
  }
  if (outside(from) || outside(to)) throw new BadRange(text);
  if (to < from && !range.around && told("pieces.around")) throw new BadRange(text);
  return new Piece(text, range, from, to, step, false);
}

function numbered(number, range) {
  return range.seven && told("names.seven") && number === 7 ? 0 : number;
}

module.exports = { extent, readPiece };
