import { copyJson } from "../../json/json-value.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { ToolArgs } from "../../base/json.ts";
import type { ToolContext } from "../../tool/tool-context.ts";
import type { CallRetry } from "../record/call-record.ts";
import type { Gate } from "../gate/gate.ts";
import type { ToolOutcome } from "../record/call-outcome.ts";
import type { Clock } from "../../base/clock.ts";
import { errorMessage, type ToolErrorData } from "../../base/errors.ts";
import {
  isToolError,
  isWithAnnotations,
  isWithText,
  type ToolError,
} from "../../tool/return-value.ts";
import { plainData } from "../../json/short-json.ts";
import type { Tool, RetryPolicy } from "../../tool/tool.ts";

interface RunToolOptions {
  readonly gate: Gate;
  readonly registered: RegisteredTool;
  readonly args: ToolArgs;
  /** Ms since the epoch. */
  readonly startedAt: number;
  /** Aborts the context's signal. */
  readonly stop: AbortController;
  readonly context: ToolContext;
}

/** A tool that was called, and the means to stop it. */
export interface RunningTool {
  readonly outcome: Promise<ToolOutcome> | ToolOutcome;
  /** Absent if the tool ended synchronously. */
  readonly deadline?: Deadline;
  /**
   * Ends the call immediately, and ignores the tool's later actions. Does nothing after the end.
   */
  cancel(reason: string): void;
}

/**
 * Stage 7. Runs a tool with a signal and a deadline that counts running time only, and retries it
 * if the tool's policy says so. If a tool ignores its signal, the call ends without waiting for it.
 */
export function runTool(options: RunToolOptions): RunningTool {
  const { gate, registered, args, startedAt, stop, context } = options;
  const { execute, retry } = registered.tool;
  if (execute === undefined) {
    const message = `${registered.name} is run by the client, not here.`;
    const error = { code: "client_tool", message };
    const outcome = { status: "failed", error, durationMs: 0, endedAt: startedAt } as const;
    return { outcome, cancel };
  }
  const begunAt = gate.clock.monotonic();
  // Each attempt gets a copy, so that the record, the events and the next attempt have the original
  // arguments.
  const run = () => attempt(execute, copyJson(args), context);
  const first = run();
  if (!(first instanceof Promise) && (first.status === "returned" || retry === undefined))
    return { outcome: { ...outcomeOf(first), ...timesOf(gate, { startedAt, begunAt }) }, cancel };
  return new Tries(gate, registered, {
    run,
    stop,
    startedAt,
    begunAt,
    timeoutMs: timeoutOf(gate, registered.tool, args),
  }).begin(first);
}

const cancel = (): void => {};

/** Returns the running time of a call. A function that fails or returns no time has no effect. */
function timeoutOf({ limits }: Gate, { timeoutMs }: Tool, args: ToolArgs): number {
  if (typeof timeoutMs !== "function") return timeoutMs ?? limits.toolTimeoutMs;
  try {
    const chosen: unknown = timeoutMs(args);
    return typeof chosen === "number" && chosen > 0 ? chosen : limits.toolTimeoutMs;
  } catch {
    return limits.toolTimeoutMs;
  }
}

/** The attempts of one call, until one ends the call or the call is stopped. */
class Tries implements RunningTool {
  readonly deadline: Deadline;
  readonly outcome: Promise<ToolOutcome>;
  readonly #gate: Gate;
  readonly #registered: RegisteredTool;
  readonly #run: () => Attempt | Promise<Attempt>;
  readonly #stop: AbortController;
  readonly #started: Start;
  readonly #resolve: (outcome: ToolOutcome) => void;
  readonly #retries: CallRetry[] = [];
  #over = false;
  #working = false;
  #stopWaiting: (() => void) | undefined;
  #onStopped: (() => void) | undefined;

