// canary underspec-canary-cd1a842c-cc72-46cd-9554-60d029edfe25
// Runs every case of one suite through the dispatcher and keeps each raw answer as a file.
//
// All cases share one process, since a fresh one for each would take most of the time; each starts from its text alone.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { respond } = require("../dispatcher.js");

const suite = process.argv[2];
const source = path.join(__dirname, suite);
const target = path.join(__dirname, "stdout", suite);

fs.mkdirSync(target, { recursive: true });
for (const name of fs.readdirSync(source).filter((entry) => entry.endsWith(".json")).sort()) {
  const { cases } = JSON.parse(fs.readFileSync(path.join(source, name), "utf8"));
  cases.forEach((each, index) => {
    const output = `${path.basename(name, ".json")}@${String(index).padStart(3, "0")}.txt`;
    fs.writeFileSync(path.join(target, output), respond(JSON.stringify(each.input)));
  });
}
