/** The rules of a site for robots (RFC 9309), for one of them. */
export interface RobotRules {
  /** Returns whether a robot may fetch the address. */
  readonly allows: (url: URL) => boolean;
  /** The milliseconds between two requests that the site asks for. */
  readonly delayMs: number;
  /** The addresses of sitemaps, as they are written. */
  readonly sitemaps: readonly string[];
}

/** The rules of a site without a `robots.txt`. */
export const noRules: RobotRules = { allows: () => true, delayMs: 0, sitemaps: [] };

/** The part of a file that is read: the minimum that robots must read. */
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
 * Parses a `robots.txt`. The groups that name the robot hold, or else those for all robots. The
 * longest pattern that fits an address decides, and `Allow` among patterns of the same length.
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
  // The beginning of a long pattern fits more addresses, which is safe only if they are excluded.
  else if (!isAllowed) group.rules.push({ isAllowed, pattern: pattern.slice(0, longestPattern) });
}

/** Returns a pattern in the form in which addresses are written. */
function pathOf(written: string): string {
  const url = URL.parse(written.startsWith("/") ? written : `/${written}`, "http://a/");
  return url === null ? written : `${url.pathname}${url.search}`;
}

/** Writes percent-encoded letters in one way. */
function comparable(path: string): string {
  return path.replaceAll(/%([\da-f]{2})/gi, (code: string, hex: string) => {
    const letter = String.fromCodePoint(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(letter) ? letter : code.toUpperCase();
  });
}

/** Returns whether a pattern with `*` and `$` fits the beginning of a path. */
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
