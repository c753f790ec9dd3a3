import type { JsonValue } from "@capstan/core";

/** The structure of a JSON value, or of several merged values. */
export interface Shape {
  readonly primitives: Set<"string" | "number" | "boolean" | "null">;
  /** The structure of the elements of arrays; empty for an empty array. */
  elements?: Shape;
  fields?: Map<string, Field>;
  /** The number of merged objects. A field that occurs in fewer objects is optional. */
  objects: number;
}

export interface Field {
  readonly shape: Shape;
  seen: number;
}

export function emptyShape(): Shape {
  return { primitives: new Set(), objects: 0 };
}

/** Adds a value to a shape. The shape is nested as deeply as the value. */
export function addToShape(shape: Shape, value: JsonValue): void {
  if (value === null) shape.primitives.add("null");
  else if (isArray(value)) {
    shape.elements ??= emptyShape();
    for (const element of value) addToShape(shape.elements, element);
  } else if (typeof value === "object") {
    shape.objects++;
    shape.fields ??= new Map();
    for (const [name, inner] of Object.entries(value)) {
      let field = shape.fields.get(name);
      if (field === undefined) {
        field = { shape: emptyShape(), seen: 0 };
        shape.fields.set(name, field);
      }
      field.seen++;
      addToShape(field.shape, inner);
    }
  } else shape.primitives.add(typeof value as "string" | "number" | "boolean");
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
