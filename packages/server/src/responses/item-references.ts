import { type ApiError, failed, invalidRequest, ok, type Parsed } from "../http/api-error.ts";
import type { InputItem } from "./request/input-item.ts";

/** Puts items in the place of references; what is there already is not put there twice. */
export function resolveReferences(
  input: readonly InputItem[],
  {
    resolve,
    isInHistory,
  }: {
    readonly resolve: (itemId: string) => InputItem | undefined;
    readonly isInHistory?: (itemId: string) => boolean;
  },
): Parsed<readonly InputItem[]> {
  const items: InputItem[] = [];
  const written = new Set(
    input.flatMap((item) =>
      item.type !== "item_reference" && "id" in item && item.id !== undefined ? [item.id] : [],
    ),
  );
  for (const [index, item] of input.entries()) {
    if (item.type !== "item_reference") {
      items.push(item);
      continue;
    }
    if (written.has(item.id) || isInHistory?.(item.id) === true) continue;
    written.add(item.id);
    const found = resolve(item.id);
    if (found === undefined) return failed(unknownItem(item.id, index));
    items.push(found);
  }
  return ok(items);
}

function unknownItem(id: string, index: number): ApiError {
  return invalidRequest({
    status: 404,
    param: "input",
    code: "item_not_found",
    message: `Item with id '${id}' not found (input[${index}]). Items are not persisted when \`store\` is set to false. Send the item itself, or set \`store\` to true.`,
  });
}
