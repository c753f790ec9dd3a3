import type { Shape } from "./json-shape.ts";

/**
 * Prints TypeScript interfaces for a shape: one per object, outermost first, named after the field
 * of the object (in the singular for elements of an array). Interfaces with the same body are
 * merged.
 */
export function printInterfaces(root: Shape, name: string): string {
  const printed: Printed = { names: new Set(), byBody: new Map(), order: [] };
  const rootName = typeName(name);
  printed.names.add(rootName);
  const onlyObject =
    root.fields !== undefined && root.primitives.size === 0 && root.elements === undefined;
  if (onlyObject) printObject(root, rootName, printed, true);
  else {
    const type = typeOf(root, rootName, printed);
    printed.order.unshift(`export type ${rootName} = ${type};`);
  }
  return printed.order.join("\n\n");
}

interface Printed {
  readonly names: Set<string>;
  /** The names of the printed interfaces, by body. */
  readonly byBody: Map<string, string>;
  readonly order: string[];
}

function typeOf(shape: Shape, name: string, printed: Printed): string {
  const types: string[] = [];
  for (const primitive of ["string", "number", "boolean"] as const) {
    if (shape.primitives.has(primitive)) types.push(primitive);
  }
  if (shape.fields !== undefined) types.push(printObject(shape, name, printed, false));
  if (shape.elements !== undefined) {
    const element = typeOf(shape.elements, singular(name), printed);
    types.push(element.includes(" ") ? `(${element})[]` : `${element}[]`);
  }
  if (shape.primitives.has("null")) types.push("null");
  return types.length === 0 ? "unknown" : types.join(" | ");
}

/** Prints an object's interface and returns its name. */
function printObject(shape: Shape, wanted: string, printed: Printed, isRoot: boolean): string {
  const fields = [...(shape.fields ?? [])];
  if (fields.length === 0 && !isRoot) return "Record<string, never>";
  const place = printed.order.length;
  printed.order.push("");
  const lines = fields.map(([key, field]) => {
    const optional = field.seen < shape.objects ? "?" : "";
    return `  ${propertyName(key)}${optional}: ${typeOf(field.shape, typeName(key), printed)};`;
  });
  const body = `{\n${lines.join("\n")}\n}`;
  const same = printed.byBody.get(body);
  if (same !== undefined) {
    printed.order.splice(place, 1);
    return same;
  }
  const name = isRoot ? wanted : freeName(wanted, printed.names);
  printed.names.add(name);
  printed.byBody.set(body, name);
  printed.order[place] = `export interface ${name} ${body}`;
  return name;
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let n = 2; taken.has(name); n++) name = `${wanted}${n}`;
  return name;
}

const builtIn = new Set(["Object", "Array", "String", "Number", "Boolean", "Record", "Function"]);

/** `user-name` → `UserName`; always an identifier, and never the name of a built-in type. */
function typeName(text: string): string {
  const words = text.split(/[^\p{ID_Continue}]+|_+/u).filter((word) => word !== "");
  const name = words
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")
    .slice(0, 60);
  if (name === "") return "Item";
  if (!/^\p{ID_Start}/u.test(name)) return `Type${name}`;
  return builtIn.has(name) ? `${name}Item` : name;
}

function singular(name: string): string {
  if (name.endsWith("ies")) return `${name.slice(0, -3)}y`;
  if (/(?:ses|xes|ches|shes)$/.test(name)) return name.slice(0, -2);
  if (/[^s]s$/.test(name)) return name.slice(0, -1);
  return `${name}Item`;
}

function propertyName(key: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? key : JSON.stringify(key);
}
