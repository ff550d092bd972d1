// Values as JSON.
"use strict";

const { Text } = require("./reader.js");
const settings = require("./settings.js");

function printed(value) {
  if (Array.isArray(value)) return `[${value.map(printed).join(settings.printing.layout === "told" ? "," : ", ")}]`;
  if (value instanceof Text) {
    return settings.printing.texts === "told" ? `{"text":${quoted(value.content)}}` : quoted(value.content);
  }
  const isNumber = settings.words.numbers !== "told" && /^-?\d+(?:\.\d+)?$/.test(value);
  return isNumber ? String(Number(value)) : quoted(value);
}

function quoted(text) {
  const json = JSON.stringify(text);
  if (settings.printing.characters === "told") return json;
  return json.replace(/[\u007f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

module.exports = { printed };
