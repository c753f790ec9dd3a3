import { mkdtempSync, writeFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { languageParsers, openToolLibrary } from "./index.ts";
const folder = process.argv[2]!;
if (!existsSync(folder)) throw new Error();
const cpu = () => { const u = process.cpuUsage(); return (u.user + u.system) / 1000; };
const t = cpu();
if (process.argv[3] !== "none") {
const l = await openToolLibrary({ folders: [folder], parsers: languageParsers(), run: () => Promise.reject(new Error("x")), cacheSecret: "bench", watch: false });
console.log(l.groups.length, "own cpu ms", cpu() - t);
await l.close(); }
