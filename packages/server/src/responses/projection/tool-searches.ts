import type { CallResult, JsonObject } from "@capstan/core";
import type { SettledStatus } from "@capstan/core/host";
import { isObject } from "../../http/errors.ts";
import { foundNames } from "../../tool-search/search-tools.ts";
import { formOf, type ToolForms } from "../client-tools/tool-form.ts";
import type { HostedCallWriter } from "./hosted-calls.ts";
import { createItemWriter, type ItemWriter, type ServerListing } from "./output-order.ts";
import type { ToolSearchCallItem, ToolSearchOutputItem } from "./wire.ts";

/** The tools that a request declares. The items of a search list the found ones among them. */
export interface DeclaredTools {
  /** The tools as the response repeats them. */
  readonly tools: readonly JsonObject[];
  readonly forms: ToolForms;
  readonly servers: readonly ServerListing[];
}

/** Creates the writer of a search by the server: its `tool_search_call`, without events of its own. */
export function createToolSearchWriter(argumentsText: string): HostedCallWriter {
  let isSettled = false;
  const { writer } = createItemWriter<ToolSearchCallItem>({
    kind: "server_call",
    prefix: "tsc",
    phase: () => (isSettled ? "ended" : "open"),
    item: (id, status, isAdded) => ({
      id,
      type: "tool_search_call",
      status,
      call_id: null,
      execution: "server",
      arguments: isAdded ? {} : argumentsOf(argumentsText),
    }),
  });
  return {
    ...writer,
    report() {},
    review() {},
    settle() {
      isSettled = true;
    },
  };
}

/** Creates the writer of the tools that a search found. */
export function createToolSearchOutput(
  { finalText }: Pick<CallResult, "finalText">,
  { status, declared }: { readonly status: SettledStatus; readonly declared: DeclaredTools },
): ItemWriter {
  const tools = status === "success" ? declaredEntries(foundNames(finalText), declared) : [];
  return createItemWriter<ToolSearchOutputItem>({
    kind: "server_call",
    prefix: "tso",
    phase: () => "ended",
    item: (id, itemStatus, isAdded) => ({
      id,
      type: "tool_search_output",
      status: itemStatus,
      call_id: null,
      execution: "server",
      tools: isAdded ? [] : tools,
    }),
  }).writer;
}

function argumentsOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}

/** Returns the entries of the request that declare these tools, without its other tools. */
function declaredEntries(
  names: readonly string[],
  { tools, forms, servers }: DeclaredTools,
): readonly JsonObject[] {
  const entries: JsonObject[] = [];
  const spaces = new Map<string, JsonObject[]>();
  const allowed = new Map<ServerListing, string[]>();
  for (const name of names) {
    const server = servers.find((each) => each.tools.some((tool) => tool.name === name));
    if (server !== undefined) {
      allowed.set(server, [...(allowed.get(server) ?? []), name]);
      continue;
    }
    const form = formOf(forms, name);
    if (form.type !== "function" && form.type !== "custom") continue;
    const { namespace } = form;
    const space = tools.find((tool) => tool["type"] === "namespace" && tool["name"] === namespace);
    const declared = space === undefined ? tools : listOf(space["tools"]);
    const entry = declared.find((tool) => tool["type"] === form.type && tool["name"] === form.name);
    if (entry === undefined) continue;
    const found = { ...entry, defer_loading: true };
    if (space === undefined || namespace === undefined) entries.push(found);
    else spaces.set(namespace, [...(spaces.get(namespace) ?? []), found]);
  }
  for (const [namespace, found] of spaces) {
    const space = tools.find((tool) => tool["name"] === namespace) ?? {};
    entries.push({ ...space, tools: found });
  }
  for (const [{ label, group }, found] of allowed)
    entries.push({
      type: "mcp",
      server_label: label,
      server_url: `capstan://groups/${group}`,
      allowed_tools: found,
    });
  return entries;
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? (value.filter(isObject) as JsonObject[]) : [];
}
