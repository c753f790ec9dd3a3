import { homedir } from "node:os";
import { resolve } from "node:path";
import { openProgramKeys } from "@capstan/server";
import {
  CommandFailure,
  type Invocation,
  printJson,
  printNotice,
  textOption,
} from "../arguments/command.ts";
import { didYouMean } from "../arguments/parse-options.ts";
import { checkClient } from "../connect/check-client.ts";
import { clientKinds } from "../connect/clients/client-kinds.ts";
import type { ClientKind, CommandTarget } from "../connect/clients/client.ts";
import {
  connectClient,
  type ConnectTarget,
  disconnectClient,
  printEntry,
} from "../connect/connect-client.ts";
import { connectionFiles } from "../connect/connection-record.ts";
import type { Configuration } from "../configuration/configuration.ts";
import { styleFor } from "../terminal/style.ts";
import { connectTexts as texts } from "../texts/connect.ts";
import { confirm } from "./shared/confirm.ts";
import { findHolder } from "./shared/open-connection.ts";
import { readConfiguration } from "./shared/read-configuration.ts";
import { renderChecks } from "./shared/render-checks.ts";

const names = clientKinds.map(({ name }) => name);

/** Connects a client to the server, disconnects it, checks its connection, or lists the clients. */
export async function connectClients({ values, positionals }: Invocation): Promise<number> {
  const [operand, more] = positionals;
  if (more !== undefined) throw new CommandFailure(texts.tooMany(more), 2);
  const actions = ["print", "undo", "check"].filter((flag) => values[flag] === true);
  if (actions.length > 1) throw new CommandFailure(texts.oneAction, 2);
  const [action] = actions;
  const kind = operand === undefined || operand === "list" ? undefined : kindOf(operand);
  const { dataDir, host, port } = await readConfiguration(values);
  if (action === "check") return check(dataDir, kind === undefined ? undefined : [kind]);
  if (operand === "list") return list(dataDir, values["json"] === true);
  if (kind === undefined) throw new CommandFailure(texts.noClient(names.join(", ")), 2);
  const options = {
    kind,
    dataDir,
    machine: thisMachine(),
    style: styleFor(process.stdout),
    write: (text: string) => void process.stdout.write(text),
    confirm: async (question: string) =>
      values["yes"] === true || confirm(question, texts.noTerminal),
  };
  if (action === "undo") return (await disconnectClient(options)) ? 0 : 1;
  const running = await findHolder(dataDir);
  const address = running ?? addressOf({ host, port });
  const target = targetOf(values, { address, dataDir, program: kind.name });
  if (action === "print") {
    printEntry(options, target);
    return 0;
  }
  if (!(await connectClient(options, target))) return 1;
  if (running === undefined && textOption(values, "url") === undefined)
    printNotice(texts.notRunning(new URL(target.url).origin));
  printNotice(texts.checkHint(kind.name));
  return 0;
}

function kindOf(name: string): ClientKind {
  const kind = clientKinds.find((each) => each.name === name);
  if (kind !== undefined) return kind;
  const hint = didYouMean(name, [...names, "list"]);
  throw new CommandFailure(texts.unknownClient(name, names.join(", "), hint), 2);
}

function thisMachine() {
  return { platform: process.platform, home: homedir(), environment: process.env };
}

async function check(dataDir: string, given: readonly ClientKind[] | undefined): Promise<number> {
  const connected = openProgramKeys({ folder: dataDir })
    .list()
    .map(({ name }) => name);
  const kinds = given ?? clientKinds.filter(({ name }) => connected.includes(name));
  if (kinds.length === 0) throw new CommandFailure(texts.none, 1);
  const machine = thisMachine();
  let isWrong = false;
  for (const kind of kinds) {
    const checks = await checkClient({ kind, dataDir, machine });
    isWrong ||= checks.some(({ status }) => status === "wrong");
    process.stdout.write(renderChecks(checks, styleFor(process.stdout)));
  }
  return isWrong ? 1 : 0;
}

function list(dataDir: string, isJson: boolean): number {
  const programs = openProgramKeys({ folder: dataDir })
    .list()
    .map((program) => {
      const record = connectionFiles(dataDir, program.name).readRecord();
      return { ...program, file: record?.path ?? null, type: record?.type ?? null };
    });
  if (isJson) {
    printJson(programs.map((program) => ({ ...program, usedAt: program.usedAt ?? null })));
    return 0;
  }
  if (programs.length === 0) process.stdout.write(`${texts.none}\n`);
  const time = (at: number) => new Date(at).toISOString().slice(0, 16).replace("T", " ");
  for (const { name, createdAt, usedAt, file } of programs) {
    const used = usedAt === undefined ? texts.never : time(usedAt);
    const columns = { name, created: time(createdAt), used, file: file ?? texts.noRecord };
    process.stdout.write(`${texts.listed(columns)}\n`);
  }
  return 0;
}

function targetOf(
  values: Invocation["values"],
  {
    address,
    ...given
  }: {
    readonly address: string | undefined;
    readonly dataDir: string;
    readonly program: string;
  },
): ConnectTarget {
  const group = textOption(values, "group");
  if (group !== undefined && !/^[\w-]{1,64}$/.test(group))
    throw new CommandFailure(texts.invalidGroup(group), 2);
  const url = textOption(values, "url");
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    throw new CommandFailure(texts.invalidUrl(url), 2);
  const stdio = values["stdio"] === true;
  const origin = url ?? address ?? (stdio ? "http://127.0.0.1" : undefined);
  if (origin === undefined) throw new CommandFailure(texts.noPort, 1);
  const path = group === undefined ? "/mcp" : `/mcp/groups/${group}`;
  return {
    url: new URL(path, origin).href,
    command: commandOf(values, { group, ...given }),
    stdio,
  };
}

/**
 * Returns the command with which a client starts the bridge. Clients start it in any folder and
 * with another PATH, so all paths are absolute, and an argument names the folder.
 */
function commandOf(
  values: Invocation["values"],
  {
    group,
    dataDir,
    program,
  }: {
    readonly group: string | undefined;
    readonly dataDir: string;
    readonly program: string;
  },
): CommandTarget {
  const [script = ""] = process.argv.slice(1);
  const config = textOption(values, "config");
  const url = textOption(values, "url");
  // Pass settings as flags, because the client does not have the environment variables of this
  // shell.
  const hasData = textOption(values, "data") ?? process.env["CAPSTAN_DATA_DIR"]?.trim();
  return {
    type: "stdio",
    command: process.execPath,
    args: [
      ...process.execArgv,
      script,
      "mcp",
      "--program",
      program,
      "--directory",
      process.cwd(),
      ...(hasData ? ["--data", dataDir] : []),
      ...(config === undefined ? [] : ["--config", resolve(config)]),
      ...(url === undefined ? [] : ["--url", url]),
      ...(group === undefined ? [] : ["--group", group]),
    ],
  };
}

/** Returns the address at which a server of this configuration will listen, if its port is known. */
function addressOf({ host, port }: Pick<Configuration, "host" | "port">): string | undefined {
  if (port === 0) return undefined;
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
