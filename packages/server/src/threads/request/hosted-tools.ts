import type { Services } from "../../http/services.ts";

/** The types of tools that OpenAI runs, and that an installation can bind to tools of its own. */
export const hostedTypes = ["code_interpreter", "file_search"] as const;

export type HostedType = (typeof hostedTypes)[number];

/** The ids `group.Tool` of the tools that are bound to hosted types. */
export type HostedTools = { readonly [type in HostedType]?: string };

/** Returns the hosted types that an installation offers. */
export function availableTypes({ hostedTools = {} }: Pick<Services, "hostedTools">) {
  return hostedTypes.filter((type) => hostedTools[type] !== undefined);
}
