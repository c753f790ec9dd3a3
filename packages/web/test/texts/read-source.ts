import { parseSync } from "oxc-parser";

/** A node of a syntax tree. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** The node and the nodes around it, the nearest last. */
export type Visit = (node: SyntaxNode, around: readonly SyntaxNode[]) => void;

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value;
}

/** Calls `visit` for each node of a TypeScript file. */
export function visitSource(file: string, text: string, visit: Visit): void {
  walk(parseSync(file, text).program as unknown as SyntaxNode, [], visit);
}

function walk(node: SyntaxNode, around: readonly SyntaxNode[], visit: Visit): void {
  visit(node, around);
  const inner = [...around, node];
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value])
      if (isNode(child)) walk(child, inner, visit);
}

export function isFunction({ type }: SyntaxNode): boolean {
  return /^(?:ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/.test(type);
}

/** The name of an identifier; undefined for other nodes. */
export function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === "Identifier" ? String(node["name"]) : undefined;
}

/** The keys of a chain of members, for example `texts.form.name`. */
export function chainOf(node: SyntaxNode): readonly string[] | undefined {
  const name = nameOf(node);
  if (name !== undefined) return [name];
  if (node.type !== "MemberExpression" || node["computed"] === true) return undefined;
  const { object, property } = node;
  const key = nameOf(property);
  const start = isNode(object) ? chainOf(object) : undefined;
  return start === undefined || key === undefined ? undefined : [...start, key];
}
