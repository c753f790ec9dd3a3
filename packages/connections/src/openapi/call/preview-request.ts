import { type ToolArgs, type ToolError, toolError } from "@capstan/core";
import type { Operation } from "../definition/operation.ts";
import { buildRequest } from "./build-request.ts";
import { CallProblem } from "./call-problem.ts";

/**
 * Returns the method and the address of a call's request, for its approval, or the error with which
 * the call would fail. Credentials are not included.
 *
 * @example previewRequest(removePet, { id: 1 }) // "DELETE https://pets.example.org/v1/pets/1"
 */
export function previewRequest(operation: Operation, args: ToolArgs): string | ToolError {
  try {
    return `${operation.method} ${buildRequest(operation, args).url.href}`;
  } catch (thrown) {
    if (!(thrown instanceof CallProblem)) throw thrown;
    return toolError({ code: "invalid_arguments", message: thrown.message });
  }
}
