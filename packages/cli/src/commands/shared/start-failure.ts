import type { Configuration } from "../../configuration/configuration.ts";
import { commandTexts } from "../../texts/commands.ts";

const texts = commandTexts.start;

/**
 * Returns the reason why the server did not start, and a remedy. Returns `undefined` for any
 * other error.
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
        ? texts.capstanAt(url)
        : texts.otherProgram(
            process.platform === "win32" ? `netstat -ano | findstr :${port}` : `lsof -i :${port}`,
          );
      return texts.portInUse(port, host, holder, port === 65_535 ? port - 1 : port + 1);
    }
    case "address_not_allowed":
    case "EACCES":
      return texts.portNotAllowed(port, host, error.message);
    case "EADDRNOTAVAIL":
      return texts.noSuchAddress(host);
    case "data_directory_locked":
      return `${await holderOf(dataDir)}\n${texts.otherData}`;
    default:
      return error.message;
  }
}

async function holderOf(dataDir: string): Promise<string> {
  const { readLock } = await import("@capstan/store");
  const lock = await readLock(dataDir);
  const url = lock?.url;
  if (url === undefined) return texts.dataInUse(dataDir);
  return texts.dataInUseAt(dataDir, url);
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
