// What can be wrong with a note: a kind, and the place where it was noticed.
"use strict";

class Fault extends Error {
  constructor(kind, place) {
    super(kind);
    this.kind = kind;
    this.place = place;
  }
}

module.exports = { Fault };
