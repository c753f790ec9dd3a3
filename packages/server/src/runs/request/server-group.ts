import type { RequireApproval, ToolFilter } from "@capstan/store";
import { z } from "zod";

/** A filter for tools of a group, as requests and agents write it. */
export const filterSchema = z.object({
  tool_names: z.array(z.string()).nullish(),
  read_only: z.boolean().nullish(),
});

interface WireFilter {
  readonly tool_names?: readonly string[] | null | undefined;
  readonly read_only?: boolean | null | undefined;
}

/** Returns the filter of `allowed_tools`: a list of names, or an object. */
export function toolFilter(given: readonly string[] | WireFilter): ToolFilter {
  if (Array.isArray(given)) return { toolNames: given as readonly string[] };
  const { tool_names: toolNames, read_only: readOnly } = given as WireFilter;
  return { ...(toolNames != null && { toolNames }), ...(readOnly != null && { readOnly }) };
}

/** Returns when calls of a group need approval, from `require_approval`. */
export function requireApproval(
  given:
    | "always"
    | "never"
    | {
        readonly always?: WireFilter | null | undefined;
        readonly never?: WireFilter | null | undefined;
      },
): RequireApproval {
  if (typeof given === "string") return given;
  const { always, never } = given;
  return {
    ...(always == null ? {} : { always: toolFilter(always) }),
    ...(never == null ? {} : { never: toolFilter(never) }),
  };
}

/** Returns the part of a setting that makes more calls need approval, or undefined. */
export function tightensApproval(given: RequireApproval | undefined): RequireApproval | undefined {
  if (given === "always") return given;
  return typeof given === "object" && given.always !== undefined
    ? { always: given.always }
    : undefined;
}

/** Returns whether a setting removes the approval that calls would otherwise need. */
export function loosensApproval(given: RequireApproval | undefined): boolean {
  return given === "never" || (typeof given === "object" && given.never !== undefined);
}
