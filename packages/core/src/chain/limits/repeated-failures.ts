import { canonicalJson } from "../../json/canonical-json.ts";
import type { CallRecord } from "../../call/record/call-record.ts";
import { resultStatusOf } from "../../call/record/call-status.ts";
import { isBeyondLimit, type ChainLimits, defaultChainLimits } from "./chain-limits.ts";
import type { ReachedLimit } from "../journal/chain-result.ts";

/** Failures of one call after which the model is told. */
const adviseFrom = 2;

interface Failures {
  readonly name: string;
  readonly count: number;
}

/**
 * Counts calls that fail again and again with the same arguments: first the model is told, then
 * it gets no more tools. A success of the same call begins the count anew. What may succeed later
 * (`retryable`), was stopped, or was one too many is no failure of this kind.
 */
export class RepeatedFailures {
  readonly #max: number;
  readonly #failures = new Map<string, Failures>();
  #pendingAdvice: Failures[] = [];
  #reached: ReachedLimit | undefined;

  constructor({ maxRepeatedFailures = defaultChainLimits.maxRepeatedFailures }: ChainLimits) {
    this.#max = maxRepeatedFailures;
  }

  /** Set once a call has failed too often. */
  get reached(): ReachedLimit | undefined {
    return this.#reached;
  }

  add(record: CallRecord): void {
    if (record.parentCallId !== undefined) return;
    const status = resultStatusOf[record.status];
    if (status === "success") {
      if (this.#failures.size > 0) this.#failures.delete(keyOf(record));
      return;
    }
    if (!isFailure(record)) return;
    const { name } = record;
    const key = keyOf(record);
    const count = (this.#failures.get(key)?.count ?? 0) + 1;
    const failures = { name, count };
    this.#failures.set(key, failures);
    if (count >= adviseFrom) this.#pendingAdvice.push(failures);
    if (count >= this.#max)
      this.#reached ??= {
        limit: "repeats",
        message: `${name} failed ${count} times with the same arguments.`,
      };
  }

  /** What the model is to be told next, once. */
  takeAdvice(): string | undefined {
    const pending = this.#pendingAdvice;
    if (pending.length === 0) return undefined;
    this.#pendingAdvice = [];
    const counts = new Map(pending.map(({ name, count }) => [name, count]));
    const said = [...counts].map(([name, count]) => `${name} has now failed ${count} times`);
    return `${said.join(", ")} in this turn with the same arguments. Do not repeat it as it is: change the arguments, try another way, or answer.`;
  }
}

function isFailure({ status, result }: CallRecord): boolean {
  const error = result?.error;
  if (isBeyondLimit(error) || error?.retryable === true) return false;
  return (
    status === "failed" ||
    status === "timed_out" ||
    status === "not_found" ||
    status === "execution_rejected" ||
    status === "result_rejected"
  );
}

function keyOf({ name, args, argumentsText }: CallRecord): string {
  if (args === undefined) return `${name} ${argumentsText.trim()}`;
  try {
    return `${name} ${canonicalJson(args)}`;
  } catch {
    // Too deep for the canonical form.
    return `${name} ${argumentsText.trim()}`;
  }
}
