import type { CallResult } from "@capstan/core";

/** Returns why a call failed, as clients and models read it. */
export function failureText({ error, rejectReason, finalText }: CallResult): string {
  return error?.message ?? rejectReason ?? finalText;
}
