import { ApiError, createClient } from "@capstan/client";
import type { SessionView } from "@capstan/contract";
import { isLoopback, pairingLink } from "@capstan/server";
import { CommandFailure, type Invocation, printJson, textOption } from "../arguments/command.ts";
import { printableLine } from "../terminal/printable.ts";
import { findHolder, isInteractive, readTerminalKey } from "./shared/open-connection.ts";
import { readConfiguration } from "./shared/read-configuration.ts";

/** Prints a link that pairs a browser; lists paired browsers; ends their sessions. */
export async function pairBrowser({ values }: Invocation): Promise<number> {
  const revoked = textOption(values, "revoke");
  const isList = values["list"] === true;
  // A link in a log would pair any reader of the log.
  if (revoked === undefined && !isList && !isInteractive())
    throw new CommandFailure(
      "capstan pair prints a link that gives every right, so standard input and output must be a terminal.",
      1,
    );
  const { dataDir } = await readConfiguration(values);
  const url = textOption(values, "url") ?? (await findHolder(dataDir));
  if (url === undefined)
    throw new CommandFailure(
      `No server uses the data in ${dataDir}. Start one with \`capstan serve\`; for one with a PostgreSQL database give --url.`,
      1,
    );
  if (!isLoopback(URL.parse(url)?.hostname.replace(/^\[|\]$/g, "") ?? ""))
    throw new CommandFailure(
      `--url: expected an address of this machine such as http://127.0.0.1:8787, got ${url}`,
      2,
    );
  const key = await readTerminalKey(dataDir, url);
  if (key === undefined)
    throw new CommandFailure(
      `${dataDir} has no key for the server at ${url}. Give the data directory of that server with --data, as the user who runs it.`,
      1,
    );
  const client = createClient({ url, key });
  if (revoked !== undefined) {
    await client.revokeSession(revoked).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404)
        throw new CommandFailure(`There is no session ${revoked}.`, 1);
      throw error;
    });
    process.stdout.write(`Revoked ${revoked}: that browser is paired no longer.\n`);
  } else if (isList) {
    const sessions = await client.sessions();
    if (values["json"] === true) printJson(sessions);
    else process.stdout.write(renderSessions(sessions));
  } else {
    const { code } = await client.createPairing();
    process.stdout.write(pairingText(pairingLink(url, code)));
  }
  return 0;
}

/** Returns the message for a pairing link. */
export function pairingText(link: string): string {
  return `  pair     ${link}
           pairs the browser that opens it, once, within 10 minutes
`;
}

function renderSessions(sessions: readonly SessionView[]): string {
  if (sessions.length === 0) return "No browser is paired. `capstan pair` prints a link.\n";
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  return sessions
    .map(
      ({ id, name, created_at: created, used_at: used }) =>
        `${id}  paired ${day(created)}  used ${day(used)}  ${printableLine(name)}\n`,
    )
    .join("");
}
