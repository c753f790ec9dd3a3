import { createTwoFilesPatch } from "diff";
import type { Connections, ConnectionStatus, ServerTool, ToolChanges } from "@capstan/connections";
import { visibleParts, visibleText } from "@capstan/core/text";
import { CommandFailure, type Invocation, printJson, printNotice } from "../arguments/command.ts";
import type { Configuration } from "../configuration/configuration.ts";
import { configuredGroups } from "../install/built-in-groups.ts";
import { configuredConnections } from "../install/configured-connections.ts";
import { formatCount, styleFor } from "../terminal/style.ts";
import { visibleBlock } from "../terminal/visible.ts";
import { connectionTexts as texts } from "../texts/connections.ts";
import { confirm } from "./shared/confirm.ts";
import { readConfiguration } from "./shared/read-configuration.ts";

/** Lists the connections without connecting. */
export function listConnections(invocation: Invocation): Promise<number> {
  return withConnections(invocation, (connections, configuration) => {
    const off = configuration.connections
      .filter(({ on }) => !on)
      .map(({ connection: { name } }) => ({ name, state: "off" as const }));
    if (invocation.values["json"] === true) printJson([...connections.status(), ...off]);
    else {
      const lines = [
        ...connections.status().map(describeStatus),
        ...off.map(({ name, state }) => `${name}  ${texts.states[state]}`),
      ];
      process.stdout.write(`${lines.length === 0 ? texts.none : lines.join("\n")}\n`);
    }
    return Promise.resolve(0);
  });
}

/** Connects to one server or to all. The exit code is 1 if a connection fails. */
export function checkConnections(invocation: Invocation): Promise<number> {
  const [name] = invocation.positionals;
  return withConnections(invocation, async (connections) => {
    requireKnown(connections, name);
    await connections.check(name);
    const checked = connections.status().filter((one) => name === undefined || one.name === name);
    if (invocation.values["json"] === true) printJson(checked);
    else if (checked.length === 0) printNotice(texts.none);
    else process.stdout.write(`${checked.map(describeStatus).join("\n")}\n`);
    return checked.every(worksNow) ? 0 : 1;
  });
}

/** Shows changed tools, and accepts them if the user agrees. */
export function acceptConnection(invocation: Invocation): Promise<number> {
  const [name] = invocation.positionals;
  if (name === undefined) throw new CommandFailure(texts.noName, 2);
  return withConnections(invocation, async (connections) => {
    requireKnown(connections, name);
    const changes = connections.changes(name);
    if (changes === undefined || changes.added.length + changes.changed.length === 0) {
      printNotice(texts.nothingToAccept(name));
      return 0;
    }
    process.stdout.write(describeChanges(changes));
    const isAccepted =
      invocation.values["yes"] === true || (await confirm(texts.confirm, texts.noTerminal));
    if (isAccepted) connections.accept(name);
    printNotice(isAccepted ? texts.accepted : texts.notAccepted);
    return isAccepted ? 0 : 1;
  });
}

async function withConnections(
  { values }: Invocation,
  work: (connections: Connections, configuration: Configuration) => Promise<number>,
): Promise<number> {
  const configuration = await readConfiguration(values);
  const shipped = await configuredGroups(configuration);
  const connections = await configuredConnections(configuration, {
    reserved: shipped.map((group) => group.name),
    watch: false,
  });
  try {
    return await work(connections, configuration);
  } finally {
    await connections.close();
  }
}

function requireKnown(connections: Connections, name: string | undefined): void {
  const known = connections.status().map((one) => one.name);
  if (name !== undefined && !known.includes(name))
    throw new CommandFailure(texts.unknown(name, known), 2);
}

function worksNow({ error, state }: ConnectionStatus): boolean {
  return error === undefined && state !== "not_configured" && state !== "needs_acceptance";
}

/**
 * Returns the lines about a connection, with hidden characters in texts of servers made visible.
 */
export function describeStatus(status: ConnectionStatus): string {
  const { name, server, state, error, tools, waiting, notes, missing } = status;
  const lines = [
    `${name}  ${visibleText(server)}  ${formatCount(tools, "tool")}, ${texts.states[state]}`,
    ...(missing.length === 0 ? [] : [texts.missing(missing.join(", "))]),
    ...(error === undefined ? [] : [visibleText(error)]),
    ...(waiting.length === 0 ? [] : [texts.waiting(waiting.join(", "), name)]),
    ...notes.map((note) => visibleText(note)),
  ];
  return lines.join("\n  ");
}

/** Returns the differences between the accepted and the current tools, as lines. */
export function describeChanges({ added, removed, changed }: ToolChanges): string {
  const columns = process.stdout.columns > 0 ? process.stdout.columns : 80;
  const view = { style: styleFor(process.stdout), columns, whole: true };
  const pairs = [
    ...changed.map(({ from, to }) => [from, to] as const),
    ...added.map((tool) => [undefined, tool] as const),
  ];
  const patches = pairs.map(([from, to]) => {
    const patch = createTwoFilesPatch(
      from === undefined ? "new" : "accepted",
      "now",
      from === undefined ? "" : textOf(from),
      textOf(to),
    );
    const lines = patch.split("\n").slice(1).join("\n").trimEnd();
    return `${to.safeName}\n${visibleBlock(visibleParts(lines), view).text}\n`;
  });
  const gone =
    removed.length === 0
      ? ""
      : `${texts.removed} ${removed.map(({ safeName }) => safeName).join(", ")}\n`;
  return patches.join("\n") + gone;
}

function textOf({ digest, safeName, ...tool }: ServerTool): string {
  const { description, ...rest } = tool;
  return `${description}\n${JSON.stringify(rest, null, 2)}\n${safeName} ${digest}\n`;
}
