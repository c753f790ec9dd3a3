import { spawn } from "node:child_process";
import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@capstan/client";
import type { ConnectionCredentialBody, SignInAnswerBody } from "@capstan/contract";
import { findProgram } from "@capstan/sandbox";
import {
  CommandFailure,
  type Invocation,
  printNotice,
  textOption,
} from "../../arguments/command.ts";
import { connectionTexts as texts } from "../../texts/connections.ts";
import { readSecret } from "../shared/read-secret.ts";
import { describeConnection } from "./list.ts";
import { listenForAnswer, readAnswer } from "./listen-for-answer.ts";
import { nameIn, withClient } from "./with-client.ts";

/** Time within which a user must sign in, in ms. */
const signInMs = 10 * 60_000;

/** Signs in at a server: with a browser, with a code on another device, or with a key. */
export function login(invocation: Invocation): Promise<number> {
  const name = nameIn(invocation, "login");
  const { values } = invocation;
  return withClient(invocation, async (client) => {
    const shared = values["shared"] === true;
    const entered = await readEntered(name, values);
    if (entered !== undefined) await client.setCredential(name, { ...entered, shared });
    else if (values["device"] === true) await signInWithCode(client, name, shared);
    else await signInWithBrowser(client, name, { shared, values });
    const view = await client.connection(name);
    process.stdout.write(`${describeConnection(view)}\n`);
    return view.error === null && view.state !== "needs_sign_in" ? 0 : 1;
  });
}

/** Signs out: revokes and deletes the credential. */
export function logout(invocation: Invocation): Promise<number> {
  const name = nameIn(invocation, "logout");
  return withClient(invocation, async (client) => {
    const shared = invocation.values["shared"] === true;
    const { revoked } = await client.removeCredential(name, { shared });
    printNotice(texts.signedOut(name, revoked));
    return 0;
  });
}

/** Reads a key or a password, if the flags name one. */
async function readEntered(
  name: string,
  values: Invocation["values"],
): Promise<ConnectionCredentialBody | undefined> {
  const user = textOption(values, "user");
  const client = textOption(values, "client");
  const header = textOption(values, "header");
  const ways = [values["key"] === true || header !== undefined, user, client].filter(Boolean);
  if (ways.length > 1) throw new CommandFailure(texts.oneWay, 2);
  if (ways.length === 0) return undefined;
  const secret = await readSecret(texts.askSecret(name));
  if (secret === "") throw new CommandFailure(texts.noSecret, 2);
  if (user !== undefined) return { type: "basic", username: user, password: secret };
  if (client !== undefined) {
    const scope = textOption(values, "scope");
    const given = { client_id: client, client_secret: secret };
    return { type: "client_credentials", ...given, ...(scope !== undefined && { scope }) };
  }
  return header === undefined
    ? { type: "bearer", token: secret }
    : { type: "api_key", in: "header", name: header, value: secret };
}

async function signInWithCode(client: Client, name: string, shared: boolean): Promise<void> {
  const {
    url,
    state,
    user_code: code,
    interval_seconds: first,
  } = await client.startSignIn(name, {
    shared,
  });
  printNotice(texts.enterCode(url, code ?? ""));
  const until = Date.now() + signInMs;
  for (let seconds = first ?? 5; Date.now() < until;) {
    await sleep(seconds * 1_000);
    const { status, interval_seconds: next } = await client.finishSignIn({ state });
    if (status === "signed_in") return;
    seconds = next ?? seconds;
  }
  throw new CommandFailure(texts.tooLate(name), 1);
}

async function signInWithBrowser(
  client: Client,
  name: string,
  { shared, values }: { readonly shared: boolean; readonly values: Invocation["values"] },
): Promise<void> {
  const port = Number(textOption(values, "port") ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new CommandFailure(texts.invalidPort, 2);
  await using listener = await listenForAnswer(port);
  const started = await client.startSignIn(name, { redirect_uri: listener.url, shared });
  printNotice(texts.openUrl(started.url));
  const isManual = values["no-browser"] === true;
  if (!isManual) openBrowser(started.url);
  const stop = new AbortController();
  const late = sleep(signInMs, undefined, { signal: stop.signal }).then(() => {
    throw new CommandFailure(texts.tooLate(name), 1);
  });
  const ways: Promise<SignInAnswerBody>[] = [listener.answer(started.state), late];
  if (isManual && process.stdin.isTTY) ways.push(pastedAnswer(started.state, stop.signal));
  try {
    const answer = await Promise.race(ways);
    await client.finishSignIn(answer);
  } finally {
    stop.abort();
    await late.catch(() => {});
  }
}

/** Asks for the address to which the browser was sent, for browsers on other machines. */
async function pastedAnswer(state: string, signal: AbortSignal): Promise<SignInAnswerBody> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const text = await terminal.question(texts.paste, { signal });
      const answer = readAnswer(text.trim(), state);
      if (answer !== undefined) return answer;
      printNotice(texts.notPasted);
    }
  } finally {
    terminal.close();
  }
}

/** Opens an address without a shell. If there is no browser, the user opens the printed address. */
function openBrowser(url: string): void {
  const { protocol } = new URL(url);
  if (!process.stdout.isTTY || !/^https?:$/.test(protocol)) return;
  const program = findProgram(process.platform === "darwin" ? "open" : "xdg-open");
  if (program === undefined) return;
  const child = spawn(program, [url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
