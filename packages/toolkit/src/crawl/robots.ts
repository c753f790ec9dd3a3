/** The rules in a site's `robots.txt` (RFC 9309) that apply to one robot. */
export interface RobotRules {
  /** Returns whether the robot may fetch the address. */
  readonly allows: (url: URL) => boolean;
  /** The pause between two requests that the site asks for, in milliseconds. */
  readonly delayMs: number;
  /** The addresses of sitemaps, as the file contains them. */
  readonly sitemaps: readonly string[];
}

/** The rules of a site without a `robots.txt`. */
export const noRules: RobotRules = { allows: () => true, delayMs: 0, sitemaps: [] };

/** Longer files are truncated. RFC 9309 requires robots to read at least this much. */
const readCharacters = 500 * 1024;
const longestPattern = 500;
const longestDelayMs = 3_600_000;

interface Rule {
  readonly isAllowed: boolean;
  readonly pattern: string;
}

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
  delayMs?: number;
}

/**
 * Returns the product token of a `User-Agent` header, by which `robots.txt` names a robot.
 *
 * @example robotName("Mozilla/5.0 (compatible; Capstan/0.1)") // "capstan"
 */
export function robotName(userAgent: string): string {
  const compatible = /\(compatible; ?([^/;)]+)/i.exec(userAgent)?.[1];
  return (compatible ?? userAgent.split(/[/\s]/)[0] ?? "").trim().toLowerCase();
}

/**
 * Parses a `robots.txt`. The groups that name the robot apply, or else those for all robots. The
 * longest pattern that matches an address wins, and `Allow` wins over `Disallow` of the same
 * length.
 */
export function parseRobots(text: string, robot: string): RobotRules {
  const groups: Group[] = [];
  const sitemaps: string[] = [];
  let isInAgents = false;
  for (const line of text.slice(0, readCharacters).split(/\r\n|\r|\n/)) {
    const [, field = "", value = ""] = /^\s*([A-Za-z-]+)\s*:([^#]*)/.exec(line) ?? [];
    const name = field.toLowerCase();
    const written = value.trim();
    if (name === "sitemap") sitemaps.push(written);
    else if (name === "user-agent") {
      const agent = written.split("/")[0]?.trim().toLowerCase() ?? "";
      if (isInAgents) groups.at(-1)?.agents.push(agent);
      else groups.push({ agents: [agent], rules: [] });
      isInAgents = true;
    } else if (name !== "") {
      isInAgents = false;
      addTo(groups.at(-1), name, written);
    }
  }
  const own = groups.filter(({ agents }) => agents.includes(robot));
  const used = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes("*"));
  const rules = used
    .flatMap((group) => group.rules)
    .sort(
      (a, b) => b.pattern.length - a.pattern.length || Number(b.isAllowed) - Number(a.isAllowed),
    );
  return {
    allows(url) {
      const path = comparable(`${url.pathname}${url.search}`);
      return rules.find(({ pattern }) => fits(pattern, path))?.isAllowed ?? true;
    },
    delayMs: Math.max(0, ...used.map(({ delayMs = 0 }) => delayMs)),
    sitemaps: sitemaps.slice(0, 20),
  };
}

function addTo(group: Group | undefined, name: string, written: string): void {
  if (group === undefined || written === "") return;
  if (name === "crawl-delay") {
    const seconds = Number(written);
    if (seconds > 0) group.delayMs = Math.min(longestDelayMs, seconds * 1_000);
  }
  if (name !== "allow" && name !== "disallow") return;
  const isAllowed = name === "allow";
  const pattern = comparable(pathOf(written));
  if (pattern.length <= longestPattern) group.rules.push({ isAllowed, pattern });
  // A truncated pattern matches more addresses, so only `Disallow` patterns may be truncated.
  else if (!isAllowed) group.rules.push({ isAllowed, pattern: pattern.slice(0, longestPattern) });
}

/** Returns a pattern with the percent-encoding that `URL` applies to addresses. */
function pathOf(written: string): string {
  const url = URL.parse(written.startsWith("/") ? written : `/${written}`, "http://a/");
  return url === null ? written : `${url.pathname}${url.search}`;
}

/** Decodes percent-encoded letters that need no encoding, so that equal paths compare as equal. */
function comparable(path: string): string {
  return path.replaceAll(/%([\da-f]{2})/gi, (code: string, hex: string) => {
    const letter = String.fromCodePoint(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(letter) ? letter : code.toUpperCase();
  });
}

/** Returns whether a pattern with `*` and `$` matches the beginning of a path. */
function fits(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith("$");
  const [first = "", ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split("*");
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = isWhole ? parts.pop() : undefined;
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  if (!isWhole) return true;
  if (last === undefined) return at === path.length;
  return path.length - last.length >= at && path.endsWith(last);
}
