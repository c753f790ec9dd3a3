import { compileRegex } from "./linear-regex.ts";

/**
 * The maximum number of groups of all matches together, and of characters of matches and groups.
 */
const mostGroups = 200_000;
const mostCharacters = 16_000_000;

/** A job with a pattern. It is plain data, so that a worker can run it. */
export type RegexJob = {
  readonly text: string;
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
} & (
  | { readonly type: "find"; readonly max: number }
  /** In `replacement`, `$1`, `$<name>`, `$&` and `$$` have the same meaning as in JavaScript. */
  | { readonly type: "replace"; readonly replacement: string; readonly maxLength: number }
);

export interface RegexMatch {
  /** The offset in characters, from 0. */
  readonly start: number;
  readonly end: number;
  readonly match: string;
  /** A group without a match is null. */
  readonly groups?: readonly (string | null)[];
}

export type RegexResult =
  | { readonly status: "found"; readonly matches: readonly RegexMatch[]; readonly more: boolean }
  | { readonly status: "replaced"; readonly text: string; readonly count: number }
  | { readonly status: "invalid"; readonly message: string }
  | { readonly status: "too_long"; readonly length: number }
  /** The job exceeded its time or step budget. */
  | { readonly status: "unfinished" };

export interface RegexBudget {
  /** The time limit in milliseconds, which is checked between matches. */
  readonly timeMs: number;
  /** The maximum of instructions × characters for one search. */
  readonly steps: number;
}

/**
 * Runs the job. One search is linear in the text, but all searches together are not, so a budget
 * limits them.
 */
export function runRegexJob(job: RegexJob, budget: RegexBudget): RegexResult {
  const compiled = compileRegex(job.pattern, job);
  if (compiled.status === "invalid") return compiled;
  if (compiled.size * job.text.length > budget.steps) return { status: "unfinished" };
  const deadline = performance.now() + budget.timeMs;
  const matcher = compiled.regex.matcher(job.text);
  const groupNumbers = Array.from({ length: matcher.groupCount() }, (_, i) => i + 1);
  const matches: RegexMatch[] = [];
  const pieces: string[] = [];
  let length = 0;
  let copied = 0;
  let count = 0;
  let groupCount = 0;
  while (matcher.find()) {
    if (performance.now() > deadline) return { status: "unfinished" };
    const [start, end] = [matcher.start(), matcher.end()];
    count++;
    if (job.type === "find") {
      const groups = groupNumbers.map((group) => matcher.group(group));
      groupCount += groups.length;
      length = groups.reduce((sum, group) => sum + (group?.length ?? 0), length + end - start);
      if (matches.length === job.max || groupCount > mostGroups || length > mostCharacters)
        return { status: "found", matches, more: true };
      matches.push({
        start,
        end,
        match: job.text.slice(start, end),
        ...(groups.length > 0 && { groups }),
      });
      continue;
    }
    const piece =
      job.text.slice(copied, start) +
      expand(job.replacement, job.text.slice(start, end), {
        byNumber: (group) =>
          group <= groupNumbers.length ? (matcher.group(group) ?? "") : undefined,
        byName: (name) =>
          Object.hasOwn(matcher.namedGroups, name) ? (matcher.group(name) ?? "") : undefined,
      });
    pieces.push(piece);
    length += piece.length;
    copied = end;
    if (length > job.maxLength) return { status: "too_long", length };
  }
  if (job.type === "find") return { status: "found", matches, more: false };
  const text = pieces.join("") + job.text.slice(copied);
  if (text.length > job.maxLength) return { status: "too_long", length: text.length };
  return { status: "replaced", text, count };
}

interface Groups {
  byNumber(group: number): string | undefined;
  byName(name: string): string | undefined;
}

function expand(replacement: string, match: string, groups: Groups): string {
  if (!replacement.includes("$")) return replacement;
  return replacement.replaceAll(
    /\$(?:([$&])|(\d{1,2})|<([^>]{1,100})>)/g,
    (written: string, symbol?: string, number?: string, name?: string) => {
      if (symbol === "$") return "$";
      if (symbol === "&") return match;
      if (number !== undefined) return groups.byNumber(Number(number)) ?? written;
      return groups.byName(name ?? "") ?? written;
    },
  );
}
