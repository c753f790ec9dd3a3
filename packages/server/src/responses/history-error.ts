import { badRequest, RequestError } from "../http/errors.ts";
import type { HistoryProblem } from "../runs/history/history-item.ts";
import type { InputItem } from "./request/parse-input.ts";

/** Returns the error for a history that cannot be merged, in OpenAI's words. */
export function historyError(problem: HistoryProblem, input: readonly InputItem[]): RequestError {
  const { at } = problem;
  switch (problem.reason) {
    case "unknown_item":
      return new RequestError({
        status: 404,
        param: "input",
        code: "item_not_found",
        message: `Item with id '${problem.id}' not found (input[${at}]). Items are not persisted when \`store\` is set to false. Send the item itself, or set \`store\` to true.`,
      });
    case "unknown_call":
      return badRequest(
        "input",
        `No tool call found for function call output with call_id ${problem.callId}.`,
      );
    case "second_output":
      return new RequestError({
        param: `input[${at}].output`,
        code: "duplicate_value",
        message: `input[${at}] is a second, different output of the call ${problem.callId}. Send one output for each call.`,
      });
    case "unknown_approval": {
      const item = input[at];
      const id = item?.type === "mcp_approval_response" ? item.approval_request_id : "";
      return new RequestError({
        param: `input[${at}].approval_request_id`,
        code: "approval_not_found",
        message: `MCP approval request '${id}' not found.`,
      });
    }
    case "approval_in_other_store":
      return new RequestError({
        param: `input[${at}].approval_request_id`,
        code: "approval_needs_store",
        message:
          "A stored response requested this approval, so answer it with 'store' true: its call must run only once, whichever request answers it.",
      });
  }
}
