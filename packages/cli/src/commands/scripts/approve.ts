import { join } from "node:path";
import { isToolError } from "@capstan/core";
import { visibleText } from "@capstan/core/text";
import { openScriptApprovals, type Script } from "@capstan/scripts";
import { type Invocation, printNotice } from "../../arguments/command.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { problemLines } from "../../install/check-tools.ts";
import { argumentTexts } from "../../texts/arguments.ts";
import { confirm } from "../shared/confirm.ts";
import { readConfiguration } from "../shared/read-configuration.ts";
import { findApprovable, onlyOperand } from "./find-files.ts";

/** Asks the user to approve one file, and stores the approval. */
export async function approveScript(invocation: Invocation): Promise<number> {
  const path = onlyOperand(invocation, argumentTexts.operand.file, "approve weather.py");
  const configuration = await readConfiguration(invocation.values);
  const found = await findApprovable(path, configuration.scripts);
  for (const line of problemLines(found.problems, process.cwd())) printNotice(line);
  if (found.status === "refused") return 1;
  const { script } = found;
  printNotice(visibleText(declaration(script)));
  if (
    invocation.values["yes"] !== true &&
    !(await confirm("Approve it?", "There is no terminal to ask; --yes approves without asking."))
  ) {
    printNotice("Nothing was approved.");
    return 1;
  }
  const approvals = bookOf(configuration);
  try {
    const approval = approvals.approve(script);
    const isApproved = !isToolError(approval);
    printNotice(isApproved ? `Approved, as it is now: ${script.contentHash}` : approval.message);
    return isApproved ? 0 : 1;
  } finally {
    approvals.close();
  }
}

/** The exit code is 1 if the file had no approval. */
export async function revokeScript(invocation: Invocation): Promise<number> {
  const path = onlyOperand(invocation, argumentTexts.operand.file, "revoke weather.py");
  const configuration = await readConfiguration(invocation.values);
  const found = await findApprovable(path, configuration.scripts);
  const approvals = bookOf(configuration);
  try {
    const isRevoked = approvals.revoke(found.path);
    printNotice(isRevoked ? "It asks before every call again." : `${found.path} was not approved.`);
    return isRevoked ? 0 : 1;
  } finally {
    approvals.close();
  }
}

function bookOf({ dataDir }: Configuration) {
  return openScriptApprovals({ folder: join(dataDir, "scripts", "approvals") });
}

function declaration({ path, files, declared }: Script): string {
  const made = `${path}, made of ${files.length} ${files.length === 1 ? "file" : "files"}: ${files.join(", ")}`;
  if (isModule(path))
    return `${made}\nIt is loaded into the server, and may do there whatever the server may.`;
  const { file = {}, functions = {} } = declared ?? {};
  const sets = [
    ["all", file] as const,
    ...Object.entries(functions).map(([name, own]) => [name, own] as const),
  ];
  const lines = sets.flatMap(([name, set]) =>
    Object.entries(set).map(([key, value]) => `  ${name}: ${key} ${JSON.stringify(value)}`),
  );
  return [
    made,
    lines.length === 0
      ? "It declares nothing: each new call is asked about once, and it has no network, folders or secrets."
      : "It declares:",
    ...lines,
  ].join("\n");
}

function isModule(path: string): boolean {
  return /\.[mc]?[jt]s$/.test(path);
}
