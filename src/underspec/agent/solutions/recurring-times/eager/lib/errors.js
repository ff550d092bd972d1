// What can go wrong in the library. Which word a caller sees for it is decided in requests.js.
"use strict";

class DueError extends Error {}
class BadLine extends DueError {}
class BadValue extends DueError {}
class BadMoment extends DueError {}

module.exports = { DueError, BadLine, BadValue, BadMoment };