  constructor(
    gate: Gate,
    registered: RegisteredTool,
    given: {
      readonly run: () => Attempt | Promise<Attempt>;
      readonly stop: AbortController;
      readonly timeoutMs: number;
    } & Start,
  ) {
    this.#gate = gate;
    this.#registered = registered;
    this.#run = given.run;
    this.#stop = given.stop;
    this.#started = given;
    ({ promise: this.outcome, resolve: this.#resolve } = Promise.withResolvers<ToolOutcome>());
    const { timeoutMs } = given;
    this.deadline = new Deadline(gate.clock, timeoutMs, () =>
      this.#halt({ status: "timed_out", timeoutMs }, `The deadline of ${timeoutMs} ms passed.`),
    );
  }

  begin(first: Attempt | Promise<Attempt>): this {
    this.#follow(first);
    return this;
  }

  cancel(reason: string): void {
    this.#halt({ status: "cancelled", reason }, reason);
  }

  #follow(tried: Attempt | Promise<Attempt>): void {
    if (!(tried instanceof Promise)) return this.#after(tried);
    this.#working = true;
    void tried.then((how) => this.#after(how));
  }

  #after(how: Attempt): void {
    this.#working = false;
    this.#onStopped?.();
    // A late result of a tool that ignored its signal.
    if (this.#over) return;
    const delayMs = how.status === "failed" ? this.#delayAfter(how) : undefined;
    if (how.status === "returned" || delayMs === undefined) {
      this.#over = true;
      this.deadline.stop();
      return this.#resolve({ ...outcomeOf(how), ...this.#times(), ...this.#tried() });
    }
    const { code, message } = how.error;
    const { clock } = this.#gate;
    this.#retries.push({ at: clock.now(), code, message, delayMs });
    this.#stopWaiting = clock.after(delayMs, () => this.#follow(this.#run()));
  }

  /**
   * Returns the ms until the next attempt, or undefined if there is none or the deadline would pass
   * first.
   */
  #delayAfter({ error, threw }: Extract<Attempt, { status: "failed" }>): number | undefined {
    const policy = this.#registered.tool.retry;
    if (policy === undefined) return undefined;
    const delayMs = retryDelay({
      policy,
      // The tool declared retries as safe, and the error does not rule them out.
      error: threw ? { ...error, retryable: true } : error,
      tries: this.#retries.length + 1,
      random: this.#gate.random(),
    });
    return delayMs === undefined || delayMs >= this.deadline.leftMs() ? undefined : delayMs;
  }

  #halt(how: Halt, reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.deadline.stop();
    this.#stopWaiting?.();
    const times = this.#times();
    const end = (): void =>
      this.#resolve({
        ...how,
        ...times,
        ...this.#tried(),
        ...(this.#working && { leftBehind: true }),
      });
    this.#stop.abort(new Error(reason));
    if (this.#working) void this.#waitForStop().then(end);
    else end();
  }

  /**
   * Waits a few turns of the event loop, so that a tool that respects its signal can stop, and then
   * up to `stopMs`.
   */
  async #waitForStop(): Promise<void> {
    for (let turn = 0; turn < 20 && this.#working; turn++) await Promise.resolve();
    const { stopMs = 0 } = this.#registered.tool;
    if (stopMs === 0 || !this.#working) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onStopped = resolve;
    const disarm = this.#gate.clock.after(stopMs, resolve);
    await promise;
    disarm();
  }

  #tried(): { readonly retries?: readonly CallRetry[] } {
    return this.#retries.length === 0 ? {} : { retries: this.#retries };
  }

  #times(): Times {
    return timesOf(this.#gate, this.#started);
  }
}

type Halt =
  | { readonly status: "timed_out"; readonly timeoutMs: number }
  | { readonly status: "cancelled"; readonly reason: string };

type Times = Pick<ToolOutcome, "durationMs" | "endedAt">;

interface Start {
  /** In ms since the epoch. */
  readonly startedAt: number;
  /** In ms of the monotonic clock. */
  readonly begunAt: number;
}

function timesOf({ clock }: Gate, { startedAt, begunAt }: Start): Times {
  const durationMs = Math.round(clock.monotonic() - begunAt);
  return { durationMs, endedAt: Math.max(clock.now(), startedAt) };
}

function outcomeOf(how: Attempt) {
  return how.status === "returned" ? how : ({ status: "failed", error: how.error } as const);
}

