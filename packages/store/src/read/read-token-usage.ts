import { isIntact } from "../schema/row-checksums.ts";
import { all, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";

/** The tokens that a model used on one day. */
export interface TokenUsage {
  readonly model: string;
  /** Days since the epoch, in the requested time zone. */
  readonly day: number;
  readonly runs: number;
  readonly inputTokens: number;
  /** The part of `inputTokens` that the provider had cached. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
}

interface UsageRow {
  readonly model: string;
  readonly day: number;
  readonly runs: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

const dayMs = 86_400_000;
/** The most rows of one read: a model's name can come from a request. */
const maxRows = 5_000;

const sumOf = (column: string) => `CAST(SUM(u.${column}) AS BIGINT)`;

const findUsage = statement<UsageRow>(
  { reads: ["run_usage", "runs"] },
  (
    dialect,
  ) => `SELECT r.model, (u.ended_at + CAST(? AS BIGINT)) / ${dayMs} AS day, COUNT(*) AS runs,
     ${sumOf("input_tokens")} AS input, ${sumOf("cached_tokens")} AS cached, ${sumOf("output_tokens")} AS output
   FROM run_usage u JOIN runs r ON r.n = u.run_n
   WHERE u.owner ${dialect.anyOf} AND u.ended_at >= ? AND ${isIntact(dialect, "run_usage", "u")} = 1
   GROUP BY r.model, 2 ORDER BY 2 DESC, r.model LIMIT ${maxRows}`,
);

/**
 * Returns the tokens that owners used, by day and model, newest day first. Runs in progress and
 * deleted runs are not counted.
 *
 * @param options.since in ms since the epoch
 * @param options.utcOffsetMs the time zone of the days
 */
export function* readTokenUsage({
  owners,
  since,
  utcOffsetMs,
}: {
  readonly owners: readonly string[];
  readonly since: number;
  readonly utcOffsetMs: number;
}): Script<readonly TokenUsage[]> {
  const rows = yield* all(findUsage, utcOffsetMs, owners, since);
  return rows.map(({ model, day, runs, input, cached, output }) => ({
    model,
    day,
    runs,
    inputTokens: input,
    cachedTokens: cached,
    outputTokens: output,
  }));
}
