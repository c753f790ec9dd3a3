import { conditionsHold, mayFitBelow, operatorsOf } from "../arguments/argument-conditions.ts";
import type { DeniedResources } from "../tool/tool-context.ts";
import { namesGroup, type PolicyRule } from "./rule.ts";

type Test = DeniedResources["paths"][number];

/**
 * Returns the paths and hosts that rules deny. Considers deny rules for file tools and for all
 * editing tools if their only condition is on `path`. Considers deny rules for web tools if their
 * only condition is on `url`. A rule with more conditions denies certain calls, not a resource.
 *
 * @example deniedResources([{ tool: "files.*", when: { path: "secrets/**" }, execution: "deny" }])
 * // { paths: ["secrets/**"], hosts: [] }
 */
export function deniedResources(rules: readonly PolicyRule[]): DeniedResources {
  const tests = (
    group: string,
    argument: string,
    names: (tool: string) => boolean = (tool) => namesGroup(tool, group),
  ): readonly Test[] =>
    rules.flatMap(({ tool, when, execution }) => {
      if (execution !== "deny" || when === undefined || !names(tool)) return [];
      const [only, ...others] = Object.entries(when);
      if (only === undefined || others.length > 0) return [];
      const [key, test] = only;
      return key === argument || key === `/${argument}` ? [test] : [];
    });
  // A rule for one editing tool concerns its calls; a rule for all of them concerns the path.
  const changes = tests("edit", "path", (tool) => tool === "edit.*");
  return {
    paths: tests("files", "path"),
    hosts: tests("web", "url"),
    ...(changes.length > 0 && { changes }),
  };
}

/** A path in two forms, both with `/`. */
export interface PathSpellings {
  /** Relative to its root, the form that users and models read. */
  readonly shown: string;
  /** Absolute, with links resolved. */
  readonly real: string;
}

/** Returns whether a path is denied, or is in a denied folder. */
export function deniesPath(
  { paths }: Pick<DeniedResources, "paths">,
  path: PathSpellings,
): boolean {
  return paths.some((test) => denies(test, spelledFor(test, path)));
}

/** Returns whether a folder is denied completely, in part, or not at all. */
export function deniedPart(
  { paths }: Pick<DeniedResources, "paths">,
  folder: PathSpellings,
): "all" | "some" | "none" {
  const parts = paths.map((test) => {
    const spelled = spelledFor(test, folder);
    const { not, path } = operatorsOf(test);
    const pattern = not === undefined ? path : operatorsOf(not).path;
    const mayFit = pattern === undefined || mayFitBelow(pattern, spelled);
    const isWhole = denies(test, spelled) && (not === undefined || !mayFit);
    return isWhole ? "all" : mayFit || not !== undefined ? "some" : "none";
  });
  return parts.includes("all") ? "all" : parts.includes("some") ? "some" : "none";
}

/** Returns whether a URL is on a denied host. */
export function deniesUrl(
  { hosts }: Pick<DeniedResources, "hosts">,
  { protocol, host, pathname, search }: URL,
): boolean {
  // Omits the URL's user name, which does not change the host.
  return hosts.some((test) => holds(test, `${protocol}//${host}${pathname}${search}`));
}

function denies(test: Test, path: string): boolean {
  if (holds(test, path)) return true;
  // The rule denies all paths except some: it is unknown whether it denies paths in the folder.
  if (operatorsOf(test).not !== undefined) return false;
  const names = path.split("/");
  return names.some((_, at) => at > 0 && holds(test, names.slice(0, at).join("/") || "/"));
}

/**
 * Returns the absolute path only for absolute patterns. Otherwise a pattern that matches a name at
 * any depth would match folders above the root.
 */
function spelledFor(test: Test, { shown, real }: PathSpellings): string {
  const operators = operatorsOf(test);
  const { path, glob, prefix, equals } =
    operators.not === undefined ? operators : operatorsOf(operators.not);
  const pattern = path ?? glob ?? prefix ?? equals;
  const isAbsolute = typeof pattern === "string" && /^([/\\]|[a-z]:[/\\])/i.test(pattern);
  return isAbsolute ? real : shown;
}

function holds(test: Test, value: string): boolean {
  return conditionsHold({ value: test }, { value }, "some");
}
