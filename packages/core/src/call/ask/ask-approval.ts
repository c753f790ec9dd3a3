import { copyJson } from "../../json/copy-json.ts";
import { isObject } from "../../json/json-type.ts";
import type { Clock } from "../../base/clock.ts";
import { answerProblem } from "../../policy/answer-problem.ts";
import { withArgsDigest } from "../../policy/args-digest.ts";
import type {
  AnswerCheck,
  ApprovalAdapter,
  ApprovalAnswer,
  ApprovalRequest,
} from "../../policy/approval.ts";
import { type GrantBook, grantCovers, type GrantQuery } from "../../policy/grant-book.ts";

export interface AskOptions {
  /** Without one the answer is no. */
  readonly adapter: ApprovalAdapter | undefined;
  readonly approval: ApprovalRequest;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Where the answer to another question may turn up that covers this one, too. */
  readonly grants?: GrantBook;
  /** What such an answer has to cover. */
  readonly query?: GrantQuery | undefined;
  /** For adapters that can put an answer back to the person. */
  readonly check?: AnswerCheck;
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
 * Puts a question to whoever approves, until it expires or another answer covers it. Whoever
 * throws, says what cannot be understood or says nothing in time means no. The adapter's signal
 * aborts where its answer is not wanted any more.
 */
export function askApproval(options: AskOptions): Asking {
  const { adapter, approval, clock, signal, grants, query, check = () => undefined } = options;
  if (adapter === undefined) return told(refuse("nobody is there to ask"));
  if (signal?.aborted === true) return told({ decision: "stopped" });
  const { promise: answer, resolve } = Promise.withResolvers<Asked>();
  const asking = new AbortController();
  const settle = (word: Asked): void => {
    disarm();
    unwatch?.();
    signal?.removeEventListener("abort", stop);
    resolve(word);
  };
  const giveUp = (word: Asked): void => {
    settle(word);
    // Whoever still shows the question may take it away.
    asking.abort(word.decision === "stopped" ? refuse("it was stopped") : word);
  };
  const stop = () => giveUp({ decision: "stopped" });
  const disarm = clock.after(Math.max(0, approval.expiresAt - clock.now()), () =>
    giveUp(refuse("nobody answered in time")),
  );
  const unwatch =
    query &&
    grants?.onAdded((grant) => {
      if (grant.verdict === "allow" && grantCovers(grant, query, clock.now()))
        giveUp({ decision: "allow", by: "grant" });
    });
  signal?.addEventListener("abort", stop, { once: true });
  const failed = () => settle(refuse("asking failed"));
  try {
    void Promise.resolve(adapter.request(ownCopy(approval), asking.signal, check))
      .then((word: unknown) => settle(understood(word, options)))
      .catch(failed);
  } catch {
    failed();
  }
  return { answer, stop };
}

/** Whoever asks may change what they show. The digest is worked out when it is first looked at. */
function ownCopy(approval: ApprovalRequest): ApprovalRequest {
  const copy: { [key: string]: unknown } = {};
  for (const key of Object.keys(approval) as (keyof ApprovalRequest)[])
    if (key === "args") copy[key] = copyJson(approval.args);
    else if (key !== "argsDigest") copy[key] = approval[key];
  return withArgsDigest(copy, () => approval.argsDigest) as unknown as ApprovalRequest;
}

function told(word: Asked): Asking {
  return { answer: Promise.resolve(word), stop() {} };
}

function refuse(why: string): Extract<Asked, { readonly decision: "refuse" }> {
  return { decision: "refuse", reason: `it needs a person's approval, and ${why}`, by: "system" };
}

/**
 * Adapters are written by others, and a yes must be a yes. One that is wider than its question
 * allows is a yes to this call alone.
 */
function understood(answer: unknown, { approval, query, clock }: AskOptions): Asked {
  if (!isObject(answer)) return refuse("the answer was not understood");
  if (answer["decision"] === "pending") return { decision: "pending" };
  const { scope: _scope, covers: _covers, expiresAt: _expiresAt, ...plain } = answer;
  const narrow = answer["arguments"] !== undefined || approval.grant === undefined;
  const isScope = ["once", "session", "always", undefined].includes(answer["scope"] as string);
  const decision = narrow && isScope ? plain : answer;
  const args = query?.args ?? approval.args;
  const problem = answerProblem({ decision, approval, args, now: clock.now() });
  return problem === undefined
    ? (decision as unknown as ApprovalAnswer)
    : refuse("the answer was not understood");
}
