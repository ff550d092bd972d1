// Feeds each case to the program and keeps what it prints.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import adapter from "../lib/adapter.js";

const source = new URL(`${process.argv[2]}/`, import.meta.url);
const target = new URL(`stdout/${process.argv[2]}/`, import.meta.url);

mkdirSync(target, { recursive: true });
for (const name of readdirSync(source).filter((entry) => entry.endsWith(".json"))) {
  const { cases } = JSON.parse(readFileSync(new URL(name, source), "utf8"));
  for (const [index, { input }] of cases.entries()) {
    const file = `${name.replace(/\.json$/, "")}@${`${index}`.padStart(3, "0")}.txt`;
    writeFileSync(new URL(file, target), adapter.respond(JSON.stringify(input)));
  }
}
