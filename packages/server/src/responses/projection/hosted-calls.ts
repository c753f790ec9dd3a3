import type { CallResult, JsonObject, JsonValue } from "@capstan/core";
import type { SettledStatus } from "@capstan/core/host";
import { isObject } from "../../http/errors.ts";
import { createHostedData, type HostedData, type IncludedData } from "./hosted-data.ts";
import { internText, type InternedText } from "./text-items.ts";
import { createItemWriter, type ItemWriter } from "./output-order.ts";
import type {
  CodeInterpreterCallOutput,
  FileSearchCallOutput,
  HostedStatus,
  ImageGenerationCallOutput,
  ItemEvent,
  WebSearchCallOutput,
} from "./wire.ts";

/** The types of tools that OpenAI runs, and that the configuration can bind to a tool. */
export type HostedType = "web_search" | "file_search" | "image_generation" | "code_interpreter";

/** Writes a call of a tool that is bound to a hosted type, as an item of that type. */
export interface HostedCallWriter extends ItemWriter {
  /** Takes a custom event of the tool. Events of other types are ignored. */
  report(name: string, data: JsonValue): void;
  /** Called when a user reviews the result. */
  review(): void;
  settle(status: SettledStatus, result: CallResult): void;
}

/** The state of a call, from its arguments, its events and its result. */
interface HostedCall {
  readonly args: JsonObject;
  readonly queries: string[];
  code: string;
  readonly data: HostedData;
  readonly included: ReadonlySet<string>;
  image: { readonly data: InternedText; readonly format: string } | undefined;
}

type Send = (event: ItemEvent) => void;

/** The stage of each type between the first and the last one. */
const working = {
  web_search: "searching",
  file_search: "searching",
  image_generation: "generating",
  code_interpreter: "interpreting",
} as const;

const prefixes: { readonly [type in HostedType]: string } = {
  web_search: "ws",
  file_search: "fs",
  image_generation: "ig",
  code_interpreter: "ci",
};

/**
 * Creates the writer of a call's item. The tool's own events drive it; stages that are missing, for
 * example because the result was in review, are added at the end.
 *
 * @param options.argumentsText the arguments as JSON
 * @param options.containerId the container of a `code_interpreter` call
 * @param options.included the data that the request includes
 */
export function createHostedWriter(
  type: HostedType,
  {
    argumentsText,
    containerId,
    included,
  }: {
    readonly argumentsText: string;
    readonly containerId: string;
    readonly included: readonly string[];
  },
): HostedCallWriter {
  const call: HostedCall = {
    args: argumentsOf(argumentsText),
    queries: [],
    code: "",
    data: createHostedData(),
    included: new Set(included),
    image: undefined,
  };
  call.queries.push(...queriesOf(call.args));
  const whole = call.args["code"];
  let reported: ItemEvent[] = [];
  let stages = 0;
  let status: HostedStatus | undefined;

  const add = (event: ItemEvent): void => {
    reported.push(event);
    send(event);
  };
  const stage = (upTo: number): void => {
    const names = ["in_progress", working[type]];
    for (const name of names.slice(stages, upTo)) {
      if (name === "interpreting") endCode();
      add({ type: `response.${type}_call.${name}` } as ItemEvent);
    }
    stages = Math.max(stages, upTo);
  };
  const endCode = (): void => {
    if (call.code === "" && typeof whole === "string") addCode(whole);
    add({ type: "response.code_interpreter_call_code.done", code: call.code });
  };
  const addCode = (delta: string): void => {
    if (delta === "") return;
    call.code += delta;
    add({ type: "response.code_interpreter_call_code.delta", delta });
  };

  const { writer, send } = createItemWriter<HostedItem>({
    kind: "server_call",
    prefix: prefixes[type],
    phase: () => (status === undefined ? "open" : "ended"),
    item: (id, itemStatus, isAdded) => {
      const state = itemStatus === "in_progress" ? itemStatus : (status ?? "failed");
      return itemOf(type, call, { id, status: state, isAdded, containerId });
    },
    opened(sendNow: Send) {
      for (const event of reported) sendNow(event);
      reported = [];
    },
    closing(sendNow) {
      if (status === "completed") sendNow({ type: `response.${type}_call.completed` });
    },
  });

  stage(1);
  return {
    ...writer,
    report(name, data) {
      const dot = name.indexOf(".");
      if (name.slice(0, dot) !== type) return;
      const own = name.slice(dot + 1);
      const fields = isObject(data) ? data : {};
      call.data.take(data);
      call.queries.push(...queriesOf(fields).filter((one) => !call.queries.includes(one)));
      if (own === "in_progress") stage(1);
      if (own === working[type]) stage(2);
      if (own === "code" && typeof fields["delta"] === "string") addCode(fields["delta"]);
      const partial = own === "partial_image" ? imageOf(fields["image"]) : undefined;
      if (partial !== undefined)
        add({
          type: "response.image_generation_call.partial_image",
          partial_image_index: typeof fields["index"] === "number" ? fields["index"] : 0,
          partial_image_b64: partial.data.text,
          output_format: partial.format,
        });
    },
    review: () => call.data.review(),
    settle(settled, result) {
      const { parts = [] } = result;
      call.data.settle(result);
      status = settled === "success" ? "completed" : "failed";
      call.image = parts.map(imageOf).find((image) => image !== undefined);
      if (status === "completed") stage(2);
    },
  };
}

