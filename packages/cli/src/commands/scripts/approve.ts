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
import { formatCount } from "../../terminal/style.ts";
import { scriptTexts } from "../../texts/scripts.ts";

const texts = scriptTexts.approve;

/** Asks the user to approve one file, and stores the approval. */
export async function approveScript(invocation: Invocation): Promise<number> {
  const path = onlyOperand(invocation, argumentTexts.operand.file, "approve weather.py");
  const configuration = await readConfiguration(invocation.values);
  const found = await findApprovable(path, configuration.scripts);
  for (const line of problemLines(found.problems, process.cwd())) printNotice(line);
  if (found.status === "refused") return 1;
  const { script } = found;
  printNotice(visibleText(declaration(script)));
  if (invocation.values["yes"] !== true && !(await confirm(texts.confirm, texts.noTerminal))) {
    printNotice(texts.notApproved);
    return 1;
  }
  const approvals = bookOf(configuration);
  try {
    const approval = approvals.approve(script);
    const isApproved = !isToolError(approval);
    printNotice(isApproved ? texts.approved(script.contentHash) : approval.message);
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
    printNotice(isRevoked ? texts.revoked : texts.wasNotApproved(found.path));
    return isRevoked ? 0 : 1;
  } finally {
    approvals.close();
  }
}

function bookOf({ dataDir }: Configuration) {
  return openScriptApprovals({ folder: join(dataDir, "scripts", "approvals") });
}

function declaration({ path, files, declared }: Script): string {
  const count = formatCount(files.length, "file");
  const contents = texts.files(path, count, files.join(", "));
  if (isModule(path)) return `${contents}\n${texts.module}`;
  const { file = {}, functions = {} } = declared ?? {};
  const sets = [
    ["all", file] as const,
    ...Object.entries(functions).map(([name, own]) => [name, own] as const),
  ];
  const lines = sets.flatMap(([name, set]) =>
    Object.entries(set).map(([key, value]) => `  ${name}: ${key} ${JSON.stringify(value)}`),
  );
  return [contents, lines.length === 0 ? texts.nothingDeclared : texts.declares, ...lines].join(
    "\n",
  );
}

function isModule(path: string): boolean {
  return /\.[mc]?[jt]s$/.test(path);
}
