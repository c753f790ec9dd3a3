// Measures how tools are found: node bench/search/measure.ts REPETITIONS
import { createToolIndex, type SearchableTool } from "@capstan/core/search";
import { countedFigure, type Figure, median } from "../figure.ts";
import { loadCorpus } from "./corpus.ts";
import { plainBm25, plainBm25F } from "./plain-rankings.ts";
import { type LabelledQuery, labelledQueries } from "./queries.ts";

type Search = (query: string) => readonly string[] | Promise<readonly string[]>;

const repetitions = Number(process.argv[2]);
const corpus = await loadCorpus();
const ids = new Set(corpus.map(({ id }) => id));
for (const { query, tools } of labelledQueries)
  for (const id of tools)
    if (!ids.has(id)) throw new Error(`"${query}" expects ${id}, which is not in the corpus.`);

const { aiSearch } = (await import(new URL("peers/ai.ts", import.meta.url).href)) as {
  readonly aiSearch: (tools: readonly SearchableTool[]) => Search;
};
const subjects: { readonly [subject: string]: Search } = {
  capstan: searchOf(corpus),
  "plain BM25F": plainBm25F(corpus),
  "plain BM25": plainBm25(corpus),
  ai: aiSearch(corpus),
};
const sets: { readonly [name: string]: readonly LabelledQuery[] } = {
  "all tasks": labelledQueries,
  "the other tasks": labelledQueries.filter((_, index) => index % 2 === 1),
};

const figures: Figure[] = [];
for (const [name, queries] of Object.entries(sets))
  for (const [subject, search] of Object.entries(subjects)) {
    let first = 0;
    let five = 0;
    for (const { query, tools } of queries) {
      const found = await search(query);
      if (tools.includes(found[0] ?? "")) first++;
      if (tools.some((id) => found.slice(0, 5).includes(id))) five++;
    }
    const label = (what: string) => ({ case: `${name}: ${what}`, subject, unit: "%" });
    figures.push(countedFigure(label("hit@1"), (100 * first) / queries.length));
    figures.push(countedFigure(label("hit@5"), (100 * five) / queries.length));
  }

// A thousand tools: copies of the corpus whose names have a number.
const thousand = Array.from({ length: 1_000 }, (_, n): SearchableTool => {
  const tool = corpus[n % corpus.length] as SearchableTool;
  const { type, function: spec } = tool.definition;
  const name = `${spec.name}_${n}`;
  return { ...tool, id: `${tool.id}_${n}`, definition: { type, function: { ...spec, name } } };
});
const started = performance.now();
const search = searchOf(thousand);
const indexed = performance.now() - started;
const times: number[] = [];
for (let repetition = 0; repetition < repetitions; repetition++)
  for (const { query } of labelledQueries) {
    const before = performance.now();
    await search(query);
    times.push(performance.now() - before);
  }
figures.push(
  countedFigure(
    { case: "a query at 1,000 tools, median", subject: "capstan", unit: "ms" },
    median(times),
  ),
);
figures.push(
  countedFigure({ case: "index of 1,000 tools", subject: "capstan", unit: "ms" }, indexed),
);
process.stdout.write(JSON.stringify(figures));

function searchOf(tools: readonly SearchableTool[]): Search {
  const index = createToolIndex(tools);
  return (query) => index.search(query).map(({ id }) => id);
}
