import { isObject } from "../arguments/json-type.ts";
import type { Clock } from "../model/clock.ts";
import type { ApprovalAdapter, ApprovalAnswer, ApprovalRequest } from "../policy/approval.ts";

export interface AskOptions {
  /** Without one the answer is no. */
  readonly adapter: ApprovalAdapter | undefined;
  readonly approval: ApprovalRequest;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** `stopped`: the caller does not want to know any more. */
export type Asked = ApprovalAnswer | { readonly decision: "stopped" };

/** A question that is being asked. */
export interface Asking {
  /** Never rejects; only the first answer counts. */
  readonly answer: Promise<Asked>;
  readonly stop: () => void;
}

/**
 * Puts a question to whoever approves, until it expires. Whoever throws, says what cannot be
 * understood or says nothing in time means no. The adapter's signal aborts where its answer is
 * not wanted any more.
 */
export function askApproval({ adapter, approval, clock, signal }: AskOptions): Asking {
  if (adapter === undefined) return told(refuse("nobody is there to ask"));
  if (signal?.aborted === true) return told({ decision: "stopped" });
  const { promise: answer, resolve } = Promise.withResolvers<Asked>();
  const asking = new AbortController();
  const settle = (word: Asked): void => {
    disarm();
    signal?.removeEventListener("abort", stop);
    resolve(word);
  };
  const giveUp = (word: Asked): void => {
    settle(word);
    // Whoever still shows the question may take it away.
    asking.abort();
  };
  const stop = () => giveUp({ decision: "stopped" });
  const disarm = clock.after(Math.max(0, approval.expiresAt - clock.now()), () =>
    giveUp(refuse("nobody answered in time")),
  );
  signal?.addEventListener("abort", stop, { once: true });
  const failed = () => settle(refuse("asking failed"));
  try {
    void Promise.resolve(adapter.request(approval, asking.signal)).then(
      (word: unknown) => settle(understood(word)),
      failed,
    );
  } catch {
    failed();
  }
  return { answer, stop };
}

function told(word: Asked): Asking {
  return { answer: Promise.resolve(word), stop() {} };
}

function refuse(why: string): Extract<Asked, { readonly decision: "refuse" }> {
  return { decision: "refuse", reason: `it needs a person's approval, and ${why}`, by: "system" };
}

/** Adapters are written by others, and a yes must be a yes. */
function understood(answer: unknown): Asked {
  if (typeof answer === "object" && answer !== null && "decision" in answer) {
    const { decision, arguments: edited, scope } = answer as { readonly [key: string]: unknown };
    if (decision === "refuse" || decision === "pending") return answer as Asked;
    const isScope = scope === undefined || scopes.includes(scope);
    if (decision === "allow" && isScope && (edited === undefined || isObject(edited)))
      return answer as Asked;
  }
  return refuse("the answer was not understood");
}

const scopes: readonly unknown[] = ["once", "session", "always"];
