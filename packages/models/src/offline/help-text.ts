import type { ToolDefinition } from "@capstan/core";
import { exampleLine } from "./example-arguments.ts";

/** What `/help` answers: the language of lines, and each tool that is on with a line that calls it. */
export function helpText(tools: readonly ToolDefinition[]): string {
  return `## What the offline model understands

I am no AI: I run the lines you write, and tell what came of them.

- **A call**: \`/Tool {json}\`, one line. Without arguments \`/Tool\` is enough. The JSON is passed on as you typed it, so a mistake in it shows you the answer that a model would get.
- **Several calls at once**: several such lines in one message run side by side, in one turn.
- **One after another**: a line \`/then\` between them; what follows runs when the results of what came before are there.
- **A tool that is not there**: \`/Name!\` calls it all the same, to see what comes back.

## Results are kept

- Every result becomes a variable named after its tool, such as \`${sampleName(tools)}_1\`; \`/ListVars\` lists them, and \`/ReadVar {"name":"${sampleName(tools)}_1"}\` reads one, in pieces with \`start\` and \`length\`.
- \`$VAR_REF{{Name_1}}\` inside an argument puts the value there without its passing through a model; \`$VAR_REF{{Name_1:0:200}}\` takes a part of it.
- What a model is shown of a result is cut at some length. The argument \`limit\`, accepted by every tool of the server, sets that in characters; \`"limit": 0\` asks for all.

## Tools that are on

${toolLines(tools)}`;
}

/** Each tool in a line, with its example. */
export function toolLines(tools: readonly ToolDefinition[]): string {
  if (tools.length === 0) return "None. Switch some on, then ask again.";
  return tools
    .map((tool) => `- \`${exampleLine(tool)}\`${describe(tool.function.description)}`)
    .join("\n");
}

function describe(description: string | undefined): string {
  const sentence = /^[\s\S]*?[.!?](?=\s|$)/.exec(description ?? "")?.[0] ?? description ?? "";
  const line = sentence.replaceAll(/\s+/g, " ").trim();
  if (line === "") return "";
  return ` ${line.length > 160 ? `${line.slice(0, 159).toWellFormed()}…` : line}`;
}

function sampleName(tools: readonly ToolDefinition[]): string {
  return tools.find(({ function: { name } }) => !/Vars?$/.test(name))?.function.name ?? "Name";
}
