import type { ModelView } from "@capstan/contract";

/**
 * Returns the models that have all words of a query in their title or id, favorites first. The
 * order is otherwise that of the server.
 */
export function listedModels(
  models: readonly ModelView[],
  { query, favorites }: { readonly query: string; readonly favorites: readonly string[] },
): readonly ModelView[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = models.filter(({ id, title }) => {
    const text = `${title} ${id}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const isFavorite = ({ id }: ModelView) => favorites.includes(id);
  return [...found.filter(isFavorite), ...found.filter((model) => !isFavorite(model))];
}
