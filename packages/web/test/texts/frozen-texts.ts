import {
  chainOf,
  isFunction,
  isNode,
  nameOf,
  type SyntaxNode,
  visitSource,
} from "./read-source.ts";

/** The texts of each topic, by the name under which files import them. */
export type Topics = { readonly [name: string]: unknown };

/**
 * Returns the positions in a file at which a text is read only once: when the module is loaded, or when a
 * component starts. Such a text stays in its first language when the user chooses another one.
 */
export function frozenTexts(file: string, text: string, topics: Topics): readonly string[] {
  const known = new Map(Object.entries(topics));
  const found: string[] = [];
  visitSource(file, text, (node, around) => {
    if (node.type === "ImportSpecifier") rename(node, known);
    const chain = node.type === "MemberExpression" ? chainOf(node) : undefined;
    const value = chain === undefined ? undefined : valueAt(known, chain);
    if (chain === undefined || value === undefined) return;
    if (isText(value)) {
      if (!isReadLater(around))
        found.push(`${file}:${text.slice(0, node.start).split("\n").length}: ${chain.join(".")}`);
    } else nameAlias(around.at(-1), node, value, known);
  });
  return found;
}

/** `import { settingsTexts as texts }` */
function rename({ imported, local }: SyntaxNode, known: Map<string, unknown>): void {
  const [name, alias] = [nameOf(imported), nameOf(local)];
  if (name !== undefined && alias !== undefined && known.has(name))
    known.set(alias, known.get(name));
}

/** `const texts = settingsTexts.dialog;` */
function nameAlias(
  parent: SyntaxNode | undefined,
  node: SyntaxNode,
  value: unknown,
  known: Map<string, unknown>,
): void {
  const alias = nameOf(parent?.["id"]);
  if (parent?.type === "VariableDeclarator" && parent["init"] === node && alias !== undefined)
    known.set(alias, value);
}

function valueAt(known: ReadonlyMap<string, unknown>, [root, ...keys]: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null
        ? (value as { readonly [key: string]: unknown })[key]
        : undefined,
    known.get(root ?? ""),
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string" || typeof value === "function";
}

/** Whether code runs again when the language changes: it is in JSX, or in a function that is called. */
function isReadLater(around: readonly SyntaxNode[]): boolean {
  const last = around.findLast((node) => isFunction(node) || node.type.startsWith("JSX"));
  if (last === undefined) return false;
  return !isComponent(last);
}

function isComponent(node: SyntaxNode): boolean {
  return (
    node.type === "FunctionDeclaration" &&
    isNode(node["id"]) &&
    /^[A-Z]/.test(nameOf(node["id"]) ?? "")
  );
}
