// npm run check [-- NAME…]: runs the static checks, or those whose names contain NAME.
import { join } from "node:path";
import { arePeersInstalled } from "../bench/install.ts";
import { root } from "./command.ts";
import { runSteps, type Step } from "./steps.ts";

const bin = (name: string): string => join(root, "node_modules/.bin", name);
const tsc = bin("tsc");

const steps: readonly Step[] = [
  // The cli references every other package except the page.
  { name: "types", commands: [[tsc, "-b", "packages/cli"]] },
  { name: "types of the page", commands: [[tsc, "-p", "packages/web", "--noEmit"]] },
  { name: "types of scripts and tests", commands: [[tsc, "-p", "tsconfig.json"]] },
  { name: "types of the benches", commands: [[tsc, "-p", "bench"]] },
  // Only the adapters in this folder import peers.
  {
    name: "types of the peers' adapters",
    commands: [[tsc, "-p", "bench/loop/peers"]],
    skipped: (await arePeersInstalled())
      ? undefined
      : "the peers are not installed; npm run bench -- --install installs them",
  },
  // Which package and which folder imports which: the table is scripts/arrows/packages.ts.
  { name: "arrows", commands: [[process.execPath, "scripts/arrows/main.ts"]] },
  {
    name: "lint",
    commands: [[bin("oxlint")]],
    showOutput: (output) => !output.includes("Found 0 warnings"),
  },
  { name: "format", commands: [[bin("oxfmt"), "--check"]] },
  // Each row of the contract tables has a test.
  { name: "contract tables", commands: [[process.execPath, "scripts/check-contract.ts"]] },
  { name: "paths in documents", commands: [[process.execPath, "scripts/check-documents.ts"]] },
  // How sentences are written: the rules are in scripts/prose/rules.ts.
  { name: "prose", commands: [[process.execPath, "scripts/check-prose.ts"]] },
  // Each export of a package's entry points has a docstring.
  { name: "docstrings", commands: [[process.execPath, "scripts/check-docstrings.ts"]] },
  // Examples in docstrings compile.
  { name: "examples", commands: [[process.execPath, "scripts/check-examples.ts"]] },
  // The published contract has the types of the code.
  { name: "openapi", commands: [[process.execPath, "scripts/openapi.ts", "--check"]] },
  // The reference of the tools matches their definitions.
  {
    name: "tools reference",
    commands: [[process.execPath, "scripts/tools-reference.ts", "--check"]],
  },
  { name: "unused files and exports", commands: [[bin("knip"), "--no-progress"]] },
];

const wanted = process.argv.slice(2);
const chosen = steps.filter(
  ({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)),
);
if (chosen.length === 0) {
  console.error(
    `No step is called ${wanted.join(" ")}. There are: ${steps.map(({ name }) => name).join(", ")}.`,
  );
  process.exit(2);
}
// Each tool uses several threads, so two steps are enough for two cores.
process.exitCode = (await runSteps(chosen, 2)) ? 0 : 1;
