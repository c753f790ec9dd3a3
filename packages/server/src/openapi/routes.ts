import { Hono } from "hono";
import type { Environment, Services } from "../http/services.ts";
import { openApiDocument } from "./document.ts";
import { documentPage, pagePolicy } from "./page.ts";

/** Routes of the published contract: the OpenAPI document, and a page that shows it. */
export function openApiRoutes({ version }: Pick<Services, "version">): Hono<Environment> {
  const routes = new Hono<Environment>();
  let made: { readonly json: string; readonly page: string } | undefined;
  const read = () => {
    if (made !== undefined) return made;
    const document = openApiDocument({ version });
    return (made = { json: JSON.stringify(document), page: documentPage(document) });
  };

  routes.get("/openapi.json", (context) =>
    context.body(read().json, 200, { "Content-Type": "application/json" }),
  );

  routes.get("/docs", (context) =>
    context.html(read().page, 200, {
      "Content-Security-Policy": pagePolicy,
      "X-Content-Type-Options": "nosniff",
    }),
  );

  return routes;
}
