import { setTimeout as sleep } from "node:timers/promises";
import type { MockCall, MockTurn } from "./mock-turn.ts";
import { emit } from "./mock-store.ts";

const listing = Array.from(
  { length: 900 },
  (_, index) => `packages/part-${index}/src/index.ts`,
).join("\n");

const listFiles: MockCall = {
  name: "ListFiles",
  group: "Files",
  args: { path: "." },
  result: listing,
  shown: 1200,
  ms: 60,
};
const dateTime: MockCall = {
  name: "DateTime",
  group: "Basic",
  args: {},
  result: "Saturday, 21 November 2026, 22:48 UTC",
  ms: 20,
};
const fetchPage: MockCall = {
  name: "FetchWebPage",
  group: "Web",
  args: { url: "https://example.org/", format: "markdown" },
  result: "# Example Domain\n\nThis domain is for use in illustrative examples.",
  ms: 300,
  ask: {
    description: "Fetches a page and gives its readable text as Markdown.",
    reason: "It reads the web, and example.org was not allowed yet.",
    covers: "FetchWebPage: pages of https://example.org",
  },
};
const writeNote: MockCall = {
  name: "WriteFile",
  group: "Files",
  args: {
    path: "notes/voyage.md",
    content: Array.from(
      { length: 30 },
      (_, line) => `Line ${line + 1} of the note, with its findings.`,
    ).join("\n"),
    options: { overwrite: false, mode: "text" },
  },
  result: "Written: notes/voyage.md, 1,620 characters.",
  ask: {
    description: "Writes a text file.",
    reason: "It changes files, so it always asks.",
    covers: "WriteFile: notes/voyage.md",
  },
};
const slow: MockCall = {
  name: "RunScript",
  group: "Scripts",
  args: { script: "survey.py", depth: 3 },
  result: "42 soundings taken.",
  ms: 60_000,
  output: Array.from(
    { length: 300 },
    (_, line) => `sounding ${line + 1}: ${20 + (line % 9)} fathoms`,
  ),
};

export const helpText = `I am the **offline model**: no AI, a small interpreter.

## What I understand

| line | does |
|---|---|
| \`/ListFiles {"path":"."}\` | runs a tool |
| \`/help\` | shows this |

- Several lines in one message are several calls, run at once.
- A long result is kept whole as a variable:

\`\`\`json
{ "text": "$VAR_REF{{ListFiles_1}}" }
\`\`\`

Read more at [the documentation](https://example.org/docs).
`;

const nasty = `<script>window.hacked = true</script><img src=x onerror="window.hacked = true">

![a chart](https://tracker.example/pixel.png)

<a href="javascript:window.hacked=true">click</a> and [safe](https://example.org) and [relative](/v1/models)

<form action="/v1/approvals"><button>Allow</button></form><p style="position:fixed">styled</p>
`;

const formulas = String.raw`The roots \(x_1\) and $x_2$ of a *quadratic* cost $5 each:

\[
x_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}
\]

This one is not finished: $\frac{1}{2$.

\`\`\`python
def area(r): # of a circle
    return 3.14 * r ** 2
\`\`\`
`.replaceAll("\\`", "`");

const paragraphs = Array.from(
  { length: 260 },
  (_, index) =>
    `${index + 1}. The **${index + 1}th** turn of the drum brings in \`${index * 3}\` fathoms of rope, and the pawls hold it.\n\n   It is said in two lines.`,
).join("\n\n");

/** Returns the behaviour of the mock model for a message. */
export async function play(turn: MockTurn, text: string): Promise<void> {
  const word = text.trim().split(/\s+/)[0] ?? "";
  const failure = /^fail (\w+)/.exec(text)?.[1];
  turn.beginRound();
  if (failure !== undefined) {
    await turn.say("Let me see what I can fi", { end: false });
    return turn.end("error", {
      code: failure,
      message: `The provider said: ${failure}, status 4xx.`,
      retryAfterMs: 20_000,
    });
  }
  switch (word) {
    case "/help":
      await turn.say(helpText);
      break;
    case "calls":
      await turn.say(
        "The question is wide. I look at the folder and the clock at once, then at the page.",
        { kind: "reasoning" },
      );
      await turn.say("I will look at **three things** at once.");
      await turn.call([
        listFiles,
        { ...dateTime, repairs: ["`zone`: null for an absent option was removed"] },
        { ...fetchPage, ask: undefined } as never,
      ]);
      turn.beginRound();
      await turn.say(
        "There are 900 files, among them `packages/part-0`. The time is *22:48 UTC*.\n\n```ts\nconst answer = 42;\n```\n",
      );
      break;
    case "ask":
      await turn.say("I need the page, and I would write a note.");
      await turn.call([fetchPage, writeNote, dateTime]);
      turn.beginRound();
      await turn.say("Both are done.");
      break;
    case "slow":
      await turn.call([slow, dateTime]);
      turn.beginRound();
      await turn.say("The survey is over.");
      break;
    case "outcomes":
      await turn.call(
        (
          [
            "success",
            "error",
            "timed_out",
            "not_found",
            "cancelled",
            "outcome_unknown",
            "result_rejected",
          ] as const
        ).map((outcome) => ({
          name: outcome === "not_found" ? "LstFiles" : "ViewFile",
          group: "Files",
          args: { path: `${outcome}.txt` },
          result: `The model reads this of ${outcome}.`,
          outcome,
        })),
      );
      turn.beginRound();
      await turn.say("Seven outcomes.");
      break;
    case "long":
      await turn.say(paragraphs, { ms: 1, size: 40 });
      break;
    case "drip":
      await turn.say("drop ".repeat(250), { ms: 15, size: 5, holdAfter: 20 });
      break;
    case "restart":
      await turn.say("Half of a sen", { end: false });
      emit(turn.run, {
        type: "model.retry",
        attempt: 1,
        delayMs: 900,
        reason: "The provider could not be reached.",
      });
      await sleep(500);
      await turn.store.held;
      emit(turn.run, { type: "model.restarted", reason: "The connection was lost." });
      await turn.say("A whole sentence now.");
      break;
    case "interrupt":
      await turn.say("This will be cut", { end: false });
      emit(turn.run, {
        type: "run.interrupted",
        at: Date.now(),
        message: "The server stopped while this turn was running.",
      });
      return turn.end("error", {
        code: "interrupted",
        message: "The server stopped while this turn was running.",
      });
    case "formulas":
      await turn.say(formulas);
      break;
    case "nasty":
      await turn.say(nasty);
      break;
    default:
      if (text.startsWith("/ListFiles")) {
        const calls = text
          .split("\n")
          .map((line) => (line.startsWith("/DateTime") ? dateTime : { ...listFiles, ms: 900 }));
        await turn.call(calls);
        turn.beginRound();
        await turn.say(
          `I ran ${calls.length} ${calls.length === 1 ? "call" : "calls"}. The folder holds **900 files**; the first is \`packages/part-0/src/index.ts\`.`,
        );
      } else await turn.say(`You said: ${text}`);
  }
  turn.endRound("stop");
  turn.end("completed");
}
