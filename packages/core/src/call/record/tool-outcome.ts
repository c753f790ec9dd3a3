import type { Truncated } from "../../text/truncate.ts";
import type { ToolErrorData } from "../../base/errors.ts";
import type { CallRetry } from "./call-record.ts";
import type { JsonValue } from "../../base/json.ts";
import type { ContentPart } from "../../model/content-part.ts";

interface Ended {
  readonly durationMs: number;
  /** Ms since the epoch. */
  readonly endedAt: number;
  /** Tries that failed before the last one. */
  readonly retries?: readonly CallRetry[];
}

interface Stopped extends Ended {
  /** The tool had not ended when it was given up. */
  readonly leftBehind?: true;
}

/** How a call that ran ended, before a person has reviewed its result. */
export type DraftOutcome =
  | { readonly status: "success"; readonly data: unknown }
  | { readonly status: "error" | "timed_out" | "cancelled"; readonly error: ToolErrorData };

/** How a tool ended: the result of the second segment. */
export type ToolOutcome =
  | (Ended & {
      readonly status: "returned";
      readonly value: unknown;
      /** The text of its result: what a final tool wrote, or what came with the data. */
      readonly text?: string;
    })
  | (Ended & { readonly status: "failed"; readonly error: ToolErrorData })
  | (Stopped & { readonly status: "timed_out"; readonly timeoutMs: number })
  /** Stopped from outside. The tool may have acted. */
  | (Stopped & { readonly status: "cancelled"; readonly reason: string });

/** The value that a tool returned, as text and as data; or why it cannot be formatted. */
export type Formatted =
  | {
      readonly status: "formatted";
      readonly text: string;
      readonly data?: JsonValue;
      readonly parts?: readonly ContentPart[];
    }
  | { readonly status: "failed"; readonly message: string };

export type FormattedText = Extract<Formatted, { readonly status: "formatted" }>;

/** A result before anybody saw it: what it says, and what the model would be shown of it. */
export interface DraftResult {
  readonly end: DraftOutcome;
  readonly formatted: FormattedText;
  readonly cut: Truncated;
  readonly durationMs: number;
}
