/** The outcome of reading a text as a URL. */
export type ReadUrl =
  | { readonly status: "plain"; readonly url: URL }
  /** Other programs may read a different host from it, or none. `reason` completes "it …". */
  | { readonly status: "ambiguous"; readonly reason: string }
  /** The text is not an absolute URL, or its scheme has no hosts. */
  | { readonly status: "other" };

const hostScheme = /^\s*(?:https?|wss?|ftp):/i;

/**
 * Reads a URL as the WHATWG standard does. Rejects URLs that other parsers, for example Python's,
 * read with another host. From `https://example.org\@evil.com/`, one parser reads the host
 * `example.org`, and another reads `evil.com`.
 *
 * @example readUrl("HTTPS://Bücher.example.") // plain, with the href "https://xn--bcher-kva.example/"
 */
export function readUrl(text: string): ReadUrl {
  if (!hostScheme.test(text)) return { status: "other" };
  const reason = ambiguity(text.trim());
  if (reason !== undefined) return { status: "ambiguous", reason };
  const url = URL.parse(text.trim());
  if (url === null || url.hostname === "")
    return { status: "ambiguous", reason: "has no valid host" };
  // A final dot does not change the destination of a name.
  if (/[^.]\.+$/.test(url.hostname)) url.hostname = url.hostname.replace(/\.+$/, "");
  return { status: "plain", url };
}

function ambiguity(text: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- the pattern looks for them
  if (/[\u0000-\u0020\u007f-\u009f]/.test(text)) return "has spaces or control characters";
  const [, authority, rest = ""] = /^[a-z]+:\/\/([^/?#]*)([^?#]*)/i.exec(text) ?? [];
  if (authority === undefined || authority === "")
    return "does not have exactly two slashes before its host";
  if (/\\/.test(authority + rest)) return "has a backslash";
  if (authority.includes("@")) return "has a user name or password before its host";
  if (authority.includes("%")) return "has an escaped character in its host";
  return undefined;
}
