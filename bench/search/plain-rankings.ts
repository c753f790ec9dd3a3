import type { SearchableTool } from "@capstan/core/search";

/** Returns the ids of the best tools for a query. */
export type Ranking = (query: string) => readonly string[];

interface Field {
  readonly weight: number;
  readonly textOf: (tool: SearchableTool) => string;
}

const name: Field = { weight: 3, textOf: ({ definition }) => definition.function.name };
const description: Field = {
  weight: 1,
  textOf: ({ definition }) => definition.function.description ?? "",
};
const others: readonly Field[] = [
  {
    weight: 1,
    textOf: ({ definition: { function: spec } }) => {
      const { properties = {} } = (spec.parameters ?? {}) as { readonly properties?: object };
      return Object.keys(properties).join(" ");
    },
  },
  { weight: 1, textOf: ({ group }) => `${group?.name ?? ""} ${group?.title ?? ""}` },
];

/** BM25 over names and descriptions, as one text. */
export function plainBm25(tools: readonly SearchableTool[]): Ranking {
  const text = (tool: SearchableTool): string => `${name.textOf(tool)} ${description.textOf(tool)}`;
  return rankBy(tools, [{ weight: 1, textOf: text }]);
}

/** BM25 with weighted fields, without stems, stop words or synonyms. */
export function plainBm25F(tools: readonly SearchableTool[]): Ranking {
  return rankBy(tools, [name, description, ...others]);
}

function rankBy(tools: readonly SearchableTool[], fields: readonly Field[]): Ranking {
  const words = tools.map((tool) => fields.map(({ textOf }) => wordsOf(textOf(tool))));
  const averages = fields.map(
    (_, field) => words.reduce((sum, each) => sum + (each[field]?.length ?? 0), 0) / tools.length,
  );
  const matching = new Map<string, number>();
  for (const each of words)
    for (const word of new Set(each.flat())) matching.set(word, (matching.get(word) ?? 0) + 1);
  return (query) => {
    const wanted = new Set(wordsOf(query));
    const scored = tools.map(({ id }, place) => {
      let score = 0;
      for (const word of wanted) {
        const count = matching.get(word) ?? 0;
        if (count === 0) continue;
        let frequency = 0;
        for (const [field, { weight }] of fields.entries()) {
          const own = words[place]?.[field] ?? [];
          const found = own.filter((each) => each === word).length;
          frequency +=
            (weight * found) / (0.25 + (0.75 * own.length) / Math.max(averages[field] ?? 0, 0.1));
        }
        const rarity = Math.log(1 + (tools.length - count + 0.5) / (count + 0.5));
        score += (rarity * frequency) / (1.2 + frequency);
      }
      return { id, score };
    });
    return scored
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
      .map(({ id }) => id);
  };
}

/** Returns the words of a text; names are split at capitals and signs. */
function wordsOf(text: string): readonly string[] {
  const split = text.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ").toLowerCase();
  return split.match(/[\p{L}\p{N}]+/gu) ?? [];
}
