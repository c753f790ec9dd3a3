import type { GrantOffer } from "../tool/tool.ts";
import type { JsonObject, ToolArgs } from "../base/json.ts";
import { type ArgumentConditions, conditionsHold } from "../arguments/argument-conditions.ts";
import type { ReviewAnswer, ReviewRequest } from "./review.ts";
import { digest, isObject } from "../json/json-value.ts";
import type { ShownVariable } from "../text/visible-text.ts";
import type { VariableDigests } from "../variables/variable.ts";
import { conditionProblems } from "./rule.ts";

/** A question to a person about one call, with what they need to answer it. Plain JSON. */
export interface ApprovalRequest {
  readonly id: string;
  readonly callId: string;
  readonly toolId: string;
  /** The tool's bare name and its group's title. */
  readonly toolName: string;
  readonly groupTitle: string;
  readonly description: string;
  /** Resolved and validated: what is shown is what runs. */
  readonly args: JsonObject;
  /** Of the arguments, and of the variables that the call reads. */
  readonly argsDigest: string;
  /** Variables that the call reads besides its arguments, as the tool's `readsVariables` names them. */
  readonly variables?: readonly ShownVariable[];
  readonly definitionDigest: string;
  /** Why it asks, in words. */
  readonly reason: string;
  /** A plain answer holds for exactly these arguments in this session (`ask-once`). */
  readonly remember: boolean;
  /** What a wider answer covers where it says nothing else. Absent: a rule asks every time, and an answer is for this call alone. */
  readonly grant?: GrantOffer;
  /** The tool only reads. Absent: it may write, send or run code, and a wider answer over HTTP repeats what it covers. */
  readonly readOnly?: true;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** For whom the call is made. */
  readonly principalId: string;
}

/** `once` this call; `session` in this session; `always` in every session. */
export type ApprovalScope = "once" | "session" | "always";

/** Which calls a wider answer is for. */
export type GrantCover =
  /** As the request's `grant` says. */
  | { readonly type: "offer" }
  | { readonly type: "arguments" }
  | { readonly type: "pattern"; readonly when: ArgumentConditions }
  | { readonly type: "tool" };

export type ApprovalDecision =
  | {
      readonly decision: "allow";
      /** @default "once" */
      readonly scope?: ApprovalScope;
      /** For `session` and `always`. @default { type: "offer" } */
      readonly covers?: GrantCover;
      /** When a wider answer ends; ms since the epoch. @default never */
      readonly expiresAt?: number;
      /** The arguments as a person changed them; validated again. They are for this call alone. */
      readonly arguments?: JsonObject;
      /** `grant`: an answer to another question covers this one. @default "person" */
      readonly by?: "person" | "grant";
    }
  | {
      readonly decision: "refuse";
      readonly reason?: string;
      /** `system`: nobody answered, or nobody could be asked. Holds for this call alone. @default "person" */
      readonly by?: "person" | "system";
    };

/** How a library user answers; `pending` means that the answer comes later. */
export interface ApprovalAdapter {
  /** `signal` aborts where the answer is not wanted any more; its reason is what was decided instead. */
  request(
    request: ApprovalRequest,
    signal: AbortSignal,
    check: AnswerCheck,
  ): ApprovalAnswer | Promise<ApprovalAnswer>;
  /** Shows a result to a person before the model sees it. Without this, such results are withheld. */
  review?(request: ReviewRequest, signal: AbortSignal): ReviewAnswer | Promise<ReviewAnswer>;
}

/** Why an answer cannot be taken, so that a person can give another; undefined where it can. */
export type AnswerCheck = (
  decision: ApprovalDecision,
) => string | undefined | Promise<string | undefined>;

export type ApprovalAnswer = ApprovalDecision | { readonly decision: "pending" };

/** SHA-256 of a call's arguments, together with the variables that it reads. */
export function callDigest(args: JsonObject, variables?: VariableDigests): string {
  return digest(variables === undefined ? args : { args, variables });
}

/**
 * Adds `argsDigest` to a request, computed when it is read: hashing costs more than most of the gate.
 *
 * @param compute returns the digest of the request's arguments
 */
export function withArgsDigest<Plain extends object>(
  plain: Plain,
  compute: () => string,
): Plain & Pick<ApprovalRequest, "argsDigest"> {
  return Object.defineProperty(plain, "argsDigest", { enumerable: true, get: compute }) as Plain &
    Pick<ApprovalRequest, "argsDigest">;
}

interface AnswerProblemOptions {
  /** From outside: nothing is known of it. */
  readonly decision: unknown;
  readonly approval: Pick<ApprovalRequest, "args" | "grant">;
  /** The call's arguments as rules see them. @default the approval's */
  readonly args?: ToolArgs;
  readonly now: number;
}

/**
 * Why an answer cannot be taken, in a sentence; undefined where it is an `ApprovalDecision` that
 * fits its question. A yes must be a yes, and cover what it is said about.
 */
export function answerProblem(options: AnswerProblemOptions): string | undefined {
  const { decision, approval, now, args = approval.args } = options;
  if (!isObject(decision) || !["allow", "refuse"].includes(decision["decision"] as string))
    return 'decision: expected "allow" or "refuse".';
  if (decision["decision"] === "refuse") {
    const { reason } = decision;
    return reason === undefined || typeof reason === "string"
      ? undefined
      : "reason: expected words that say why.";
  }
  const { scope = "once", covers, expiresAt, arguments: edited } = decision;
  if (!scopes.includes(scope)) return "scope: expected once, session or always.";
  if (edited !== undefined && !isObject(edited))
    return 'arguments: expected a JSON object such as {"path": "."}.';
  if (scope === "once") {
    const given = covers !== undefined ? "covers" : expiresAt !== undefined && "expiresAt";
    return given === false
      ? undefined
      : `${given}: this is for answers that hold longer. Give scope session or always, too.`;
  }
  if (edited !== undefined)
    return "scope: changed arguments are for this call alone. Answer once, or leave the arguments as they are.";
  if (approval.grant === undefined)
    return "scope: a rule asks every time, so that an answer is for this call alone. Answer once.";
  if (expiresAt !== undefined && !(Number.isFinite(expiresAt) && (expiresAt as number) > now))
    return "expiresAt: expected a time to come, in milliseconds since the epoch.";
  return covers === undefined ? undefined : coverProblem(covers, args);
}

function coverProblem(covers: unknown, args: ToolArgs): string | undefined {
  const type = isObject(covers) ? covers["type"] : undefined;
  if (type !== "pattern")
    return ["offer", "arguments", "tool"].includes(type as string)
      ? undefined
      : "covers.type: expected offer, arguments, pattern or tool.";
  const { when } = covers as Extract<GrantCover, { readonly type: "pattern" }>;
  const [problem] = conditionProblems(when, ["covers", "when"]);
  if (problem !== undefined) return `${problem.path.join(".")}: ${problem.message}`;
  return conditionsHold(when, args, "every")
    ? undefined
    : "covers.when: this pattern does not cover the call that is asked about. Widen it, or answer once.";
}

const scopes: readonly unknown[] = ["once", "session", "always"];
