"use strict";
// Runs the cases of one folder.

const fs = require("node:fs");
const path = require("node:path");
const { respond } = require("../rules/adapter");

const suite = process.argv[2];
const target = path.join(__dirname, "stdout", suite);
fs.mkdirSync(target, { recursive: true });
for (const file of fs.readdirSync(path.join(__dirname, suite)).sort()) {
  if (!file.endsWith(".json")) continue;
  const { cases } = JSON.parse(fs.readFileSync(path.join(__dirname, suite, file), "utf8"));
  cases.forEach(({ input }, index) => {
    const name = `${file.slice(0, -".json".length)}@${String(index).padStart(3, "0")}.txt`;
    fs.writeFileSync(path.join(target, name), respond(input));
  });
}
