// What was answered, or assumed.
"use strict";

const { readFileSync } = require("node:fs");
const { join } = require("node:path");

module.exports = JSON.parse(readFileSync(join(__dirname, "..", "settings.json"), "utf8"));