/** Counts down the running time. Stops while it is paused. */
class Deadline {
  readonly #clock: Clock;
  readonly #passed: () => void;
  #leftMs: number;
  #since: number;
  #pauses = 0;
  #stopped = false;
  #disarm: (() => void) | undefined;

  constructor(clock: Clock, ms: number, passed: () => void) {
    this.#clock = clock;
    this.#passed = passed;
    this.#leftMs = ms;
    this.#since = clock.monotonic();
    this.#arm();
  }

  leftMs(): number {
    return this.#pauses > 0 ? this.#leftMs : this.#leftMs - (this.#clock.monotonic() - this.#since);
  }

  /** Each pause needs its own `resume`. */
  pause(): void {
    if (this.#pauses === 0) {
      this.#leftMs = this.leftMs();
      this.#disarm?.();
    }
    this.#pauses++;
  }

  resume(): void {
    if (--this.#pauses > 0) return;
    this.#since = this.#clock.monotonic();
    this.#arm();
  }

  stop(): void {
    this.#disarm?.();
    this.#stopped = true;
  }

  #arm(): void {
    if (!this.#stopped) this.#disarm = this.#clock.after(Math.max(0, this.#leftMs), this.#passed);
  }
}

/** How one attempt of a tool ended. */
type Attempt =
  | {
      readonly status: "returned";
      readonly value: unknown;
      readonly text?: string;
      readonly annotations?: unknown;
    }
  | { readonly status: "failed"; readonly error: ToolErrorData; readonly threw: boolean };

/** Runs a tool once. Never throws, and its promise never rejects: errors are outcomes. */
function attempt(
  execute: NonNullable<Tool["execute"]>,
  args: ToolArgs,
  context: ToolContext,
): Attempt | Promise<Attempt> {
  try {
    const returned: unknown = execute(args, context);
    return isThenable(returned) ? Promise.resolve(returned).then(ended, threw) : ended(returned);
  } catch (thrown) {
    return threw(thrown);
  }
}

function ended(value: unknown): Attempt {
  try {
    // As JSON an `Error` would be an empty object without its message.
    if (value instanceof Error) return threw(value);
    if (isWithAnnotations(value)) return withSources(ended(value.value), value.annotations);
    if (isToolError(value)) return { status: "failed", error: plainError(value), threw: false };
    return isWithText(value)
      ? { status: "returned", value: value.value, text: value.text }
      : { status: "returned", value };
  } catch (thrown) {
    // Any property access on an untrusted object may throw.
    return threw(thrown);
  }
}

/** A failure has no sources. */
function withSources(attempt: Attempt, annotations: unknown): Attempt {
  return attempt.status === "returned" ? { ...attempt, annotations } : attempt;
}

function plainError({ code, message, retryable, retryAfterMs, details }: ToolError): ToolErrorData {
  return {
    code: isText(code) ? code : "tool_failed",
    message: isText(message) ? message : "It failed without an error message.",
    ...(retryable !== undefined && { retryable }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(details !== undefined && { details: plainData(details) }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function threw(thrown: unknown): Attempt {
  const error = { code: "tool_threw", message: errorMessage(thrown) };
  return { status: "failed", error, threw: true };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}

interface RetryDelayOptions {
  readonly policy: RetryPolicy;
  readonly error: ToolErrorData;
  /** The number of attempts that were made; 1 after the first. */
  readonly tries: number;
  /** From 0 to 1. */
  readonly random: number;
}

/**
 * Returns the ms until the next attempt, or `undefined` if there is none. The delay has full jitter
 * below a bound that doubles, so that callers that failed together do not retry together. It is
 * never shorter than the error's own delay.
 *
 * @example retryDelay({ policy: { attempts: 3 }, error: { code: "busy", message: "", retryable: true }, tries: 1, random: 0.5 }) // 100
 */
export function retryDelay({
  policy,
  error,
  tries,
  random,
}: RetryDelayOptions): number | undefined {
  if (tries >= policy.attempts || error.retryable !== true) return undefined;
  const { baseMs = 200, maxMs = 10_000 } = policy;
  const bound = Math.min(maxMs, baseMs * 2 ** (tries - 1));
  return Math.max(random * bound, error.retryAfterMs ?? 0);
}
