import type { ToolGroupView } from "@capstan/contract";
import { didYouMean } from "../arguments/parse-options.ts";
import { printable, printableLine } from "../terminal/printable.ts";
import { chatTexts } from "../texts/chat.ts";
import { type ChatSession, printLine } from "./chat-session.ts";

const texts = chatTexts.commands;

/** Returns the groups that a conversation offers to the model. Without a conversation, the default ones. */
export async function offeredGroups({
  client,
  conversation,
}: Pick<ChatSession, "client" | "conversation">): Promise<readonly ToolGroupView[]> {
  const groups = await client.toolGroups();
  const switches = conversation?.switches ?? { groups: {}, tools: {} };
  return groups.filter((group) => switches.groups[group.name] ?? group.default_enabled);
}

/** `/tools` lists the tools that the model is offered, `/tools NAME` shows the parameters of one. */
export async function toolsCommand(session: ChatSession, name: string | undefined): Promise<void> {
  const groups = await offeredGroups(session);
  const switches = session.conversation?.switches.tools ?? {};
  const tools = groups.flatMap((group) =>
    group.tools
      .filter((tool) => tool.unavailable === null && (switches[tool.id] ?? tool.default_enabled))
      .map((tool) => ({ group, tool })),
  );
  if (tools.length === 0) return printLine(session, texts.noTools);
  const { style } = session;
  if (name !== undefined) {
    const found = tools.filter(({ tool }) => tool.name === name || tool.id === name);
    if (found.length === 0) {
      const names = tools.map(({ tool }) => tool.name);
      return printLine(session, texts.unknownTool(printableLine(name), didYouMean(name, names)));
    }
    for (const { group, tool } of found) {
      printLine(session, style.bold(printableLine(`${group.title}: ${tool.name}`)));
      printLine(session, printable(tool.description));
      printLine(session, style.dim(printable(JSON.stringify(tool.parameters, null, 2))));
    }
    return undefined;
  }
  for (const group of groups) {
    const shown = tools.filter((entry) => entry.group === group);
    if (shown.length === 0) continue;
    printLine(session, style.bold(printableLine(group.title)));
    const width = Math.max(...shown.map(({ tool }) => tool.name.length));
    for (const { tool } of shown) {
      const about = printableLine(tool.description.split("\n", 1)[0] ?? "");
      const room = Math.max(20, session.terminal.columns - width - 4);
      const text = about.length > room ? `${about.slice(0, room - 1)}…` : about;
      printLine(session, `  ${printableLine(tool.name).padEnd(width)}  ${style.dim(text)}`);
    }
  }
  return undefined;
}