type HostedItem =
  | WebSearchCallOutput
  | FileSearchCallOutput
  | ImageGenerationCallOutput
  | CodeInterpreterCallOutput;

function itemOf(
  type: HostedType,
  { queries, code, image, data, included }: HostedCall,
  {
    id,
    status,
    isAdded,
    containerId,
  }: {
    readonly id: string;
    readonly status: HostedStatus;
    readonly isAdded: boolean;
    readonly containerId: string;
  },
): HostedItem {
  const has = (name: IncludedData): boolean => status !== "in_progress" && included.has(name);
  switch (type) {
    case "web_search": {
      const [query = ""] = queries;
      const action = {
        type: "search",
        query,
        queries: [...queries],
        ...(has("web_search_call.action.sources") && { sources: data.sources() }),
      } as const;
      return {
        id,
        type: "web_search_call",
        status,
        // Clients expect no action in the item's first event.
        ...(!isAdded && { action }),
        ...(has("web_search_call.results") && { results: data.pages() }),
      };
    }
    case "file_search":
      return {
        id,
        type: "file_search_call",
        status,
        queries: isAdded ? [] : [...queries],
        results: has("file_search_call.results") ? data.files() : null,
      };
    case "image_generation":
      return {
        id,
        type: "image_generation_call",
        status,
        output_format: image?.format ?? "png",
        result: isAdded ? null : (image?.data.text ?? null),
      };
    case "code_interpreter":
      return {
        id,
        type: "code_interpreter_call",
        status,
        code: isAdded ? "" : code,
        container_id: containerId,
        outputs: has("code_interpreter_call.outputs") ? data.outputs() : null,
      };
  }
}

function argumentsOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}

/** Returns the search queries in a tool's arguments, or in the data of its event. */
function queriesOf({ query, queries }: JsonObject): readonly string[] {
  const many: readonly unknown[] = Array.isArray(queries) ? queries : [];
  return [query, ...many].flatMap((one) => (typeof one === "string" && one !== "" ? [one] : []));
}

/** Returns the bytes of an image part. */
function imageOf(part: unknown): HostedCall["image"] {
  if (!isObject(part) || part["type"] !== "image" || !isObject(part["source"])) return undefined;
  const { data } = part["source"];
  if (part["source"]["type"] !== "base64" || typeof data !== "string") return undefined;
  const format = /^image\/(\w+)/.exec(String(part["mimeType"]))?.[1] ?? "png";
  return { data: internText(data), format };
}
