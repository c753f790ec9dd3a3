import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  parseTree,
  type ParseError,
  printParseErrorCode,
} from "jsonc-parser";
import {
  checkSettings,
  formatPath,
  type Path,
  type SettingProblem,
  unknownKeys,
  valueAt,
} from "./check-settings.ts";
import { emptyLayer, type SettingsLayer } from "./read-settings-file.ts";

/** Reads the text of a settings file. */
export function parseSettings(text: string, shown: string): SettingsLayer {
  const json = text.startsWith("\uFEFF") ? ` ${text.slice(1)}` : text;
  const errors: ParseError[] = [];
  const tree = parseTree(json, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (tree === undefined || error) {
    const line = lineAt(json, error?.offset ?? 0);
    const what = error ? wordsOf(printParseErrorCode(error.error)) : "empty";
    return {
      ...emptyLayer,
      problems: [`${shown}:${line}: this is not JSON: ${what}`],
    };
  }
  const say = (finding: SettingProblem) => {
    const line = lineAt(json, deepestNode(tree, finding.path).offset);
    const key = formatPath(finding.path);
    return `${shown}:${line}: ${key === "" ? "" : `${key}: `}${finding.message}`;
  };
  const raw: unknown = getNodeValue(tree);
  const checked = checkSettings(raw);
  const problems = checked.status === "invalid" ? checked.findings : [];
  const unknown = unknownKeys(raw);
  return {
    settings: checked.status === "valid" ? checked.settings : {},
    places: Object.fromEntries(
      namesIn(raw).map((path) => {
        const line = lineAt(json, deepestNode(tree, path).offset);
        return [formatPath(path), `${shown}:${line}`];
      }),
    ),
    problems: [
      ...problems,
      ...unknown.filter(isSecret).map(({ path }) => ({ path, message: secretMessage })),
    ].map(say),
    warnings: [...unknown.filter((found) => !isSecret(found)), ...repeatedKeys(tree)].map(say),
    unknown: unknown.map(({ path }) => JSON.stringify([path, valueAt(raw, path)])),
  };
}

/** Returns the positions of the names of groups and tools. Their existence is checked later. */
function namesIn(raw: unknown): readonly Path[] {
  const { groups, tools, agents, rules } = (raw ?? {}) as { readonly [key: string]: unknown };
  const keysOf = (value: unknown) =>
    typeof value === "object" && value !== null ? Object.keys(value) : [];
  return [
    ...keysOf(groups).map((name) => ["groups", name]),
    ...keysOf(tools).map((id) => ["tools", id]),
    ...keysOf(agents).flatMap((name) =>
      keysOf(valueAt(agents, [name, "groups"])).map((index) => [
        "agents",
        name,
        "groups",
        Number(index),
      ]),
    ),
    ...(Array.isArray(rules) ? rules.map((_rule, index) => ["rules", index, "tool"]) : []),
  ];
}

/**
 * An API key in the file is an error rather than a warning, because its author would believe that
 * the server requires it.
 */
function isSecret({ path }: SettingProblem): boolean {
  return path.length === 1 && /^api_?keys?$/i.test(String(path[0]));
}

const secretMessage =
  "keys are read only from the environment variable CAPSTAN_API_KEYS, never from a file";

function repeatedKeys(node: Node, path: Path = []): readonly SettingProblem[] {
  const children = node.children ?? [];
  if (node.type === "array") {
    return children.flatMap((child, index) => repeatedKeys(child, [...path, index]));
  }
  if (node.type !== "object") return [];
  const seen = new Set<string>();
  return children.flatMap((property) => {
    const [key, value] = property.children ?? [];
    const name = String(key?.value);
    const at = [...path, name];
    const repeated = seen.has(name)
      ? [{ path: at, message: "is set twice; the last value applies" }]
      : [];
    seen.add(name);
    return value ? [...repeated, ...repeatedKeys(value, at)] : repeated;
  });
}

/** Returns the node at a path, or its nearest existing ancestor. */
function deepestNode(tree: Node, path: Path): Node {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) return node;
  }
  return tree;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** `CommaExpected` → `comma expected` */
function wordsOf(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
