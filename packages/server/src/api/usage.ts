import type { UsageView } from "@capstan/contract";
import { arePrices, costOf } from "@capstan/core/host";
import { Hono } from "hono";
import { readNumber } from "../http/read-body.ts";
import { listView } from "../http/records.ts";
import type { Environment, Services } from "../http/services.ts";

const dayMs = 86_400_000;
const maxDays = 366;
const maxOffsetMinutes = 14 * 60;

/** The route of the tokens and costs of a caller, by day and model. */
export function usageRoutes({ runs, models }: Services): Hono<Environment> {
  const routes = new Hono<Environment>();

  routes.get("/", async (context) => {
    const days = readNumber(context, "days", { min: 1, max: maxDays, otherwise: 30 });
    const bounds = { min: -maxOffsetMinutes, max: maxOffsetMinutes, otherwise: 0 };
    const utcOffsetMs = readNumber(context, "utc_offset", bounds) * 60_000;
    const today = Math.floor((Date.now() + utcOffsetMs) / dayMs);
    const found = await runs.store.readTokenUsage({
      owners: context.get("owners"),
      since: (today - days + 1) * dayMs - utcOffsetMs,
      utcOffsetMs,
    });
    const names = [...new Set(found.map(({ model }) => model))];
    const prices = new Map(
      await Promise.all(
        // Does not look up ids without a provider: for these the catalog may request the list of
        // every provider.
        names.map(
          async (id) =>
            [id, id.includes("/") ? (await models.find(id))?.prices : undefined] as const,
        ),
      ),
    );
    const data = found.map((row): UsageView => {
      const { model, inputTokens, cachedTokens, outputTokens } = row;
      const known = prices.get(model);
      return {
        object: "usage",
        day: new Date(row.day * dayMs).toISOString().slice(0, 10),
        model,
        runs: row.runs,
        input_tokens: inputTokens,
        cached_input_tokens: cachedTokens,
        output_tokens: outputTokens,
        cost:
          known !== undefined && arePrices(known)
            ? costOf({ inputTokens, cachedInputTokens: cachedTokens, outputTokens }, known)
            : null,
      };
    });
    return context.json(listView(data, false, ({ day, model }) => `${day} ${model}`));
  });

  return routes;
}
