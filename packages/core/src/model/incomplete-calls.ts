import type { ToolCallRequest } from "./message.ts";
import type { FinishReason } from "./model.ts";

/** Whether an answer with this finish reason may have ended in the middle of a call. */
export function cutsOff(reason: FinishReason | undefined): boolean {
  return reason === "length" || reason === "content_filter";
}

/**
 * Whether the arguments of a call in an answer that was cut off are whole: a JSON object cannot
 * continue.
 *
 * @param isLast whether no other call began after it. An earlier call without arguments is
 * complete, because its tool takes none.
 */
export function isWholeCall(args: string, { isLast }: { readonly isLast: boolean }): boolean {
  if (args.trim() === "") return !isLast;
  try {
    const value: unknown = JSON.parse(args);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}

const noArguments = "(cut off: the response ended before the arguments)";

/** Marks the incomplete calls of an answer that was cut off. */
export function markIncomplete(calls: readonly ToolCallRequest[]): readonly ToolCallRequest[] {
  return calls.map((call, index) => {
    const { name, arguments: args } = call.function;
    const isLast = index === calls.length - 1;
    if (call.incomplete !== true && isWholeCall(args, { isLast })) return call;
    // Without any arguments, the call would look complete to the model if the tool requires none.
    const shown = args.trim() === "" ? noArguments : args;
    return { ...call, function: { name, arguments: shown }, incomplete: true };
  });
}
