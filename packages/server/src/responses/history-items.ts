import type { JsonObject } from "@capstan/core";
import type { ListView } from "@capstan/contract";
import { failed, invalidRequest, ok, type Parsed } from "../http/api-error.ts";
import { itemIds } from "./projection/item-id.ts";
import type { InputItem } from "./request/input-item.ts";
import { parseInput } from "./request/parse-input.ts";
import type { OutputItem } from "./projection/wire.ts";

/** An item as it is listed and referred to: it has an id. */
export type StoredItem = JsonObject & { readonly id: string };

const prefixes: { readonly [type: string]: string } = {
  message: "msg",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
  reasoning: "rs",
  mcp_call: "mcp",
  mcp_list_tools: "mcpl",
  mcp_approval_response: "mcpa",
};

/**
 * The items of a request as they are kept with its response: each with an id, its own or one
 * made of the response's, always the same. References are not kept: they are items already.
 */
export function storedInput(
  responseId: string,
  items: readonly InputItem[],
): readonly StoredItem[] {
  const idOf = itemIds(responseId);
  return items.flatMap((item, index): StoredItem[] => {
    if (item.type === "item_reference") return [];
    const wire = (item.type === "carried" ? item.item : item) as JsonObject;
    const own = typeof wire["id"] === "string" && wire["id"] !== "" ? wire["id"] : undefined;
    const prefix = Object.hasOwn(prefixes, item.type) ? prefixes[item.type] : undefined;
    return [{ ...wire, id: own ?? `${idOf(prefix ?? "item", index)}_in` }];
  });
}

/** The items of a response's output, in the same form. */
export function storedOutput(output: readonly OutputItem[]): readonly StoredItem[] {
  return output.map((item) => ({ ...item }) as unknown as StoredItem);
}

/** An item that was kept, as one of an input: what an `item_reference` stands for. */
export function inputOf(item: StoredItem): InputItem | undefined {
  const parsed = parseInput([item]);
  return parsed.status === "ok" ? parsed.value[0] : undefined;
}

export interface PageOptions {
  /** @default 20 */
  readonly limit?: number;
  /** @default "desc": the newest first */
  readonly order?: "asc" | "desc";
  /** The id of the item before the first one wanted. */
  readonly after?: string;
}

/** One page of items, which are given oldest first. */
export function pageOfItems(
  items: readonly StoredItem[],
  { limit = 20, order = "desc", after }: PageOptions = {},
): Parsed<ListView<StoredItem>> {
  const ordered = order === "asc" ? items : items.toReversed();
  const position = after === undefined ? -1 : ordered.findIndex((item) => item.id === after);
  if (after !== undefined && position === -1) {
    const message = `No item with id '${after}' in this list. Leave 'after' out for the first page.`;
    return failed(invalidRequest({ param: "after", code: "item_not_found", message }));
  }
  const data = ordered.slice(position + 1, position + 1 + limit);
  return ok({
    object: "list",
    data,
    has_more: position + 1 + data.length < ordered.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  });
}
