// All attacks. To add one, write a module in `attacks/` that exports an `Attack`. It gets the
// seeded random source and starts its target, in most cases with `startVictim`. Then add it here
// and to `attack.test.ts` or `long-attacks.test.ts`, and name it in docs/reference/security.md. If tests or a proof of `npm
// run test:breaking` attack it already, an entry is enough.
import { retried } from "../breaking/proofs/retried.ts";
import { type Attack, bothDatabases } from "./attack.ts";
import { disk } from "./attacks/disk.ts";
import { disconnects } from "./attacks/disconnects.ts";
import { forgeries } from "./attacks/forgeries.ts";
import { fuzzer } from "./attacks/fuzzer.ts";
import { large } from "./attacks/large.ts";
import { payloads } from "./attacks/payloads.ts";
import { principals } from "./attacks/principals.ts";
import { repeats } from "./attacks/repeats.ts";
import { ssrf } from "./attacks/ssrf.ts";
import { provenBy, testFiles } from "./existing.ts";

export const attacks: readonly Attack[] = [
  principals,
  forgeries,
  fuzzer,
  repeats,
  large,
  ssrf,
  disconnects,
  disk,
  payloads,
  provenBy(retried, { name: "retries" }),
  testFiles({
    name: "escapes",
    title: "programs that try to escape from the sandbox",
    files: [
      "packages/sandbox/src/confine/sandbox.escapes.test.ts",
      "packages/sandbox/src/confine/sandbox.limits.test.ts",
      "packages/sandbox/src/network/confined-network.test.ts",
      "packages/sandbox/src/process/seccomp-filter.test.ts",
      "test/code-bombs.test.ts",
      "test/script-bombs.test.ts",
    ],
  }),
  testFiles({
    name: "readers",
    title: "slow readers, many connections and large requests",
    files: ["test/slow-readers.test.ts", "test/large-runs.test.ts"],
    on: bothDatabases,
  }),
  testFiles({
    name: "page",
    title: "text from models, tools, files and users that tries to execute on the page",
    files: ["test/page/safety.test.ts", "test/page/shown-arguments.test.ts"],
  }),
];
