// canary underspec-canary-f9b8a19e-7782-5bc3-851b-18207c8cf427
// Runs every case of one suite through the dispatcher and keeps each raw answer as a file.
// All cases share one process. A case whose answer does not come leaves no file, and says why on standard error.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

async function main(suite) {
  const { respond } = require(path.join(__dirname, "..", "dispatcher.js"));
  const target = path.join(__dirname, "stdout", suite);
  fs.mkdirSync(target, { recursive: true });
  const files = fs.readdirSync(path.join(__dirname, suite)).filter((name) => name.endsWith(".json")).sort();
  for (const file of files) {
    const { cases } = JSON.parse(fs.readFileSync(path.join(__dirname, suite, file), "utf8"));
    for (const [index, { input }] of cases.entries()) {
      const name = `${file.slice(0, -5)}@${String(index).padStart(3, "0")}.txt`;
      try {
        fs.writeFileSync(path.join(target, name), await respond(JSON.stringify(input)));
      } catch (error) {
        console.error(`${name}:\n${error.stack}`);
      }
    }
  }
}

main(process.argv[2]);
