import { requestOf, type RunRecord } from "@capstan/store";
import type { LookUpItems } from "../runs/history/resolve-references.ts";
import type { ToolForms } from "./client-tools/tool-form.ts";
import { toolForms } from "./read-response.ts";
import type { InputItem } from "./request/parse-input.ts";
import type { RequestTools } from "./request/parse-tools.ts";

/**
 * Adds the tools that items of the parent's history declared, because these items are part of the
 * new response's context. Tools of the request take precedence.
 */
export function withLoadedTools(tools: RequestTools, parent: RunRecord): RequestTools {
  const known = new Set(tools.client.map((tool) => tool.function.name));
  const forms = Object.entries(toolForms(parent)).filter(
    ([name, { loaded }]) => loaded === true && !known.has(name),
  );
  if (forms.length === 0) return tools;
  const names = new Set(forms.map(([name]) => name));
  const loaded = requestOf(parent).clientTools.filter((tool) => names.has(tool.function.name));
  return {
    ...tools,
    client: [...tools.client, ...loaded],
    forms: { ...Object.fromEntries(forms), ...tools.forms },
  };
}

/** Returns the names of the tools whose calls are checked before the client sees them. */
export function checkedTools(forms: ToolForms): readonly string[] {
  return Object.entries(forms).flatMap(([name, { checked }]) => (checked === true ? [name] : []));
}

/**
 * Returns items in which outputs of a local shell name their calls by `call_id`. Clients may name
 * them by the id of the call's item.
 */
export async function withCallIds(
  items: readonly InputItem[],
  lookUp: LookUpItems<InputItem>,
): Promise<readonly InputItem[]> {
  const outputs = items.filter((item) => item.type === "local_shell_call_output");
  if (outputs.length === 0) return items;
  const named = outputs.flatMap(({ id, call_id }) => (call_id === undefined ? [id ?? ""] : []));
  const callIds = new Map<string | undefined, string>();
  for (const [id, { item }] of await lookUp(new Set(named)))
    if (item.type === "call") callIds.set(id, item.call.id);
  for (const item of items)
    if (item.type === "local_shell_call") callIds.set(item.id, item.call_id);
  return items.map((item): InputItem => {
    if (item.type !== "local_shell_call_output") return item;
    const { id, ...rest } = item;
    // Without an item with this id, it is the `call_id`.
    const call_id = item.call_id ?? callIds.get(id) ?? id ?? "";
    // An output with the id of its call would look like a repetition of the call.
    const isOwn = id?.startsWith("lsho_") === true;
    return { ...rest, call_id, ...(isOwn && { id }) };
  });
}
