"use strict";

const { readFileSync } = require("node:fs");
const { respond } = require("./lib/adapter.js");

process.stdout.write(respond(readFileSync(0, "utf8")));
