import { isObject, listOf, type Node, objectOf } from "./json-object.ts";

/**
 * Corrects the parts of a document of version 2 that the upgrade rejects or misreads: parameters
 * without `in`, and the order of `schemes`. If there are none, the scheme of the document's URL
 * applies.
 *
 * @param base the URL of the document
 */
export function prepareVersion2(document: Node, base: string | undefined): Node {
  const given = listOf(document["schemes"]).filter((one) => one === "https" || one === "http");
  const schemes = given.includes("https") ? ["https"] : given;
  const own = base?.startsWith("http:") === true ? "http" : "https";
  return {
    ...document,
    schemes: schemes.length > 0 ? schemes : [own],
    ...(document["parameters"] !== undefined && {
      parameters: Object.fromEntries(
        Object.entries(objectOf(document["parameters"])).filter(([, one]) => isUsable(one)),
      ),
    }),
    paths: Object.fromEntries(
      Object.entries(objectOf(document["paths"])).map(([path, item]) => [path, prepareItem(item)]),
    ),
  };
}

function prepareItem(item: unknown): unknown {
  if (!isObject(item)) return item;
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => {
      if (key === "parameters") return [key, listOf(value).filter(isUsable)];
      if (!isObject(value) || value["parameters"] === undefined) return [key, value];
      return [key, { ...value, parameters: listOf(value["parameters"]).filter(isUsable) }];
    }),
  );
}

function isUsable(parameter: unknown): boolean {
  return (
    isObject(parameter) &&
    (typeof parameter["$ref"] === "string" || typeof parameter["in"] === "string")
  );
}
