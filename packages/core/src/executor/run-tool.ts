import { errorMessage } from "../errors/error-message.ts";
import { plainData } from "../output/plain-data.ts";
import type { RegisteredTool } from "../tool/registry.ts";
import type { ToolArgs } from "../tool/tool.ts";
import type { ToolContext } from "../tool/tool-context.ts";
import { isToolError } from "../tool/tool-error.ts";
import type { Gate } from "./gate.ts";
import type { Outcome } from "./outcome.ts";

export interface RunToolOptions {
  readonly gate: Gate;
  readonly registered: RegisteredTool;
  readonly args: ToolArgs;
  /** All of the context but its signal, which is made when the tool first looks at it. */
  readonly context: Omit<ToolContext, "signal">;
}

export interface RunningTool {
  readonly outcome: Promise<Outcome> | Outcome;
  /** Ends the call at once; what the tool still does is ignored. Does nothing after the end. */
  cancel(reason: string): void;
}

/**
 * Stage 7. Runs a tool under a signal and a deadline that counts running time only. A tool that
 * ignores its signal is left behind: the outcome does not wait for it.
 */
export function runTool({ gate, registered, args, context }: RunToolOptions): RunningTool {
  const { tool } = registered;
  const startedAt = gate.clock.now();
  const elapsed = () => gate.clock.now() - startedAt;
  // Creating a controller costs more than a whole cheap call; many tools never look at the signal.
  let controller: AbortController | undefined;
  let stopped: string | undefined;
  const withSignal: ToolContext = {
    ...context,
    get signal() {
      controller ??= new AbortController();
      if (stopped !== undefined && !controller.signal.aborted) controller.abort(new Error(stopped));
      return controller.signal;
    },
  };

  if (tool.execute === undefined) {
    const error = {
      code: "client_tool",
      message: `${registered.name} is run by the client, not here.`,
    };
    return { outcome: { status: "failed", error, durationMs: 0 }, cancel() {} };
  }
  let returned: unknown;
  try {
    returned = tool.execute(args, withSignal);
  } catch (thrown) {
    return {
      outcome: { status: "failed", error: thrownError(thrown), durationMs: elapsed() },
      cancel() {},
    };
  }
  if (!isThenable(returned)) return { outcome: outcomeOf(returned, elapsed()), cancel() {} };

  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const timeoutMs = tool.timeoutMs ?? gate.limits.toolTimeoutMs;
  const stop = (outcome: Outcome, reason: string) => {
    stopped ??= reason;
    resolve(outcome);
    controller?.abort(new Error(reason));
  };
  const disarm = gate.clock.after(timeoutMs, () => {
    stop(
      { status: "timed_out", timeoutMs, durationMs: elapsed() },
      `The deadline of ${timeoutMs} ms passed.`,
    );
  });
  returned.then(
    (value) => {
      disarm();
      resolve(outcomeOf(value, elapsed()));
    },
    (thrown: unknown) => {
      disarm();
      resolve({ status: "failed", error: thrownError(thrown), durationMs: elapsed() });
    },
  );
  return {
    outcome: promise,
    cancel(reason) {
      disarm();
      stop({ status: "cancelled", reason, started: true, durationMs: elapsed() }, reason);
    },
  };
}

function outcomeOf(value: unknown, durationMs: number): Outcome {
  if (!isToolError(value)) return { status: "returned", value, durationMs };
  const { code, message, retryable, details } = value;
  const error = {
    code,
    message,
    ...(retryable !== undefined && { retryable }),
    ...(details !== undefined && { details: plainData(details) }),
  };
  return { status: "failed", error, durationMs };
}

function thrownError(thrown: unknown) {
  return { code: "tool_threw", message: errorMessage(thrown) };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}
