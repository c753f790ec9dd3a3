import { neutralise } from "../text/neutralise.ts";
import { oneLine } from "../text/truncate.ts";
import type { ToolDeferral } from "./tool-deferral.ts";
import type { ToolGroup } from "./tool.ts";

/** The maximum length of the index in characters, for any number of groups. */
const maxChars = 2_000;

/** The maximum length of a group's line, in characters. */
const lineChars = 90;

/**
 * Returns the prompt's section on deferred tools: one line for each group. If there are many
 * groups, it has only their names, so that its length is bounded.
 *
 * @param groups the group of each deferred tool; undefined for the client's tools
 * @param find the name of the tool that finds deferred tools
 */
export function groupIndex(groups: readonly (ToolGroup | undefined)[], find: string): string {
  const counts = new Map<ToolGroup | undefined, number>();
  for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1);
  const lines = [...counts].map(([group, count]) => indexLine(group, count));
  const names = [...counts.keys()].map((group) => group?.name ?? "client");
  const body = lines.join("\n");
  return `<more-tools>
Further tools are not listed. Describe your task to ${find}, then call the tools that it finds by name. Groups (number of tools):
${body.length <= maxChars ? body : nameList(names)}
</more-tools>`;
}

function indexLine(group: ToolGroup | undefined, count: number): string {
  if (group === undefined) return `- client (${count})`;
  const about = neutralise(group.description ?? group.title ?? "");
  return oneLine(`- ${group.name} (${count})${about === "" ? "" : `: ${about}`}`, lineChars);
}

function nameList(names: readonly string[]): string {
  let text = "";
  for (const [index, name] of names.entries()) {
    const next = index === 0 ? name : `, ${name}`;
    if (text.length + next.length > maxChars) return `${text} and ${names.length - index} more`;
    text += next;
  }
  return text;
}

/** Returns the name of the tool that finds deferred tools. */
export function deferralTool(
  names: { readonly [modelName: string]: string },
  deferral: ToolDeferral | undefined,
): string {
  return Object.keys(names).find((name) => names[name] === deferral?.searchTool) ?? "the client";
}
