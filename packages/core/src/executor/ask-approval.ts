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

/**
 * Puts a question to whoever approves, until it expires. Whoever throws, says what cannot be
 * understood or says nothing in time means no. Never rejects; only the first answer counts.
 */
export async function askApproval({
  adapter,
  approval,
  clock,
  signal,
}: AskOptions): Promise<Asked> {
  if (adapter === undefined)
    return refuse("it needs a person's approval, and nobody is there to ask");
  if (signal?.aborted === true) return { decision: "stopped" };
  const { promise, resolve } = Promise.withResolvers<Asked>();
  const asking = new AbortController();
  const stop = () => resolve({ decision: "stopped" });
  signal?.addEventListener("abort", stop, { once: true });
  const disarm = clock.after(Math.max(0, approval.expiresAt - clock.now()), () =>
    resolve(refuse("it needs a person's approval, and nobody answered in time")),
  );
  const failed = () => resolve(refuse("it needs a person's approval, and asking failed"));
  try {
    void Promise.resolve(adapter.request(approval, asking.signal)).then(
      (answer: unknown) => resolve(understood(answer)),
      failed,
    );
  } catch {
    failed();
  }
  const answer = await promise;
  disarm();
  signal?.removeEventListener("abort", stop);
  // Whoever still shows the question may take it away.
  asking.abort(new Error("The question is settled."));
  return answer;
}

function refuse(reason: string): Extract<Asked, { readonly decision: "refuse" }> {
  return { decision: "refuse", reason, by: "system" };
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
  return refuse("it needs a person's approval, and the answer was not understood");
}

const scopes: readonly unknown[] = ["once", "session", "always"];
