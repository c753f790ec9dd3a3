import { NetworkError } from "@capstan/sandbox";
import { decodeBody } from "../pages/decode-body.ts";
import type { PageRequest, PageSource } from "../pages/page-source.ts";
import { noRules, parseRobots, type RobotRules } from "./robots.ts";

/** Returns the rules for robots that apply to an address. Each `robots.txt` is read once. */
export type SiteRules = (url: URL) => Promise<RobotRules>;

/**
 * Reads the `robots.txt` of sites.
 *
 * @throws NetworkError `robots_unreachable` if the rules cannot be read: the site must not be
 * crawled
 */
export function siteRules(
  source: PageSource,
  robot: string,
  context: PageRequest["context"],
): SiteRules {
  const rules = new Map<string, Promise<RobotRules>>();
  return ({ origin }) => {
    const read = rules.get(origin) ?? readRules(source, { origin, robot, context });
    rules.set(origin, read);
    return read;
  };
}

async function readRules(
  source: PageSource,
  {
    origin,
    robot,
    context,
  }: {
    readonly origin: string;
    readonly robot: string;
    readonly context: PageRequest["context"];
  },
): Promise<RobotRules> {
  try {
    const url = new URL("/robots.txt", origin);
    const { body, contentType } = await source.fetch({ url, context });
    return parseRobots(decodeBody(body, contentType), robot);
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    const { code, message, details } = error.data;
    if (code === "redirects_elsewhere" || code === "too_many_redirects") return noRules;
    if (code === "too_large") throw unreachable(message);
    if (code !== "http_error") throw error;
    const { status = 0 } = (details ?? {}) as { readonly status?: number };
    // A site without the file has no rules. If the site is busy, its rules are unknown.
    if (status >= 400 && status < 500 && status !== 429) return noRules;
    throw unreachable(message);
  }
}

function unreachable(message: string): NetworkError {
  return new NetworkError({
    code: "robots_unreachable",
    message: `The rules of the site for robots cannot be read, so its pages are not crawled: ${message} Read single pages with FetchWebPage.`,
    retryable: true,
  });
}
