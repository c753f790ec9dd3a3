import { Hono } from "hono";
import { notFound } from "../http/errors.ts";
import type { MemoryBudget } from "../http/memory-budget.ts";
import type { Environment, Services } from "../http/services.ts";
import { serveContent } from "./serve-content.ts";

/**
 * The route with which OpenAI's clients download a `container_file_citation`. Each response has a
 * container, `cntr_X` for `resp_X`; its files are those of `/v1/files`.
 */
export function containerRoutes({ runs }: Services, budget: MemoryBudget): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { store } = runs;

  routes.get("/:id/files/:file/content", async (context) => {
    const owner = context.get("principal");
    const { id, file: fileId } = context.req.param();
    const run = id.startsWith("cntr_")
      ? await store.getRun({ owner, id: id.replace(/^cntr_/, "resp_") })
      : undefined;
    if (run === undefined) throw notFound("container", id);
    const file = await store.getFile({ owner, id: fileId });
    if (file === undefined) throw notFound("file", fileId);
    return serveContent(context, { store, budget, file });
  });

  return routes;
}
