import type { Configuration } from "./configuration.ts";

/**
 * Describes in one line who may answer approval requests.
 *
 * @example describeApprovers({ approvalsFrom: "anyone", apiKeys: [] }) // "anyone who reaches this server"
 */
export function describeApprovers({
  approvalsFrom,
  apiKeys,
  programs = [],
}: Pick<Configuration, "approvalsFrom" | "apiKeys"> & {
  /** The connected programs. @default none */
  readonly programs?: readonly unknown[];
}): string {
  const { length } = programs;
  if (approvalsFrom === "anyone" || (approvalsFrom !== "people" && length === 0))
    return apiKeys.length === 0 ? "anyone who reaches this server" : "anyone with a key";
  const names = new Set(
    apiKeys.filter(({ rights }) => rights.includes("approve")).map(({ name }) => name),
  );
  const keys = names.size === 0 ? "" : `, and the keys of ${[...names].join(", ")}`;
  return `people: paired browsers and terminals (capstan pair)${keys}`;
}
