import { Hono } from "hono";
import type { Environment, Services } from "../http/services.ts";

/** Routes of the published contract: the OpenAPI document, and a page that shows it. */
export function openApiRoutes({ version }: Pick<Services, "version">): Hono<Environment> {
  const routes = new Hono<Environment>();
  let published: Promise<Published> | undefined;
  const publish = () => (published ??= createDocument(version));

  routes.get("/openapi.json", async (context) => {
    const { json } = await publish();
    return context.body(json, 200, { "Content-Type": "application/json" });
  });

  routes.get("/docs", async (context) => {
    const { page, pagePolicy } = await publish();
    return context.html(page, 200, {
      "Content-Security-Policy": pagePolicy,
      "X-Content-Type-Options": "nosniff",
    });
  });

  return routes;
}

interface Published {
  readonly json: string;
  readonly page: string;
  readonly pagePolicy: string;
}

/** Creates the document and its page at the first request for one of them. */
async function createDocument(version: string): Promise<Published> {
  const { openApiDocument } = await import("./document.ts");
  const { documentPage, pagePolicy } = await import("./page.ts");
  const document = openApiDocument({ version });
  return { json: JSON.stringify(document), page: documentPage(document), pagePolicy };
}
