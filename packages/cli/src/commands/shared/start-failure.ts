import type { Configuration } from "../../configuration/configuration.ts";

/**
 * Returns the reason why the server did not start, and what to do. Undefined for any other error.
 */
export async function startFailure(
  error: unknown,
  configuration: Pick<Configuration, "host" | "port" | "dataDir">,
): Promise<string | undefined> {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const { host, port, dataDir } = configuration;
  switch (error.code) {
    case "address_in_use":
    case "EADDRINUSE": {
      const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
      const holder = (await answersAsCapstan(url))
        ? `A Capstan runs there already: open ${url}, or talk to it with \`capstan chat --url ${url}\`.`
        : `Another program has it (\`${process.platform === "win32" ? `netstat -ano | findstr :${port}` : `lsof -i :${port}`}\` names it).`;
      return `Port ${port} of ${host} is in use. ${holder}\nTo start on another port: --port ${port === 65_535 ? port - 1 : port + 1}, or --port 0 for any free one.`;
    }
    case "address_not_allowed":
    case "EACCES":
      return `This user may not listen on port ${port} of ${host}: ${error.message}\nPorts from 1024 on are open to everyone: --port 8787.`;
    case "EADDRNOTAVAIL":
      return `host: this machine has no address ${host}. --host 127.0.0.1 listens for this machine only.`;
    case "data_directory_locked":
      return `${await holderOf(dataDir)}\nAnother data directory makes a second one: --data DIR.`;
    default:
      return error.message;
  }
}

async function holderOf(dataDir: string): Promise<string> {
  const { readLock } = await import("@capstan/store");
  const lock = await readLock(dataDir);
  const url = lock?.url;
  if (url === undefined) return `Another Capstan is using the data in ${dataDir}.`;
  return `Another Capstan is using the data in ${dataDir}: it is at ${url}.\nOpen that, or talk to it with \`capstan chat\`.`;
}

async function answersAsCapstan(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1000) });
    const body = (await response.json()) as { readonly status?: unknown } | null;
    return response.ok && body?.status === "ok";
  } catch {
    return false;
  }
}
