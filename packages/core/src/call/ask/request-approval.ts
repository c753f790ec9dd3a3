import { copyJson, isObject } from "../../json/json-value.ts";
import type { Clock } from "../../base/clock.ts";
import {
  answerProblem,
  withArgsDigest,
  type AnswerCheck,
  type ApprovalAdapter,
  type ApprovalAnswer,
  type ApprovalRequest,
} from "../../policy/approval.ts";
import { type GrantBook, grantCovers, type GrantQuery } from "../../policy/grant.ts";

export interface RequestApprovalOptions {
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

/** `stopped`: the caller no longer needs an answer. */
export type ApprovalResponse = ApprovalAnswer | { readonly decision: "stopped" };

/** An approval request that waits for its response. */
export interface OpenApprovalRequest {
  /** Never rejects; only the first answer counts. */
  readonly answer: Promise<ApprovalResponse>;
  readonly stop: () => void;
}

/**
 * Asks the approval adapter, until the request expires or another answer covers it. An adapter that
 * throws, gives an invalid response or does not answer in time rejects the call. Its signal aborts
 * when the answer is no longer needed.
 */
export function requestApproval(options: RequestApprovalOptions): OpenApprovalRequest {
  const { adapter, approval, clock, signal, grants, query, check = () => undefined } = options;
  if (adapter === undefined) return resolved(refuse("nobody is there to ask"));
  if (signal?.aborted === true) return resolved({ decision: "stopped" });
  const { promise: answer, resolve } = Promise.withResolvers<ApprovalResponse>();
  const asking = new AbortController();
  const settle = (response: ApprovalResponse): void => {
    disarm();
    unwatch?.();
    signal?.removeEventListener("abort", stop);
    resolve(response);
  };
  const giveUp = (response: ApprovalResponse): void => {
    settle(response);
    // Whoever still shows the question may take it away.
    asking.abort(response.decision === "stopped" ? refuse("it was stopped") : response);
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
      .then((response: unknown) => settle(parseResponse(response, options)))
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

function resolved(response: ApprovalResponse): OpenApprovalRequest {
  return { answer: Promise.resolve(response), stop() {} };
}

function refuse(why: string): Extract<ApprovalResponse, { readonly decision: "refuse" }> {
  return { decision: "refuse", reason: `it needs a person's approval, and ${why}`, by: "system" };
}

/**
 * Adapters are written by others, and a yes must be a yes. One that is wider than its question
 * allows is a yes to this call alone.
 */
function parseResponse(
  answer: unknown,
  { approval, query, clock }: RequestApprovalOptions,
): ApprovalResponse {
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
