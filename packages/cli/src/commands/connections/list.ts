import type { Client } from "@capstan/client";
import type { ConnectionView } from "@capstan/contract";
import { visibleText } from "@capstan/core/text";
import {
  CommandFailure,
  type Invocation,
  printJson,
  printNotice,
} from "../../arguments/command.ts";
import { formatCount } from "../../terminal/style.ts";
import { connectionTexts as texts } from "../../texts/connections.ts";
import { readConfiguration } from "../shared/read-configuration.ts";
import { withClient } from "./with-client.ts";

/** Lists the connections without connecting. */
export function listConnections(invocation: Invocation): Promise<number> {
  return withClient(invocation, async (client) => {
    const { connections } = await readConfiguration(invocation.values);
    const off = connections
      .filter(({ on }) => !on)
      .map(({ connection: { name } }) => ({ name, state: "off" as const }));
    const listed = await client.connections();
    if (invocation.values["json"] === true) printJson([...listed, ...off]);
    else {
      const lines = [
        ...listed.map(describeConnection),
        ...off.map(({ name, state }) => `${name}  ${texts.states[state]}`),
      ];
      process.stdout.write(`${lines.length === 0 ? texts.none : lines.join("\n")}\n`);
    }
    return 0;
  });
}

/** Connects to one server or to all. The exit code is 1 if a connection fails. */
export function checkConnections(invocation: Invocation): Promise<number> {
  const [name] = invocation.positionals;
  return withClient(invocation, async (client) => {
    const listed = await client.connections();
    requireKnown(listed, name);
    const chosen = listed.filter((one) => one.enabled && (name === undefined || one.name === name));
    const checked = await Promise.all(chosen.map((one) => checkOne(client, one.name)));
    if (invocation.values["json"] === true) printJson(checked);
    else if (checked.length === 0) printNotice(texts.none);
    else process.stdout.write(`${checked.map(describeConnection).join("\n")}\n`);
    return checked.every(worksNow) ? 0 : 1;
  });
}

/** Omit the tools, so that the output has the same form as that of `list`. */
async function checkOne(client: Client, name: string): Promise<ConnectionView> {
  const {
    definitions: _,
    changes: _changes,
    digest: _digest,
    ...view
  } = await client.checkConnection(name);
  return view;
}

function requireKnown(listed: readonly ConnectionView[], name: string | undefined): void {
  const known = listed.map((one) => one.name);
  if (name !== undefined && !known.includes(name))
    throw new CommandFailure(texts.unknown(name, known), 2);
}

function worksNow({ error, state }: ConnectionView): boolean {
  return (
    error === null &&
    state !== "not_configured" &&
    state !== "needs_acceptance" &&
    state !== "needs_sign_in"
  );
}

/**
 * Returns the lines about a connection, with hidden characters in texts of servers made visible.
 */
export function describeConnection(view: ConnectionView): string {
  const { name, server, state, error, tools, waiting, notes, missing, credential } = view;
  const isPrivate = view.private && view.type !== "program";
  const lines = [
    `${name}  ${visibleText(server)}  ${formatCount(tools, "tool")}, ${texts.states[state]}`,
    ...(isPrivate ? [texts.private] : []),
    ...(missing.length === 0 ? [] : [texts.missing(missing.join(", "))]),
    ...(credential === null ? [] : [texts.credential(credential)]),
    ...(error === null ? [] : [visibleText(error)]),
    ...(waiting.length === 0 ? [] : [texts.waiting(waiting.join(", "), name)]),
    ...notes.map((note) => visibleText(note)),
  ];
  return lines.join("\n  ");
}
