import { isNode, type SyntaxNode, visitSource } from "./read-source.ts";

const shownAttributes = /^(?:aria-label|title|placeholder|alt|label|detail)$/;
/** Keys and commands are the same in every language. */
const sameEverywhere = /^(?:kbd|code)$/;
const sentence = /^[A-Z][a-z]+,? [A-Za-z ]*[a-z]/;
const products = new Set(["Open WebUI", "Hugging Face"]);
/** Names and addresses, for example `weather.py`, `WEATHER_KEY` and `https://…`. */
const example = /^(?:[\w-]+\.[a-z]+|[A-Z_]+|https?:\S+)$/;

/** Returns the texts of a file that users read but that are not in a catalogue. */
export function literalTexts(file: string, text: string): readonly string[] {
  const found: string[] = [];
  visitSource(file, text, (node, around) => {
    const shown = shownText(node, around);
    if (shown === undefined) return;
    found.push(`${file}:${text.slice(0, node.start).split("\n").length}: ${shown.trim()}`);
  });
  return found;
}

function shownText(node: SyntaxNode, around: readonly SyntaxNode[]): string | undefined {
  const parent = around.at(-1);
  if (node.type === "JSXText") {
    const text = String(node["value"]);
    return /\p{L}/u.test(text) && !sameEverywhere.test(elementName(parent)) ? text : undefined;
  }
  const text = literal(node);
  if (text === undefined) return undefined;
  if (parent?.type === "JSXAttribute")
    return shownAttributes.test(attributeName(parent)) && !example.test(text) && text !== ""
      ? text
      : undefined;
  if (parent?.type === "ImportDeclaration" || isProgrammingError(around)) return undefined;
  return sentence.test(text) && !products.has(text) && !isClassList(around) ? text : undefined;
}

function literal(node: SyntaxNode): string | undefined {
  const { type, value } = node;
  if (type === "Literal" && typeof value === "string") return value;
  if (type !== "TemplateElement" || typeof value !== "object" || value === null) return undefined;
  return "cooked" in value && typeof value.cooked === "string" ? value.cooked : undefined;
}

function elementName(node: SyntaxNode | undefined): string {
  const opening = node?.["openingElement"];
  const name = isNode(opening) ? opening["name"] : undefined;
  return isNode(name) ? String(name["name"]) : "";
}

function attributeName({ name }: SyntaxNode): string {
  return isNode(name) ? String(name["name"]) : "";
}

function isClassList(around: readonly SyntaxNode[]): boolean {
  const attribute = around.findLast(({ type }) => type === "JSXAttribute");
  return attribute !== undefined && !shownAttributes.test(attributeName(attribute));
}

/** Errors of programs are for developers: `throw new Error("…")`. */
function isProgrammingError(around: readonly SyntaxNode[]): boolean {
  return around.at(-1)?.type === "NewExpression" && around.at(-2)?.type === "ThrowStatement";
}
