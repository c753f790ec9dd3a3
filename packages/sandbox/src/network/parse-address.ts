import { NetworkError } from "./network-error.ts";

/**
 * Parses a page address that a model wrote: http or https, without credentials. Drops the fragment.
 *
 * @throws NetworkError
 */
export function parseAddress(written: string): URL {
  const text = written.trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) {
    throw new NetworkError({
      code: "invalid_url",
      message: `"${text.slice(0, 200)}" is not a URL. Write it in full, e.g. https://example.org/page.`,
    });
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new NetworkError({
      code: "unsupported_scheme",
      message: `Only http and https addresses are fetched, not ${url.protocol}`,
    });
  }
  if (url.username !== "" || url.password !== "") {
    throw new NetworkError({
      code: "credentials_in_url",
      message: "The address contains a user name or password. Those are not sent; leave them out.",
    });
  }
  url.hash = "";
  return url;
}

/**
 * Returns whether a redirect stays on the approved site: the same host and port, with or
 * without `www.`, and from http up to https.
 */
export function isSameSite(from: URL, to: URL): boolean {
  const bare = (url: URL): string => url.hostname.replace(/^www\./, "");
  if (bare(from) !== bare(to)) return false;
  if (from.protocol === to.protocol) return from.port === to.port;
  return from.protocol === "http:" && from.port === "" && to.port === "";
}
