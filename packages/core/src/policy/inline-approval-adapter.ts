import type {
  AnswerCheck,
  ApprovalAdapter,
  ApprovalDecision,
  ApprovalRequest,
} from "./approval.ts";
import { type ReviewDecision, type ReviewRequest, reviewProblem } from "./review.ts";

/** An open request: may a call run, or may the model read a result? */
export type PendingApproval =
  | { readonly type: "execution"; readonly id: string; readonly request: ApprovalRequest }
  | { readonly type: "result"; readonly id: string; readonly request: ReviewRequest };

/**
 * The outcome of an answer. Only the first answer counts; a later one returns the first decision.
 */
export type AnswerOutcome =
  | { readonly status: "answered"; readonly decision: ApprovalDecision | ReviewDecision }
  | { readonly status: "already_answered"; readonly decision: ApprovalDecision | ReviewDecision }
  /** The answer is invalid; the request stays open. */
  | { readonly status: "invalid"; readonly message: string }
  | { readonly status: "not_found" };

type Decision = ApprovalDecision | ReviewDecision;

interface Entry {
  readonly pending: PendingApproval;
  readonly check: (decision: Decision) => string | undefined | Promise<string | undefined>;
  readonly settle: (decision: Decision) => void;
  /** The check of the latest answer. Answers are checked one after the other. */
  lastCheck: Promise<unknown>;
}

/** The number of decisions that are stored for a repeated answer. */
const remembered = 1_000;

/**
 * Asks in the program's own user interface. The requests are a list that React, Solid and others
 * can observe as an external store. A request is removed when it is answered, when it expires, when
 * its call is stopped, and when another answer covers it.
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

  /** The open requests, the oldest first. The same array until something changes. */
  get pending(): readonly PendingApproval[] {
    return this.#pending;
  }

  /**
   * Calls back after every change of `pending`; returns a function that unsubscribes. Does not
   * depend on `this`, so it can be passed as a callback.
   */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Answers a request. An invalid answer returns the reason, and leaves the request open. */
  async answer(id: string, decision: Decision): Promise<AnswerOutcome> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return this.#outcomeOf(id);
    const answered = entry.lastCheck.then(async (): Promise<AnswerOutcome> => {
      if (!this.#entries.has(id)) return this.#outcomeOf(id);
      const message = await entry.check(decision);
      // The request may have expired during the check.
      if (!this.#entries.has(id)) return this.#outcomeOf(id);
      if (message !== undefined) return { status: "invalid", message };
      this.#settle(id, decision);
      return { status: "answered", decision };
    });
    entry.lastCheck = answered.catch(() => {});
    return answered;
  }

  /**
   * Withdraws a request: its call is rejected, or its result withheld. Returns false if it is not
   * open.
   */
  cancel(id: string, reason = "the request was withdrawn"): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    this.#settle(id, cancelledDecision(entry.pending, reason));
    return true;
  }

  /** Withdraws all requests, for example when the window closes. */
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
    const stop = () =>
      this.#settle(id, decisionIn(signal) ?? cancelledDecision(pending, "it was stopped"));
    const settle = (decision: Decision) => {
      signal.removeEventListener("abort", stop);
      resolve(decision);
    };
    this.#entries.set(id, { pending, check, settle, lastCheck: Promise.resolve() });
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
        // An error in a listener must not undo the decision.
      }
    }
  }
}

function cancelledDecision({ type }: PendingApproval, reason: string): Decision {
  return type === "execution"
    ? { decision: "refuse", reason, by: "system" }
    : { decision: "withhold", reason, by: "system" };
}

/**
 * If the gate no longer needs an answer, the signal's reason is the decision that was made instead.
 */
function decisionIn({ reason }: AbortSignal): Decision | undefined {
  const known = typeof reason === "object" && reason !== null && "decision" in reason;
  return known ? (reason as Decision) : undefined;
}
