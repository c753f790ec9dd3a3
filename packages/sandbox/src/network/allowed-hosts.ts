import { CapstanError } from "@capstan/core";

/** Returns whether a URL's host can be private, because the configuration names it. */
export type AllowedHosts = (url: URL) => boolean;

/**
 * Reads `host` and `host:port` entries, e.g. `intranet.example`, `127.0.0.1:8080`, `[::1]:3000`.
 *
 * @throws CapstanError `invalid_allowed_host` for anything else.
 */
export function allowedHosts(entries: readonly string[]): AllowedHosts {
  const anyPort = new Set<string>();
  const onePort = new Set<string>();
  for (const entry of entries) {
    const url = URL.canParse(`http://${entry}/`) ? new URL(`http://${entry}/`) : undefined;
    if (url === undefined || !/^(?:[^/?#@\s]+)$/.test(entry) || url.pathname !== "/") {
      throw new CapstanError({
        code: "invalid_allowed_host",
        message: `"${entry}" in allowPrivateHosts is not a host. Write a host or host:port, e.g. "intranet.example" or "127.0.0.1:8080".`,
      });
    }
    const port = /:(\d+)$/.exec(entry.replace(/^\[[^\]]*\]/, ""))?.[1];
    if (port === undefined) anyPort.add(url.hostname);
    else onePort.add(`${url.hostname}:${Number(port)}`);
  }
  return (url) => {
    const port = url.port || (url.protocol === "https:" ? "443" : "80");
    return anyPort.has(url.hostname) || onePort.has(`${url.hostname}:${port}`);
  };
}
