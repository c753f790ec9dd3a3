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

/** Milliseconds of running time, where nobody approved another deadline. */
export const scriptTimeoutMs = 30_000;

/**
 * A script as a tool group: one tool a function. Permissions are those that a person approved for
 * this very content; without them every call asks, and is taken for one that writes.
 *
 * @param options.approved as the approval has them, never as the file declares them
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
    // What a person allowed for this content holds for no other, though it is defined the same.
    version: script.contentHash,
    permission: permissionFor(allowed),
    timeoutMs: allowed?.timeoutMs ?? scriptTimeoutMs,
    ...(allowed?.effects !== undefined && { effects: allowed.effects }),
    ...(allowed?.idempotent !== undefined && { idempotent: allowed.idempotent }),
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
