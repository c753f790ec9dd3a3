import type { ToolDefinition, ToolExecuteResult } from "@capstan/core";
import type { Connections } from "../manage/connections.ts";

/** The text that the model reads. */
export function textOf(result: ToolExecuteResult): string {
  return result.status === "pending" ? "pending" : result.finalText;
}

/** The definitions of the first group's tools. */
export function definitionsOf(connections: Connections): readonly ToolDefinition["function"][] {
  return (connections.groups[0]?.tools ?? []).map(({ definition }) => definition.function);
}

/** The names of the first group's tools. */
export function toolNames(connections: Connections): readonly string[] {
  return definitionsOf(connections).map(({ name }) => name);
}

/** Waits until something is true. */
export async function until(isTrue: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error("It did not become true.");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
