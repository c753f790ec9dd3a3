import { badRequest, isObject, RequestError } from "../../http/errors.ts";
import type { Sealer } from "../../http/sealing.ts";

type Fields = { readonly [name: string]: unknown };

/** Opens the `encrypted_content` of a compaction item of this server. */
export type OpenSummary = (sealed: string) => ReturnType<Sealer["open"]>;

/**
 * Returns a request's body with items of other servers' tools as function calls and outputs, so that
 * the model sees them. This server's compaction items become messages. Other bodies are returned
 * unchanged.
 *
 * @throws RequestError for parameters and items that this server cannot honour
 */
export function withKnownItems(body: unknown, openSummary: OpenSummary): unknown {
  if (!isObject(body)) return body;
  checkParameters(body);
  const { input } = body;
  if (!Array.isArray(input)) return body;
  const items = input as readonly unknown[];
  if (!items.some(isForeign)) return body;
  return {
    ...body,
    input: items.flatMap((item, index) => knownItems(item, `input[${index}]`, openSummary)),
  };
}

const unsupportedParameters: { readonly [name: string]: string } = {
  prompt: "Prompt templates are not stored here; send their text as 'instructions' and 'input'.",
  context_management:
    "This server compacts no context by itself; use POST /v1/responses/compact, or send fewer items, or use 'history' and 'previous_response_id'.",
};

function checkParameters(body: Fields): void {
  for (const [param, advice] of Object.entries(unsupportedParameters)) {
    const given = body[param];
    if (given == null || given === "" || (Array.isArray(given) && given.length === 0)) continue;
    throw unsupported(param, `Unsupported parameter: '${param}'. ${advice}`);
  }
}

function unsupported(param: string, message: string): RequestError {
  return new RequestError({ param, code: "unsupported_parameter", message });
}

const foreignTypes: ReadonlySet<unknown> = new Set([
  "compaction",
  "compaction_summary",
  "compaction_trigger",
  "computer_call",
  "computer_call_output",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
]);

function isForeign(item: unknown): boolean {
  return isObject(item) && foreignTypes.has(item["type"]);
}

function knownItems(item: unknown, at: string, openSummary: OpenSummary): readonly unknown[] {
  if (!isObject(item)) return [item];
  switch (item["type"]) {
    case "compaction":
    case "compaction_summary":
      return [summaryOf(item, at, openSummary)];
    case "compaction_trigger":
      throw foreignCompaction(item, at);
    case "computer_call":
    case "computer_call_output":
      throw foreignComputer(item, at);
    case "file_search_call": {
      const { queries, results } = item;
      return [
        callOf(item, { queries }),
        outputOf(item, textOf(results ?? "The results were not stored.")),
      ];
    }
    case "code_interpreter_call": {
      const { code, outputs } = item;
      return [
        callOf(item, { code }),
        outputOf(item, textOf(outputs ?? "The outputs were not stored.")),
      ];
    }
    case "image_generation_call":
      return [callOf(item, { prompt: item["revised_prompt"] }), outputOf(item, imageOf(item))];
    default:
      return [item];
  }
}

/** Returns the summary as a message of the model, which wrote it. */
function summaryOf(item: Fields, at: string, openSummary: OpenSummary): Fields {
  const sealed = item["encrypted_content"];
  const opened = typeof sealed === "string" ? openSummary(sealed) : undefined;
  if (opened?.status === "opened") {
    const text = `Summary of the conversation so far:\n\n${opened.text}`;
    return {
      type: "message",
      role: "assistant",
      id: item["id"],
      content: [{ type: "output_text", text }],
    };
  }
  if (opened?.status !== "invalid") throw foreignCompaction(item, at);
  const param = `${at}.encrypted_content`;
  throw badRequest(
    param,
    `Invalid '${param}': it is corrupt, or this server sealed it for another user or with another key. Send the item as /v1/responses/compact returned it, or the messages themselves.`,
  );
}

function foreignCompaction(item: Fields, at: string): RequestError {
  const message = `Unsupported item: '${at}' is a '${String(item["type"])}'. This server did not write it and cannot read it; send the messages themselves, or 'previous_response_id', or compact them at /v1/responses/compact.`;
  return unsupported(`${at}.type`, message);
}

function foreignComputer(item: Fields, at: string): RequestError {
  const message = `Unsupported item: '${at}' is a '${String(item["type"])}'. This server offers no model control of a computer; send the screenshots as 'input_image' parts of a message.`;
  return unsupported(`${at}.type`, message);
}

/** Returns the call as a call of a function with the tool's name. */
function callOf(item: Fields, args: unknown): Fields {
  const name = String(item["type"]).replace(/_call$/, "");
  return {
    type: "function_call",
    call_id: callIdOf(item),
    name,
    arguments: JSON.stringify(isObject(args) ? args : { action: args }),
  };
}

function outputOf(item: Fields, output: unknown): Fields {
  return { type: "function_call_output", call_id: callIdOf(item), output };
}

/** Calls that a server ran have only an `id`. */
function callIdOf({ call_id: callId, id }: Fields): unknown {
  return callId ?? id;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

function imageOf({ result, output_format: format }: Fields): unknown {
  if (typeof result !== "string" || result === "") return "The image was not stored.";
  const type = typeof format === "string" && /^\w+$/.test(format) ? format : "png";
  const url = result.startsWith("data:") ? result : `data:image/${type};base64,${result}`;
  return [{ type: "input_image", image_url: url }];
}
