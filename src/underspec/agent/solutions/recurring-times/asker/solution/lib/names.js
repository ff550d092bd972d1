// Words for months and weekdays, and words for whole lines.
"use strict";

const { told } = require("./settings.js");

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const ENDS = "(?:uary|ruary|ch|il|e|y|ust|tember|ober|ember|day|sday|nesday|rsday|urday|s)?";

const SHORT_WORDS = told("names.short_words")
  ? {
      "@yearly": "0 0 1 1 *",
      "@annually": "0 0 1 1 *",
      "@monthly": "0 0 1 * *",
      "@weekly": "0 0 * * 0",
      "@daily": "0 0 * * *",
      "@midnight": "0 0 * * *",
      "@hourly": "0 * * * *",
    }
  : {
      // Assumed: plain words, and a week that begins on Monday.
      yearly: "0 0 1 1 *",
      monthly: "0 0 1 * *",
      weekly: "0 0 * * 1",
      daily: "0 0 * * *",
      hourly: "0 * * * *",
    };

function withNumbers(part, names, first) {
  const ends = told("names.spelling") ? "" : ENDS; // assumed: long names are fine
  return part.replace(new RegExp(`(${names.join("|")})${ends}`, "g"), (_, name) => String(names.indexOf(name) + first));
}

module.exports = {
  SHORT_WORDS,
  monthNumbers: (part) => withNumbers(part, MONTHS, 1),
  weekdayNumbers: (part) => withNumbers(part, WEEKDAYS, 0),
};
