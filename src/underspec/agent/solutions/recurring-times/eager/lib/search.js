// Moments after a given one.
"use strict";

const { daysOf } = require("./days");

const MONTHS_AHEAD = 12 * 50;

function* momentsAfter(line, after) {
  for (let ahead = 0; ahead < MONTHS_AHEAD; ahead++) {
    const first = new Date(Date.UTC(after.getUTCFullYear(), after.getUTCMonth() + ahead, 1));
    const year = first.getUTCFullYear();
    const month = first.getUTCMonth() + 1;
    for (const day of daysOf(line, year, month)) {
      if (Date.UTC(year, month - 1, day + 1) <= after) continue;
      for (const hour of line.hour) {
        for (const minute of line.minute) {
          for (const second of line.second) {
            const moment = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
            if (moment > after) yield moment;
          }
        }
      }
    }
  }
}

module.exports = { momentsAfter };
