import { nearestNames } from "../../text/nearest-name.ts";
import { shortJson } from "../../json/short-json.ts";
import { CapstanError } from "../../base/errors.ts";
import { defaultGateLimits, type GateLimits } from "./gate.ts";

/** The least that each may be. A gate that runs no call at once, or shows nothing, is none. */
const least: { readonly [name in keyof Required<GateLimits>]: number } = {
  outputChars: 0,
  outputTokens: 0,
  outputCeilingChars: 1,
  toolTimeoutMs: 1,
  approvalMs: 0,
  callsAtOnce: 1,
  subCallDepth: 0,
  subCalls: 0,
  spokenChars: 0,
  eventChars: 0,
};

/**
 * The gate's limits, with the defaults for those that are not given.
 *
 * @throws CapstanError `invalid_limits` with the name of one that is none, and what it may be
 */
export function gateLimits(given: Partial<GateLimits> = {}): GateLimits {
  for (const [name, value] of Object.entries<unknown>(given)) {
    if (value === undefined) continue;
    const min = Object.hasOwn(least, name) ? least[name as keyof typeof least] : undefined;
    if (min === undefined) {
      const [nearest] = nearestNames(name, Object.keys(least), 1);
      const hint = nearest === undefined ? "Leave it out." : `Did you mean ${nearest}?`;
      throw invalid(`${shortJson(name)} is no limit of an executor. ${hint}`);
    }
    const isTime = name.endsWith("Ms");
    const isKind = value === Infinity || isTime || Number.isInteger(value);
    if (!isKind || typeof value !== "number" || !(value >= min))
      throw invalid(
        `limits.${name} must be a ${isTime ? "" : "whole "}number from ${min} on, or Infinity, not ${shortJson(value)}.`,
      );
  }
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaultGateLimits, ...(Object.fromEntries(said) as Partial<GateLimits>) };
}

function invalid(message: string): CapstanError {
  return new CapstanError({ code: "invalid_limits", message });
}
