import { createApi, type Api } from "../api.ts";
import type { Combination } from "../breaking/stores/combinations.ts";
import { createServerFolder, type ServerFolder, startServerProcess } from "../server-process.ts";
import { obey, startUpstream } from "../upstream.ts";

/** The callers: two users with all rights, one with only the right `ask`, and one without a key. */
export const callers = ["ann", "bob", "cara", "nobody"] as const;
export type Caller = (typeof callers)[number];

/** A server as `capstan serve` starts it, whose model follows the user's instructions (`obey`). */
export interface Victim extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly folder: ServerFolder;
  api(caller: Caller): Api;
  keyOf(caller: Caller): string | undefined;
  /** The log of the server. */
  output(): string;
  /** Whether the process is alive. */
  isAlive(): boolean;
  /** Stops it as a user does; disposing kills it. */
  stop(): Promise<void>;
}

const rights = {
  ann: ["ask", "approve", "admin"],
  bob: ["ask", "approve", "admin"],
  cara: ["ask"],
} as const;

/** A folder for several servers, one after another. */
export function victimFolder({ bodyBytes = 2_000_000 } = {}): Promise<ServerFolder> {
  const rules = [{ tool: "vars.WriteVar", execution: "ask-once" }];
  const configuration = { rules, sharing: true, groups: { vars: true }, limits: { bodyBytes } };
  return createServerFolder({ "capstan.config.json": JSON.stringify(configuration) });
}

/**
 * @param kept a folder that is not deleted. @default a new one that is removed in the end
 * @param environment more variables of the server's environment
 */
export async function startVictim(
  combination: Combination,
  kept?: ServerFolder,
  environment: { readonly [name: string]: string } = {},
): Promise<Victim> {
  await using opening = new AsyncDisposableStack();
  const upstream = opening.use(await startUpstream(obey));
  const backing = opening.use(await combination.open(false));
  const folder = kept ?? opening.use(await victimFolder());
  const keyOf = (caller: Caller) => (caller === "nobody" ? undefined : `key-of-${caller}`);
  const keys = Object.entries(rights).map(([name, held]) => ({
    name,
    key: `key-of-${name}`,
    rights: held,
  }));
  const server = opening.use(
    await startServerProcess({
      folder,
      environment: {
        ...backing.environment,
        ...upstream.environment,
        ...environment,
        CAPSTAN_API_KEYS: JSON.stringify(keys),
      },
    }),
  );
  let isAlive = true;
  void server.exited.then(() => (isAlive = false));
  const resources = opening.move();
  return {
    url: server.url,
    pid: server.pid,
    folder,
    api: (caller) => createApi(server.url, keyOf(caller)),
    keyOf,
    output: () => server.output(),
    isAlive: () => isAlive,
    stop: async () => void (await server.stop()),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
