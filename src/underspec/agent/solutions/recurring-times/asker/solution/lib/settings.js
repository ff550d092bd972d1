// The open points of the request, as they were answered or assumed.
"use strict";

const settings = require("../settings.json");

// The setting "group.name"; a missing one means a slip in this program.
function setting(name) {
  const [group, leaf] = name.split(".");
  if (!(leaf in settings[group])) throw new Error(`no setting ${name}`);
  return settings[group][leaf];
}

const told = (name) => setting(name) === "told";

module.exports = { setting, told };
