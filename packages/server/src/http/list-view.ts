import type { ListView } from "@capstan/contract";

/** A list in OpenAI's form. */
export function listView<T extends object>(
  data: readonly T[],
  hasMore = false,
  idOf: (item: T) => string | null = ownId,
): ListView<T> {
  const first = data[0];
  const last = data.at(-1);
  return {
    object: "list",
    data,
    has_more: hasMore,
    first_id: first === undefined ? null : idOf(first),
    last_id: last === undefined ? null : idOf(last),
  };
}

function ownId(item: object): string | null {
  return "id" in item && typeof item.id === "string" ? item.id : null;
}
