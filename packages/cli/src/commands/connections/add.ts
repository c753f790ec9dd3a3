import { resolve } from "node:path";
import { ApiError, type Client } from "@capstan/client";
import type { ConnectionCreateBody, ConnectionDetail } from "@capstan/contract";
import {
  CommandFailure,
  type Invocation,
  printNotice,
  textOption,
} from "../../arguments/command.ts";
import { connectionTexts as texts } from "../../texts/connections.ts";
import { confirm } from "../shared/confirm.ts";
import { describeConnection } from "./list.ts";
import { nameIn, withClient } from "./with-client.ts";

/** Adds a server at a URL, or a program. */
export function addConnection(invocation: Invocation): Promise<number> {
  const body = readNewConnection(invocation);
  return withClient(invocation, async (client) => {
    const added = await addOrAsk(client, body);
    if (added === undefined) return 1;
    process.stdout.write(`${describeConnection(added)}\n`);
    if (added.state === "needs_sign_in") printNotice(texts.signInNext(added.name));
    return 0;
  });
}

/** Adds a connection. If it is in a private network, asks first. */
async function addOrAsk(
  client: Client,
  body: ConnectionCreateBody,
): Promise<ConnectionDetail | undefined> {
  try {
    return await client.addConnection(body);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "private_address") throw error;
    printNotice(error.message);
    if (!(await confirm(texts.confirmPrivate(body.name), texts.noTerminalPrivate)))
      return undefined;
    return client.addConnection({ ...body, private: true });
  }
}

function readNewConnection({ positionals, values }: Invocation): ConnectionCreateBody {
  const [name, target, ...args] = positionals;
  if (name === undefined || target === undefined) throw new CommandFailure(texts.addUsage, 2);
  const folders = (option: string) =>
    textOption(values, option)
      ?.split(",")
      .map((path) => resolve(path));
  const [read, write] = [folders("read"), folders("write")];
  const hosts = textOption(values, "network")?.split(",");
  const isPrivate = values["private"] === true;
  if (!/^https?:\/\//i.test(target)) {
    if (isPrivate) throw new CommandFailure(texts.addUsage, 2);
    return {
      name,
      command: target.includes("/") ? resolve(target) : target,
      args,
      ...(read && { read }),
      ...(write && { write }),
      ...(hosts && { network: hosts }),
    };
  }
  if (args.length > 0 || read !== undefined || write !== undefined || hosts !== undefined)
    throw new CommandFailure(texts.addUsage, 2);
  const issuer = textOption(values, "issuer");
  const clientId = textOption(values, "client");
  const oauth = {
    ...(issuer !== undefined && { issuer }),
    ...(clientId !== undefined && { client_id: clientId }),
  };
  return {
    name,
    url: target,
    ...(isPrivate && { private: true }),
    ...(Object.keys(oauth).length > 0 && { oauth }),
  };
}

/** Removes a connection with its credentials. */
export function removeConnection(invocation: Invocation): Promise<number> {
  const name = nameIn(invocation, "remove");
  return withClient(invocation, async (client) => {
    const isSure =
      invocation.values["yes"] === true ||
      (await confirm(texts.confirmRemove(name), texts.noTerminalRemove));
    if (!isSure) return 1;
    await client.removeConnection(name);
    printNotice(texts.removedConnection(name));
    return 0;
  });
}

/** Encrypts all stored credentials with a new key. */
export function rotateKey(invocation: Invocation): Promise<number> {
  return withClient(invocation, async (client) => {
    const { encrypted, unreadable } = await client.rotateKey();
    printNotice(texts.rotated(encrypted));
    if (unreadable.length > 0) printNotice(texts.unreadable(unreadable.join(", ")));
    return unreadable.length === 0 ? 0 : 1;
  });
}
