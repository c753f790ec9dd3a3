import { ApiError, type Client } from "@capstan/client";
import type { CallOutcomeBody, CallView, RunView } from "@capstan/contract";
import { visibleArguments, visibleParts } from "@capstan/core/text";
import { printableLine } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";
import { notice, type Terminal } from "../terminal/terminal.ts";
import {
  argumentsBlock,
  type QuestionView,
  type ShownText,
  visibleBlock,
  visibleName,
} from "../terminal/visible.ts";
import { readEditedArguments } from "./answer-approvals.ts";
import { chatTexts } from "../texts/chat.ts";
import { type AskOptions, readAnswers, send } from "./ask.ts";

const texts = chatTexts.outcome;

interface OutcomeOptions extends AskOptions {
  readonly client: Pick<Client, "url" | "calls" | "answerOutcome">;
  readonly run: string;
}

/**
 * Asks for each unknown outcome of a run's calls. Enter skips one. Without a
 * terminal, prints where to report the outcomes.
 *
 * @returns `left` if the user left
 */
export async function answerOutcomes(options: OutcomeOptions): Promise<"done" | "left"> {
  const { client, run, mode, terminal, style, signal } = options;
  const calls = await client.calls(run, signal);
  for (const call of calls) {
    if (call.status !== "outcome_unknown" || call.found !== undefined) continue;
    if (mode !== "ask") {
      const text = texts.noTerminal(printableLine(call.name), client.url);
      terminal.write(notice(style.yellow(text)));
      continue;
    }
    if ((await ask(options, call)) === "left") return "left";
  }
  return "done";
}

async function ask(options: OutcomeOptions, call: CallView): Promise<"done" | "left"> {
  const { client, run, terminal, style, signal } = options;
  let isCut = false;
  const show = (whole: boolean) => {
    const shown = questionText(call, { style, columns: terminal.columns, whole });
    ({ isCut } = shown);
    terminal.write([{ channel: "notice", text: shown.text }]);
  };
  show(false);
  const asked = await readAnswers(options, "y/n/r > ", async (line) => {
    const answer = readOutcome(line);
    if (answer === "later") return answer;
    if (answer === "unclear") {
      terminal.write(notice(texts.unclear));
      return undefined;
    }
    if (answer === "view") {
      show(true);
      return undefined;
    }
    if (answer.outcome === "run_again" && isCut) {
      terminal.write(notice(texts.notShown));
      return undefined;
    }
    return send(options, async () => {
      const { found } = await client.answerOutcome(run, call.id, answer, signal);
      if (found !== undefined && found.answer !== answer.outcome)
        terminal.write(notice(style.yellow(texts.alreadyAnswered(texts.answers[found.answer]))));
      return "answered" as const;
    });
  });
  return asked === "left" ? "left" : "done";
}

function questionText(call: CallView, view: QuestionView): ShownText {
  const { style } = view;
  const args = argumentsOf(call.argumentsText);
  const shown =
    args === undefined
      ? visibleBlock(visibleParts(call.argumentsText), view)
      : argumentsBlock(visibleArguments(args), view);
  const lines = [
    style.yellow(style.bold(`? ${texts.title(visibleName(call.name, style))}`)),
    shown.text,
    ...texts.explanation.map((line) => style.dim(`  ${line}`)),
    `  ${texts.happened}`,
    `  ${texts.didNotHappen}`,
    `  ${texts.runAgain}`,
    "",
  ];
  return { text: lines.join("\n"), isCut: shown.isCut };
}

/** Parses the arguments of a call. Returns `undefined` if the text is not a JSON object. */
function argumentsOf(text: string): { readonly [name: string]: unknown } | undefined {
  const read = readEditedArguments(text);
  return read.status === "valid" ? read.args : undefined;
}

/** Parses a typed line as the outcome of a call. An unclear line reports nothing. */
export function readOutcome(line: string): CallOutcomeBody | "later" | "view" | "unclear" {
  const [word = "", ...rest] = line.trim().split(/\s+/);
  if (word === "") return "later";
  if (word.toLowerCase() === "v" && rest.length === 0) return "view";
  const outcomes = { y: "happened", n: "did_not_happen", r: "run_again" } as const;
  const known = Object.entries(outcomes).find(([letter]) => letter === word.toLowerCase());
  if (known === undefined) return "unclear";
  const note = rest.join(" ");
  return { outcome: known[1], ...(note !== "" && { note }) };
}

/**
 * Asks for each unknown outcome of a call, in all conversations, the oldest run
 * first. Without a terminal it lists them.
 */
export async function answerOpenOutcomes(options: {
  readonly client: Pick<Client, "url" | "calls" | "answerOutcome" | "runsOfUnknownOutcome">;
  readonly terminal: Terminal;
  readonly style: Style;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { client, terminal, style, signal } = options;
  const runs = await client.runsOfUnknownOutcome(signal);
  if (runs.length === 0) terminal.write(notice(texts.none));
  const mode = terminal.interactive ? "ask" : "refuse";
  for (const run of runs.toReversed()) {
    if (signal.aborted) return;
    terminal.write(notice(style.bold(headingOf(run))));
    try {
      if ((await answerOutcomes({ ...options, run: run.id, mode })) === "left") return;
    } catch (thrown) {
      // A run that the server cannot read must not hide the others.
      if (!(thrown instanceof ApiError) || thrown.status < 500) throw thrown;
      terminal.write(notice(style.red(texts.unreadable(printableLine(thrown.message)))));
    }
  }
}

function headingOf({ id, created_at: at, conversation }: RunView): string {
  const where = conversation === null ? "" : `, in ${conversation}`;
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC, run ${id}${where}`;
}
