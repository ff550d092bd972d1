// What can go wrong in the library. Which word a caller sees for it is the adapter's business.
"use strict";

class RecurringError extends Error {}

const kinds = {};
for (const name of [
  "BadRequest", "UnknownAction", "PartCount", "BadPiece", "OutOfRange", "BadRange", "BadOrdinal", "WideStep", "BadOffset",
  "BadTime", "NeverDue",
]) {
  kinds[name] = { [name]: class extends RecurringError {} }[name];
}

module.exports = { RecurringError, ...kinds };
