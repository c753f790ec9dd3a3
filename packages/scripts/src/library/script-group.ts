import { basename } from "node:path";
import {
  defineToolGroup,
  type JsonObject,
  type Tool,
  type ToolGroup,
  withText,
} from "@capstan/core";
import type { ToolPermission } from "@capstan/core/host";
import { permissionsOf } from "../definition/permissions.ts";
import type {
  DeclaredPermissions,
  RunScriptFunction,
  Script,
  ScriptFunction,
  ScriptPermissions,
} from "../definition/script-function.ts";

/** The deadline of a function in ms, unless another one was approved. */
export const scriptTimeoutMs = 30_000;

/**
 * Returns a script as a tool group with one tool for each function. Its permissions are those that
 * a user approved for exactly this content. Without an approval every call asks and counts as
 * writing.
 *
 * @param options.approved the approved permissions, never those that the file declares
 */
export function scriptGroup(
  script: Script,
  options: {
    readonly run: RunScriptFunction;
    readonly approved: DeclaredPermissions | undefined;
  },
): ToolGroup {
  const { approved, run } = options;
  return defineToolGroup({
    name: script.groupId,
    title: script.title,
    description: `Tools of ${basename(script.path)}.`,
    ...(script.rules !== "" && { rulePrompt: script.rules }),
    tools: script.functions.map((one) => scriptTool(script, one, { run, approved })),
  });
}

function scriptTool(
  script: Script,
  one: ScriptFunction,
  options: {
    readonly run: RunScriptFunction;
    readonly approved: DeclaredPermissions | undefined;
  },
): Tool {
  const { approved, run } = options;
  const { name, parameters, returns } = one;
  const allowed = approved === undefined ? undefined : permissionsOf(approved, name);
  return {
    definition: {
      type: "function",
      function: { name, description: descriptionOf(one), parameters },
    },
    // A grant for this content must not apply to other content with the same definition.
    version: script.contentHash,
    permission: permissionFor(allowed),
    timeoutMs: allowed?.timeoutMs ?? scriptTimeoutMs,
    stopMs: 5_000,
    ...(allowed?.effects !== undefined && { effects: allowed.effects }),
    ...(allowed?.idempotent !== undefined && { idempotent: allowed.idempotent }),
    ...(allowed?.final !== undefined && { final: allowed.final }),
    ...(allowed?.hidden !== undefined && { hidden: allowed.hidden && allowed.final !== true }),
    ...(returns !== undefined && { declaredReturnType: returns }),
    execute: async (args, context) => {
      const { value, formattedText } = await run({
        script,
        function: one,
        arguments: args as JsonObject,
        context,
        signal: context.signal,
      });
      return formattedText === undefined ? value : withText(value, formattedText);
    },
  };
}

function permissionFor(allowed: ScriptPermissions | undefined): ToolPermission {
  if (allowed === undefined) return { executionPolicy: "ask-always" };
  const { executionPolicy = "ask-once", resultApprovalPolicy = "never" } = allowed;
  return { executionPolicy, resultApprovalPolicy };
}

function descriptionOf({ description, raises }: ScriptFunction): string {
  if (raises.length === 0) return description;
  const failures = raises.map(({ type, note }) => (note === undefined ? type : `${type}: ${note}`));
  return `${description}\n\nFails with:\n${failures.map((line) => `- ${line}`).join("\n")}`;
}
