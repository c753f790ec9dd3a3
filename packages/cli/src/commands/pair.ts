import { ApiError, createClient } from "@capstan/client";
import type { SessionView } from "@capstan/contract";
import { isLoopback, pairingLink } from "@capstan/server";
import { CommandFailure, type Invocation, printJson, textOption } from "../arguments/command.ts";
import { printableLine } from "../terminal/printable.ts";
import { isInteractive } from "./shared/is-interactive.ts";
import { findHolder, readTerminalKey } from "./shared/open-connection.ts";
import { pairingText } from "./shared/pairing-text.ts";
import { readConfiguration } from "./shared/read-configuration.ts";
import { commandTexts } from "../texts/commands.ts";

const texts = commandTexts.pair;

/** Prints a link that pairs a browser; lists paired browsers; ends their sessions. */
export async function pairBrowser({ values }: Invocation): Promise<number> {
  const revoked = textOption(values, "revoke");
  const isList = values["list"] === true;
  // A link in a log would pair any reader of the log.
  if (revoked === undefined && !isList && !isInteractive())
    throw new CommandFailure(texts.noTerminal, 1);
  const { dataDir } = await readConfiguration(values);
  const url = textOption(values, "url") ?? (await findHolder(dataDir));
  if (url === undefined) throw new CommandFailure(texts.noServer(dataDir), 1);
  if (!isLoopback(URL.parse(url)?.hostname.replace(/^\[|\]$/g, "") ?? ""))
    throw new CommandFailure(texts.invalidUrl(url), 2);
  const key = await readTerminalKey(dataDir, url);
  if (key === undefined) throw new CommandFailure(texts.noKey(dataDir, url), 1);
  const client = createClient({ url, key });
  if (revoked !== undefined) {
    await client.revokeSession(revoked).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404)
        throw new CommandFailure(texts.unknownSession(revoked), 1);
      throw error;
    });
    process.stdout.write(`${texts.revoked(revoked)}\n`);
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

function renderSessions(sessions: readonly SessionView[]): string {
  if (sessions.length === 0) return `${texts.noBrowser}\n`;
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  return sessions
    .map(
      ({ id, name, created_at: created, used_at: used }) =>
        `${id}  paired ${day(created)}  used ${day(used)}  ${printableLine(name)}\n`,
    )
    .join("");
}
