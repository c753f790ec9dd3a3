import type { Configuration } from "../configuration/configuration.ts";
import { type Client, createClient } from "@capstan/client";

type Environment = { readonly [name: string]: string | undefined };

export interface Connection {
  readonly client: Client;
  /** Stops the server where this process started it. */
  close(): Promise<void>;
}

export const connect = {
  /** A server somewhere. It gets CAPSTAN_API_KEY, and never a key that was meant for another. */
  to(url: string, environment: Environment): Connection {
    const key = environment["CAPSTAN_API_KEY"];
    return { client: clientOf(url, key), close: () => Promise.resolve() };
  },

  /** The server that holds the data directory; where there is none, one in this process. */
  async toHolder(options: {
    readonly configuration: Configuration;
    readonly environment: Environment;
  }): Promise<Connection> {
    const { configuration, environment } = options;
    const key = environment["CAPSTAN_API_KEY"] ?? configuration.apiKeys[0]?.key;
    const holder = await findHolder(configuration.dataDir);
    if (holder !== undefined) {
      return { client: clientOf(holder, key), close: () => Promise.resolve() };
    }
    const { startInstallation } = await import("../install/start-installation.ts");
    try {
      const own = { ...configuration, host: "127.0.0.1", port: 0 };
      const installation = await startInstallation({ configuration: own, environment });
      return {
        client: clientOf(installation.url, key),
        close: async () => void (await installation.close()),
      };
    } catch (error) {
      // Another process was quicker.
      if (!(error instanceof Error && "code" in error && error.code === "data_directory_locked"))
        throw error;
      const url = await findHolder(configuration.dataDir);
      if (url === undefined) throw error;
      return { client: clientOf(url, key), close: () => Promise.resolve() };
    }
  },
};

function clientOf(url: string, key: string | undefined): Client {
  return createClient({ url, key, keyHint: "Set CAPSTAN_API_KEY to a key of this server." });
}

/** The address of a server that holds the directory and answers. */
async function findHolder(dataDir: string): Promise<string | undefined> {
  const { readLock } = await import("@capstan/store");
  const url = (await readLock(dataDir))?.url;
  if (url === undefined) return undefined;
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2000) });
    return response.ok ? url : undefined;
  } catch {
    return undefined;
  }
}
