"use strict";

const { answer } = require("./lib/requests");

process.stdout.write(answer(require("fs").readFileSync(0, "utf8")));
