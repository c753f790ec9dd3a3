// A thread that approves scripts like another process, in tests.
import { workerData } from "node:worker_threads";
import { openScriptApprovals } from "../approve/script-approvals.ts";
import type { Script } from "../definition/script-function.ts";

const { folder, scripts } = workerData as {
  readonly folder: string;
  readonly scripts: readonly Script[];
};
const approvals = openScriptApprovals({ folder });
for (const script of scripts) approvals.approve(script);
