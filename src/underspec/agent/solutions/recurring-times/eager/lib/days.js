// The days of a month on which a line is due.
"use strict";

function length(year, month) {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function isDue(line, year, month, day) {
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
  const byDay = line.day.includes(day) || (line.last && day === length(year, month));
  const byWeekday = line.weekday.includes(weekday) && (!line.nth || Math.ceil(day / 7) === line.nth);
  if (line.anyDay) return byWeekday;
  if (line.anyWeekday) return byDay;
  return byDay || byWeekday;
}

function daysOf(line, year, month) {
  const days = [];
  if (!line.month.includes(month)) return days;
  for (let day = 1; day <= length(year, month); day++) if (isDue(line, year, month, day)) days.push(day);
  return days;
}

module.exports = { daysOf };
