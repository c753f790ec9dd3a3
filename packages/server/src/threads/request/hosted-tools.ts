import type { HostedTools } from "../../http/services.ts";

/** The types of tools that OpenAI runs, and that an installation can bind to tools of its own. */
export const hostedTypes = ["code_interpreter", "file_search"] as const;

export type HostedType = (typeof hostedTypes)[number];

/** Returns the hosted types that an installation offers. */
export function availableTypes(hostedTools: HostedTools = {}): readonly HostedType[] {
  return hostedTypes.filter((type) => Object.hasOwn(hostedTools, type));
}
