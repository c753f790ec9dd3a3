import { z } from "zod";
import { RequestError } from "../../http/errors.ts";
import { attributeFilter } from "../../search/attribute-filter.ts";
import { parseFields } from "./fields.ts";

const query = z.string().max(16_384);

const search = z.object({
  query: z.union([query, z.array(query).min(1).max(10)]),
  rewrite_query: z.boolean().nullish(),
  max_num_results: z.int().min(1).max(50).nullish(),
  filters: attributeFilter.nullish(),
  ranking_options: z
    .object({
      ranker: z.enum(["none", "auto", "default-2024-11-15", "default_2024_08_21"]).nullish(),
      score_threshold: z.number().min(0).max(1).nullish(),
    })
    .nullish(),
});

/**
 * Returns the search that a request describes.
 *
 * @throws RequestError if a field is invalid, or all queries are empty
 */
export function parseSearch(body: unknown) {
  const fields = parseFields(search, body);
  const queries = [fields.query].flat().filter((each) => each.trim() !== "");
  if (queries.length === 0)
    throw new RequestError({
      code: "invalid_value",
      param: "query",
      message: "Invalid 'query': the query is empty. Give at least one word to search for.",
    });
  return {
    queries,
    limit: fields.max_num_results ?? 10,
    filter: fields.filters ?? undefined,
    minScore: fields.ranking_options?.score_threshold ?? undefined,
  };
}
