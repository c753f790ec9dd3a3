import { reviewOutcomes } from "@capstan/core/host";
import type { ReviewAnswerBody } from "@capstan/contract";
import { type ApprovalMode, noUserMessage } from "./answer-approvals.ts";
import { ApiError, type Client } from "@capstan/client";
import { printable } from "../terminal/printable.ts";
import { previewText, readReviewCommand, type Review, reviewText } from "./review-request.ts";
import type { Style } from "../terminal/style.ts";
import { notice, type Terminal } from "../terminal/terminal.ts";

interface ReviewOptions {
  /** The approval's id. */
  readonly id: string;
  readonly toolName: string;
  readonly mode: ApprovalMode;
  readonly client: Pick<Client, "answerApproval" | "review" | "previewReview">;
  readonly terminal: Terminal;
  readonly style: Style;
  /** Aborts when the question is answered elsewhere, or its run ends. */
  readonly signal: AbortSignal;
}

/** Characters of a result that are read at a time. */
const pageChars = 200_000;

/**
 * Shows a result that the model has not seen, and gets it released, changed or withheld.
 *
 * @returns `left` where the person went away: the question stays open
 */
export async function answerReview(options: ReviewOptions): Promise<"answered" | "gone" | "left"> {
  const { toolName, mode, terminal, style } = options;
  if (mode === "refuse") {
    const text = `A person must see the result of ${toolName} first; withheld, since nobody can be asked here (--yes releases it).`;
    terminal.write(notice(style.yellow(text)));
    return (
      (await send(options, { decision: "withhold", reason: noUserMessage, by: "system" })) ?? "gone"
    );
  }
  if (mode === "allow") {
    terminal.write(notice(style.yellow(`The result of ${toolName} is released, by --yes.`)));
    return (await send(options, { decision: "release" })) ?? "gone";
  }
  return (await guarded(options, async () => ask(options))) ?? "gone";
}

async function ask(options: ReviewOptions): Promise<"answered" | "gone" | "left"> {
  const { id, client, terminal, style, signal } = options;
  const review = await client.review(id, { start: 0, length: pageChars }, signal);
  if (!isShown(review)) return "gone";
  const say = (text: string) => terminal.write([{ channel: "notice", text }]);
  say(reviewText(review, style));
  let words: readonly string[] = [];
  for (;;) {
    const read = await terminal.readAnswer("r/x/p/w > ", { signal });
    if (read.type !== "line") return read.type === "end" ? "left" : "gone";
    const command = readReviewCommand(read.text);
    switch (command.type) {
      case "unclear":
        terminal.write(notice("Answer r, x and a word, p and a text, w, or v."));
        break;
      case "view":
        for await (const text of wholeText(options, review)) say(printable(text));
        say("\n");
        break;
      case "start over":
        words = [];
        say(reviewText(review, style));
        break;
      case "take out": {
        const more = [...words, command.word];
        const preview = await guarded(options, async () =>
          client.previewReview(id, { decision: "redact", words: more }, signal),
        );
        if (preview === "gone") return "gone";
        if (preview === undefined) break;
        words = more;
        say(previewText(preview.shown, words, style));
        break;
      }
      case "release":
      case "answer": {
        const done = await send(
          options,
          command.type === "answer"
            ? command.body
            : words.length > 0
              ? { decision: "redact", words }
              : { decision: "release" },
        );
        if (done !== undefined) return done;
      }
    }
  }
}

function isShown(review: Awaited<ReturnType<Client["review"]>>): review is Review {
  return review.result !== undefined && review.args !== undefined;
}

async function* wholeText(
  { id, client, signal }: ReviewOptions,
  { result }: Review,
): AsyncGenerator<string> {
  yield result.text;
  let start = result.text.length;
  while (start < result.total) {
    const { result: next } = await client.review(id, { start, length: pageChars }, signal);
    if (next === undefined || next.text === "") return;
    yield next.text;
    start += next.text.length;
  }
}

/** Undefined where the server did not take the answer and the person may give another. */
async function send(
  options: ReviewOptions,
  body: ReviewAnswerBody,
): Promise<"answered" | "gone" | undefined> {
  const { client, id, terminal, style, signal } = options;
  return guarded(options, async () => {
    const view = await client.answerApproval(id, body, signal);
    if (view.status !== reviewOutcomes[body.decision])
      terminal.write(notice(style.yellow(`This result is ${view.status} already.`)));
    return "answered" as const;
  });
}

/** Undefined where the server said no and something else may be tried. */
async function guarded<T>(
  { terminal, style, signal }: ReviewOptions,
  work: () => Promise<T>,
): Promise<T | "gone" | undefined> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) return "gone";
    if (!(error instanceof ApiError)) throw error;
    terminal.write(notice(style.red(error.message)));
    // Gone, or answered: nothing that is typed here would change it.
    return error.status === 404 || error.status === 409 || error.status === 0 ? "gone" : undefined;
  }
}
