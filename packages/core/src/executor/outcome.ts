import type { ToolErrorData } from "../tool/tool-error.ts";

/** What the second segment yields: how a tool ended. */
export type Outcome =
  | { readonly status: "returned"; readonly value: unknown; readonly durationMs: number }
  | { readonly status: "failed"; readonly error: ToolErrorData; readonly durationMs: number }
  | { readonly status: "timed_out"; readonly timeoutMs: number; readonly durationMs: number }
  /** Stopped from outside. `started`: the tool may have acted. */
  | {
      readonly status: "cancelled";
      readonly reason: string;
      readonly started: boolean;
      readonly durationMs: number;
    };
