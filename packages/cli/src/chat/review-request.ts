import type { ResultApprovalView, ReviewAnswerBody } from "@capstan/contract";
import { printable, printableJson, printableLine } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";

/** A result that a person sees before the model does. */
export type Review = ResultApprovalView & Required<Pick<ResultApprovalView, "args" | "result">>;

const shownLines = 40;
const shownCharacters = 4_000;

/** The question as text: what ran, what the model would get of it, and what can be done. */
export function reviewText(review: Review, style: Style): string {
  const { groupTitle, toolName, isError, args, result, reason } = review;
  const what = isError ? "failed" : "ran";
  const title = `? ${printableLine(groupTitle)}: ${printableLine(toolName)} ${what}; the model has not seen its result`;
  const more = result.total > result.shown.length ? `, of ${result.total} characters` : "";
  return [
    style.yellow(style.bold(title)),
    indent(style.dim(cut(printableJson(args)))),
    indent(style.dim(`What the model would get${more}:`)),
    indent(cut(printable(result.shown))),
    ...result.parts.map((part) => indent(`[${part.type}]`)),
    indent(style.dim(printableLine(reason))),
    indent("r  release it"),
    indent("x  take words out, as they stand in it: x secret word; once more for others"),
    indent("p  put another text in its place: p It is confidential."),
    indent("w  withhold it; what follows is the reason: w private"),
    indent("v  show the whole result"),
    "",
  ].join("\n");
}

/** What the model would get after words were taken out. */
export function previewText(shown: string, words: readonly string[], style: Style): string {
  const taken = words.map((word) => JSON.stringify(word)).join(", ");
  return [
    indent(style.dim(`Without ${printableLine(taken)} the model would get:`)),
    indent(cut(printable(shown))),
    indent("r  release what is left;  x  begin again with all of it"),
    "",
  ].join("\n");
}

function cut(text: string): string {
  const head = text.split("\n").slice(0, shownLines).join("\n").slice(0, shownCharacters);
  const left = text.length - head.length;
  return left === 0 ? text : `${head.toWellFormed()}\n… ${left} more characters`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

export type ReviewCommand =
  | { readonly type: "answer"; readonly body: ReviewAnswerBody }
  /** Give what is left after the words that were taken out. */
  | { readonly type: "release" }
  | { readonly type: "take out"; readonly word: string }
  | { readonly type: "start over" }
  | { readonly type: "view" }
  | { readonly type: "unclear" };

/** What a typed line says. Nothing that is unclear shows anything to the model. */
export function readReviewCommand(line: string): ReviewCommand {
  const [, letter = "", rest = ""] = /^\s*(\S+)(?:\s(.*))?$/s.exec(line) ?? [];
  const text = rest.trim();
  switch (letter.toLowerCase()) {
    case "r":
      return text === "" ? { type: "release" } : unclear;
    case "x":
      return text === "" ? { type: "start over" } : { type: "take out", word: text };
    case "p":
      return text === "" ? unclear : { type: "answer", body: { decision: "replace", text } };
    case "w":
      return {
        type: "answer",
        body: { decision: "withhold", ...(text !== "" && { reason: text }) },
      };
    case "v":
      return text === "" ? { type: "view" } : unclear;
    default:
      return unclear;
  }
}

const unclear: ReviewCommand = { type: "unclear" };
