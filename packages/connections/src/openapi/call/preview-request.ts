import { type PreviewContext, type ToolArgs, type ToolError, toolError } from "@capstan/core";
import { visibleText } from "@capstan/core/text";
import type { Operation } from "../definition/operation.ts";
import { buildRequest } from "./build-request.ts";
import { CallProblem } from "./call-problem.ts";
import { type SentFile, writeBody } from "./write-body.ts";

/**
 * Returns the method and the address of a call's request and the files that it sends, for its
 * approval, or the error with which the call would fail. Credentials are not included.
 *
 * @example previewRequest(removePet, { id: 1 }, context) // "DELETE https://pets.example.org/v1/pets/1"
 */
export async function previewRequest(
  operation: Operation,
  args: ToolArgs,
  context: Pick<PreviewContext, "files" | "signal">,
): Promise<string | ToolError> {
  try {
    const { url } = buildRequest(operation, args);
    const written = await writeBody(operation, args["body"], context);
    return effectOfRequest(operation, url, written?.files ?? []);
  } catch (thrown) {
    if (!(thrown instanceof CallProblem)) throw thrown;
    return toolError({ code: "invalid_arguments", message: thrown.message });
  }
}

/** Returns the effect of a request as text. A changed file changes it. */
export function effectOfRequest(
  { method }: Pick<Operation, "method">,
  { href }: URL,
  files: readonly SentFile[],
): string {
  const lines = files.map(
    ({ field, name, size, sha256 }) =>
      `${field}: sends the file ${visibleText(name)}, ${size} bytes, SHA-256 ${sha256}`,
  );
  return [`${method} ${href}`, ...lines].join("\n");
}
