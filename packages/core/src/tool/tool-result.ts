import type { ToolErrorData } from "../base/errors.ts";
import type { Annotation } from "../model/annotation.ts";
import type { ContentPart } from "../model/content-part.ts";

/** Tokens of a call, as the gate's counter counts them. */
export interface CallTokens {
  /** The tool's definition, which every request contains; 0 for a client's own tool. */
  readonly definition: number;
  /** The arguments, as the model wrote them. */
  readonly arguments: number;
  /** The part of the result that the model was shown. */
  readonly shown: number;
  /**
   * The part of the result that the model was not shown: truncated, or withheld by a user.
   */
  readonly withheld: number;
}

interface CommonResult {
  readonly callId: string;
  /** `group.Tool`; absent if no tool was found. */
  readonly toolId?: string;
  /** The text that the model reads. */
  readonly finalText: string;
  readonly tokens: CallTokens;
  /** Milliseconds of running time, without the time spent waiting for a user. */
  readonly durationMs: number;
  /** `data` as text, not truncated. */
  readonly formattedText?: string;
  readonly isTruncated?: boolean;
  /** The variables that hold the result and the arguments: `{tool}_{n}`, `{tool}_{n}_args`. */
  readonly cacheVarResult?: string;
  readonly cacheVarArgs?: string;
  /** Images, files and links. */
  readonly parts?: readonly ContentPart[];
  /** The sources that the assistant's message cites. */
  readonly annotations?: readonly Annotation[];
}

/** The result of a call that has ended: a union by `status`. */
export type SettledToolResult =
  | (CommonResult & { readonly status: "success"; readonly data: unknown })
  | (CommonResult & {
      readonly status: FailedStatus;
      readonly error: ToolErrorData;
    })
  | (CommonResult & {
      readonly status: RejectedStatus;
      readonly rejectReason: string;
      readonly error: ToolErrorData;
    });

/** The status of a call that has ended. */
export type SettledStatus = "success" | FailedStatus | RejectedStatus;

type FailedStatus = "error" | "timed_out" | "not_found" | "cancelled" | "outcome_unknown";

type RejectedStatus = "execution_rejected" | "result_rejected";
