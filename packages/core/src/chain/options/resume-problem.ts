import { z } from "zod/mini";
import { type SchemaProblem, schemaProblem, problemText } from "../../json/schema-problem.ts";
import type { ChainResume } from "./tool-chain-options.ts";
import { resultStatusOf } from "../../call/record/call-status.ts";
import { contentPartSchema } from "../../model/content-part.ts";
import { messagesSchema } from "../../model/message.ts";

const callId = z.string("text");
const parts = z.array(contentPartSchema, "a list of content parts");

function answersWith<const Words extends readonly [string, ...string[]]>(...words: Words) {
  const decision = z.looseObject({ decision: z.enum(words, words.join(" or ")) }, "a decision");
  return z.array(z.looseObject({ callId, decision }, "the answer to a call"), "a list");
}

const resume = z.looseObject({
  answers: z.optional(answersWith("allow", "refuse")),
  reviews: z.optional(answersWith("release", "redact", "replace", "withhold")),
  outputs: z.optional(
    z.array(
      z.looseObject(
        { callId, output: z.string("text"), parts: z.optional(parts) },
        "the output of a call",
      ),
      "a list",
    ),
  ),
});

/**
 * Returns the first problem in the answers of a chain's `resume` option, or `undefined` if there is
 * none.
 */
export function resumeProblem({
  answers,
  reviews,
  outputs,
}: ChainResume): SchemaProblem | undefined {
  const problem = schemaProblem(resume, { answers, reviews, outputs }, "");
  // Removes the dot at the beginning: the object that contains the answers has no name here.
  return problem && { ...problem, path: problem.path.slice(1) };
}

const text = z.string("text");
const number = z.number("a number");
const count = z.int("a whole number of at least 0").check(z.gte(0, "a whole number of at least 0"));
const object = z.looseObject({}, "an object");

const tokens = z.looseObject(
  { definition: number, arguments: number, shown: number, withheld: number },
  "token counts",
);
const result = z.looseObject(
  {
    tokens,
    finalText: text,
    preview: z.optional(text),
    parts: z.optional(parts),
  },
  "an object",
);
const call = z.looseObject(
  {
    status: z
      .string("the status of a call")
      .check(z.refine((status) => Object.hasOwn(resultStatusOf, status), "the status of a call")),
    result: z.optional(result),
    approval: z.optional(object),
    args: z.optional(object),
    repairs: z.array(z.unknown(), "a list"),
    callId: text,
    name: text,
    argumentsText: text,
    idempotencyKey: text,
    round: count,
    proposedAt: number,
  },
  "the record of a call",
);
const usage = z.looseObject({ inputTokens: number, outputTokens: number }, "token counts");

/** The messages and calls of a stored turn. */
export const turnShape = {
  messages: messagesSchema,
  calls: z.array(call, "a list of call records").check(({ value, issues }) => {
    const ids = new Set<string>();
    for (const [n, { callId }] of value.entries()) {
      if (ids.has(callId))
        issues.push({
          code: "custom",
          path: [n, "callId"],
          input: callId,
          message: "the id of only one call",
        });
      ids.add(callId);
    }
  }),
};

const chainState = z.looseObject(
  {
    round: count,
    startTime: number,
    elapsed: number,
    usage,
    ...turnShape,
    usageByRound: z.optional(
      z.array(z.looseObject({ round: count, usage }, "an object"), "a list"),
    ),
  },
  "an object",
);

/**
 * Returns why a chain cannot resume from `state`, or `undefined` if it can. The state is untrusted,
 * because the caller may have stored it anywhere. Does not require properties that the schema does
 * not list.
 */
export function chainStateProblem(state: unknown): string | undefined {
  const problem = schemaProblem(chainState, state, "state");
  if (problem === undefined) return undefined;
  return `The state of a chain cannot be resumed: ${problemText(problem)}. Pass the state of a chain's result, or the return value of chainStateOf for a journal.`;
}
