// Feeds each case to the program and keeps what it prints.
"use strict";

const fs = require("fs");
const path = require("path");
const { answer } = require("../lib/requests");

const folder = process.argv[2];
const source = path.join(__dirname, folder);
const target = path.join(__dirname, "stdout", folder);

fs.mkdirSync(target, { recursive: true });
for (const name of fs.readdirSync(source).sort()) {
  if (!name.endsWith(".json")) continue;
  const stem = name.slice(0, -".json".length);
  JSON.parse(fs.readFileSync(path.join(source, name), "utf8")).cases.forEach((item, index) => {
    const file = `${stem}@${String(index).padStart(3, "0")}.txt`;
    fs.writeFileSync(path.join(target, file), answer(JSON.stringify(item.input)));
  });
}
