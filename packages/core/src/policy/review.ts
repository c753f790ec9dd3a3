import type { JsonObject } from "../base/json.ts";
import type { ContentPart } from "../model/content-part.ts";

/** Says that a result waits for a person, and nothing of the result. Plain JSON. */
export interface ReviewNotice {
  readonly id: string;
  readonly callId: string;
  readonly toolId: string;
  /** The tool's bare name and its group's title. */
  readonly toolName: string;
  readonly groupTitle: string;
  /** The call failed; the result is its error. */
  readonly isError: boolean;
  /** Why a person must see it, in words. */
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A result that a person sees before the model does: for the reviewer alone. */
export interface ReviewRequest extends ReviewNotice {
  readonly args: JsonObject;
  /** The whole. */
  readonly text: string;
  /** What the model would get of it. */
  readonly shown: string;
  /** Pictures, files and links that the model would get with it. */
  readonly parts?: readonly ContentPart[];
}

export type ReviewDecision =
  | { readonly decision: "release" }
  /** These words are taken out wherever they stand. Each must occur in the text. */
  | { readonly decision: "redact"; readonly words: readonly string[] }
  /** This stands in its place. */
  | { readonly decision: "replace"; readonly text: string }
  | {
      readonly decision: "withhold";
      readonly reason?: string;
      /** `system`: nobody answered, or nobody could be asked. @default "person" */
      readonly by?: "person" | "system";
    };

/** How a library user answers; `pending` means that the answer comes later. */
export type ReviewAnswer = ReviewDecision | { readonly decision: "pending" };

/** What each answer makes of a result. */
export const reviewOutcomes = {
  release: "released",
  redact: "redacted",
  replace: "replaced",
  withhold: "withheld",
} as const satisfies { readonly [decision in ReviewDecision["decision"]]: string };

/** What was done with a result under review, without anything of it. */
export interface ReviewOutcome {
  readonly outcome: (typeof reviewOutcomes)[ReviewDecision["decision"]];
  readonly by: "person" | "system";
  /** Why it was withheld. */
  readonly reason?: string;
}
