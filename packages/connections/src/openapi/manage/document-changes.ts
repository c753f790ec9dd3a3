import { visibleText } from "@capstan/core/text";
import type { ToolChanges } from "../../definition/compare-tools.ts";
import type { ServerTool } from "../../definition/server-tool.ts";
import { visibleTexts } from "../../definition/visible-texts.ts";
import type { JsonSchema } from "@capstan/core";
import { selfContainedSchema } from "../definition/self-contained-schema.ts";
import type { Operation, OperationList } from "../definition/operation.ts";
import type { StoredDocument } from "./stored-document.ts";

/** Returns whether operations were added or changed, so that a user must accept them. */
export function hasWaiting(listed: OperationList, accepted: OperationList): boolean {
  const before = new Map(accepted.operations.map((one) => [one.key, one.digest]));
  return listed.operations.some(({ key, digest }) => before.get(key) !== digest);
}

/** Returns the differences between the operations of a document and the accepted ones. */
export function changesOf({ listed, accepted = listed }: StoredDocument): ToolChanges {
  const before = new Map(accepted.operations.map((one) => [one.key, one]));
  const now = new Set(listed.operations.map(({ key }) => key));
  return {
    added: listed.operations
      .filter(({ key }) => !before.has(key))
      .map((operation) => describe(operation, listed)),
    removed: accepted.operations
      .filter(({ key }) => !now.has(key))
      .map((operation) => describe(operation, accepted)),
    changed: listed.operations.flatMap((to) => {
      const from = before.get(to.key);
      return from === undefined || from.digest === to.digest
        ? []
        : [{ from: describe(from, accepted), to: describe(to, listed) }];
    }),
  };
}

/** Returns an operation in the form in which users see changed tools. */
function describe(operation: Operation, list: OperationList): ServerTool {
  const { key, toolName, description, digest, input, output, server, parameters } = operation;
  const { body, security } = operation;
  const schemes = Object.fromEntries(
    [...new Set(security.flat())].map((name) => [name, list.schemes[name] ?? null]),
  );
  return {
    name: visibleText(key),
    safeName: toolName,
    description: visibleText(description),
    inputSchema: visibleTexts(selfContainedSchema(input, list.defs, "request")) as JsonSchema,
    ...(output !== undefined && {
      outputSchema: visibleTexts(selfContainedSchema(output, list.defs, "response")) as JsonSchema,
    }),
    annotations: {},
    request: { server, parameters, ...(body && { body }), security, schemes },
    digest,
  };
}
