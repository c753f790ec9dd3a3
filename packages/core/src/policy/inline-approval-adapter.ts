import type {
  AnswerCheck,
  ApprovalAdapter,
  ApprovalDecision,
  ApprovalRequest,
} from "./approval.ts";
import { type ReviewDecision, type ReviewRequest, reviewProblem } from "./review.ts";

/** What a person is asked right now: whether a call may run, or whether the model may see a result. */
export type PendingApproval =
  | { readonly type: "execution"; readonly id: string; readonly request: ApprovalRequest }
  | { readonly type: "result"; readonly id: string; readonly request: ReviewRequest };

/** What became of an answer. Only the first counts; another gets what was decided. */
export type AnswerOutcome =
  | { readonly status: "answered"; readonly decision: ApprovalDecision | ReviewDecision }
  | { readonly status: "already_answered"; readonly decision: ApprovalDecision | ReviewDecision }
  /** It cannot be taken; the question stays open. */
  | { readonly status: "invalid"; readonly message: string }
  | { readonly status: "not_found" };

type Decision = ApprovalDecision | ReviewDecision;

interface Entry {
  readonly pending: PendingApproval;
  readonly check: (decision: Decision) => string | undefined | Promise<string | undefined>;
  readonly settle: (decision: Decision) => void;
  /** Answers are looked at one after the other. */
  turn: Promise<unknown>;
}

/** Decisions that are remembered for a second answer. */
const remembered = 1_000;

/**
 * Asks in the program's own user interface: questions are a list that can be watched, as external
 * stores of React, Solid and others want it. A question goes when it was answered, when it
 * expires, when its call is stopped, and when the answer to another one covers it.
 *
 * @example
 * const approvals = new InlineApprovalAdapter();
 * const executor = new ToolExecutor({ approvals });
 * const pending = useSyncExternalStore(approvals.subscribe, () => approvals.pending);
 * await approvals.answer(pending[0].id, { decision: "allow", scope: "session" });
 */
export class InlineApprovalAdapter implements ApprovalAdapter {
  readonly #entries = new Map<string, Entry>();
  readonly #decided = new Map<string, Decision>();
  readonly #listeners = new Set<() => void>();
  #pending: readonly PendingApproval[] = [];

  /** The open questions, the oldest first. The same array until something changes. */
  get pending(): readonly PendingApproval[] {
    return this.#pending;
  }

  /** Calls back after every change of `pending`; returns what ends it. May be passed on unbound. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Answers a question. What cannot be taken says why, and leaves the question open. */
  async answer(id: string, decision: Decision): Promise<AnswerOutcome> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return this.#outcomeOf(id);
    const answered = entry.turn.then(async (): Promise<AnswerOutcome> => {
      if (!this.#entries.has(id)) return this.#outcomeOf(id);
      const message = await entry.check(decision);
      // It may have expired meanwhile.
      if (!this.#entries.has(id)) return this.#outcomeOf(id);
      if (message !== undefined) return { status: "invalid", message };
      this.#settle(id, decision);
      return { status: "answered", decision };
    });
    entry.turn = answered.catch(() => {});
    return answered;
  }

  /** Takes a question back: its call is refused, or its result withheld. False where it is not open. */
  cancel(id: string, reason = "the question was taken back"): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    this.#settle(id, calledOff(entry.pending, reason));
    return true;
  }

  /** Takes all back, for instance as the window closes. */
  cancelAll(reason?: string): void {
    for (const id of this.#entries.keys()) this.cancel(id, reason);
  }

  request(
    request: ApprovalRequest,
    signal: AbortSignal,
    check: AnswerCheck = () => undefined,
  ): Promise<ApprovalDecision> {
    const pending = { type: "execution", id: request.id, request } as const;
    const asked = this.#ask(pending, signal, (decision) => check(decision as ApprovalDecision));
    return asked as Promise<ApprovalDecision>;
  }

  review(request: ReviewRequest, signal: AbortSignal): Promise<ReviewDecision> {
    const pending = { type: "result", id: request.id, request } as const;
    const check = (decision: Decision) => reviewProblem(decision, request.text);
    return this.#ask(pending, signal, check) as Promise<ReviewDecision>;
  }

  #ask(pending: PendingApproval, signal: AbortSignal, check: Entry["check"]): Promise<Decision> {
    const { promise, resolve } = Promise.withResolvers<Decision>();
    const { id } = pending;
    const stop = () => this.#settle(id, decisionIn(signal) ?? calledOff(pending, "it was stopped"));
    const settle = (decision: Decision) => {
      signal.removeEventListener("abort", stop);
      resolve(decision);
    };
    this.#entries.set(id, { pending, check, settle, turn: Promise.resolve() });
    this.#changed();
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    return promise;
  }

  #settle(id: string, decision: Decision): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#decided.set(id, decision);
    for (const [oldest] of this.#decided) {
      if (this.#decided.size <= remembered) break;
      this.#decided.delete(oldest);
    }
    entry.settle(decision);
    this.#changed();
  }

  #outcomeOf(id: string): AnswerOutcome {
    const decision = this.#decided.get(id);
    return decision === undefined
      ? { status: "not_found" }
      : { status: "already_answered", decision };
  }

  #changed(): void {
    this.#pending = [...this.#entries.values()].map(({ pending }) => pending);
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch {
        // Who watches must not undo what was decided.
      }
    }
  }
}

function calledOff({ type }: PendingApproval, reason: string): Decision {
  return type === "execution"
    ? { decision: "refuse", reason, by: "system" }
    : { decision: "withhold", reason, by: "system" };
}

/** Where the gate does not want an answer any more, it says what was decided instead. */
function decisionIn({ reason }: AbortSignal): Decision | undefined {
  const known = typeof reason === "object" && reason !== null && "decision" in reason;
  return known ? (reason as Decision) : undefined;
}
