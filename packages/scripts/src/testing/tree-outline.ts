import { fileURLToPath } from "node:url";
import { Language, type Node, Parser } from "web-tree-sitter";
import {
  type Outline,
  type OutlineAttribute,
  type OutlineFunction,
  type OutlineParameter,
  typeName,
  withoutScope,
} from "../read/powershell/outline.ts";

/** Returns the outline of a source by the grammar of tree-sitter, or `undefined` if the grammar rejects the source. */
export type TreeReader = (source: string) => Outline | undefined;

let loading: Promise<TreeReader> | undefined;

/** Loads the grammar once; the first call takes about 50 ms. */
export function loadTreeReader(): Promise<TreeReader> {
  loading ??= load();
  return loading;
}

async function load(): Promise<TreeReader> {
  await Parser.init();
  const grammar = import.meta.resolve("tree-sitter-powershell/tree-sitter-powershell.wasm");
  const language = await Language.load(fileURLToPath(grammar));
  const parser = new Parser();
  parser.setLanguage(language);
  return (source) => {
    const tree = parser.parse(source);
    if (tree === null) return undefined;
    try {
      return tree.rootNode.hasError ? undefined : outlineOf(tree.rootNode);
    } finally {
      tree.delete();
    }
  };
}

function outlineOf(root: Node): Outline {
  const comments = root.descendantsOfType("comment").flatMap((node) => node ?? []);
  const statements = childrenOf(root).flatMap((node) =>
    node.type === "statement_list" ? childrenOf(node) : [node],
  );
  return {
    comments: comments.map((node) => ({
      start: node.startIndex,
      end: node.endIndex,
      text: node.text,
    })),
    functions: statements.flatMap((node) => functionOf(node) ?? []),
    unclosed: [],
  };
}

function functionOf(node: Node): OutlineFunction | undefined {
  if (node.type !== "function_statement") return undefined;
  const children = childrenOf(node);
  const name = children.find(({ type }) => type === "function_name");
  const open = children.find(({ type }) => type === "{");
  const close = children.findLast(({ type }) => type === "}");
  if (!/^function$/i.test(children[0]?.text ?? "")) return undefined;
  if (name === undefined || open === undefined || close === undefined) return undefined;
  const declared = children.find(({ type }) => type === "function_parameter_declaration");
  const block = children
    .find(({ type }) => type === "script_block")
    ?.descendantsOfType("param_block")[0];
  const isOwn = block?.parent?.parent?.id === node.id;
  const [parameterOwner, attributeOwner] = [declared ?? block, isOwn ? block : undefined];
  return {
    name: withoutScope(name.text),
    start: node.startIndex,
    bodyStart: open.startIndex,
    bodyEnd: close.startIndex,
    attributes: attributeOwner == null ? [] : attributesOf(attributeOwner),
    parameters:
      parameterOwner == null || (declared === undefined && !isOwn)
        ? []
        : parametersOf(parameterOwner),
  };
}

function parametersOf(owner: Node): readonly OutlineParameter[] {
  const list = childrenOf(owner).find(({ type }) => type === "parameter_list");
  return (list === undefined ? [] : childrenOf(list))
    .filter(({ type }) => type === "script_parameter")
    .map((node) => {
      const children = childrenOf(node);
      const variable = children.find(({ type }) => type === "variable")?.text ?? "";
      const assigned = children.find(({ type }) => type === "script_parameter_default");
      const given = assigned?.children.findLast((node) => node !== null && node.type !== "comment");
      return {
        name: variable.replace(/^\$\{?/, "").replace(/\}$/, ""),
        start: node.startIndex,
        attributes: attributesOf(node),
        ...(given != null && { default: given.text }),
      };
    });
}

function attributesOf(owner: Node): readonly OutlineAttribute[] {
  const list = childrenOf(owner).find(({ type }) => type === "attribute_list");
  return (list === undefined ? [] : childrenOf(list))
    .filter(({ type }) => type === "attribute")
    .map((node) => {
      const children = childrenOf(node);
      const name = children.find(({ type }) => type === "attribute_name");
      if (name === undefined)
        return { name: typeName(node.text.trim().replace(/^\[/, "").replace(/\]$/, "")) };
      const given = children.find(({ type }) => type === "attribute_arguments");
      return { name: typeName(name.text), arguments: given?.text.trim() ?? "" };
    });
}

function childrenOf(node: Node): readonly Node[] {
  return node.children.flatMap((child) => child ?? []);
}
