import { visibleText } from "@capstan/core/text";
import type { JsonSchema } from "@capstan/core";
import type { ToolChanges } from "../../definition/compare-tools.ts";
import type { ServerTool } from "../../definition/server-tool.ts";
import type { Operation, OperationList } from "../definition/operation.ts";
import { ChangedDefinitions } from "./changed-definitions.ts";
import type { StoredDocument } from "./stored-document.ts";

type Compared = Pick<StoredDocument, "listed" | "accepted">;

/** Returns the operations that were added or changed, so that a user must accept them. */
export function waitingOperations({ listed, accepted = listed }: Compared): readonly Operation[] {
  if (accepted === listed) return [];
  const before = new Map(accepted.operations.map((one) => [one.key, one.digest]));
  return listed.operations.filter(({ key, digest }) => before.get(key) !== digest);
}

/**
 * Returns the differences between the operations of a document and the accepted ones. Operations
 * share definitions: each definition is part of the first operation that needs it to be shown.
 * Definitions that stay the same are not shown with changed operations. Works in steps, because a
 * document can have thousands of operations.
 */
export function* changesInSteps({
  listed,
  accepted = listed,
}: Compared): Generator<void, ToolChanges> {
  const before = new Map(accepted.operations.map((one) => [one.key, one]));
  const now = new Set(listed.operations.map(({ key }) => key));
  const waiting = waitingOperations({ listed, accepted });
  const request = new ChangedDefinitions({ from: accepted.defs, to: listed.defs }, "request");
  const response = new ChangedDefinitions({ from: accepted.defs, to: listed.defs }, "response");
  const changed: { from: ServerTool; to: ServerTool }[] = [];
  for (const to of waiting) {
    const from = before.get(to.key);
    if (from === undefined) continue;
    const inputs = yield* request.ofChange(from.input, to.input);
    const outputs = yield* response.ofChange(from.output, to.output);
    changed.push({
      from: describe(from, accepted, { input: inputs.from, output: outputs.from }),
      to: describe(to, listed, { input: inputs.to, output: outputs.to }),
    });
    yield;
  }
  const added: ServerTool[] = [];
  for (const operation of waiting) {
    if (before.has(operation.key)) continue;
    const input = yield* request.ofAddition(operation.input);
    const output = yield* response.ofAddition(operation.output);
    added.push(describe(operation, listed, { input, output }));
    yield;
  }
  return {
    added,
    // Only the names of removed operations are shown.
    removed: accepted.operations
      .filter(({ key }) => !now.has(key))
      .map((operation) => describe(operation, accepted, { input: {}, output: undefined })),
    changed,
  };
}

/** Returns an operation in the form in which users see changed tools. */
function describe(
  { key, toolName, description, digest, server, parameters, body, security }: Operation,
  list: OperationList,
  schemas: { readonly input: JsonSchema | undefined; readonly output: JsonSchema | undefined },
): ServerTool {
  const schemes = Object.fromEntries(
    [...new Set(security.flat())].map((name) => [name, list.schemes[name] ?? null]),
  );
  return {
    name: visibleText(key),
    safeName: toolName,
    description: visibleText(description),
    inputSchema: schemas.input ?? {},
    ...(schemas.output !== undefined && { outputSchema: schemas.output }),
    annotations: {},
    request: { server, parameters, ...(body && { body }), security, schemes },
    digest,
  };
}
