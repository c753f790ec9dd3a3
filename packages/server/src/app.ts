import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { errorMessage } from "@capstan/core/host";
import { type ApiKey, createPrincipals, sameSite, type SameSiteOptions } from "./http/admission.ts";
import { errorResponse, RequestError, storeFailure } from "./http/errors.ts";
import { compress } from "./http/compress.ts";
import { approvalRoutes } from "./api/approvals.ts";
import { catalogRoutes } from "./api/catalog.ts";
import { conversationRoutes } from "./api/conversations.ts";
import type { Environment, Services } from "./http/services.ts";
import { grantRoutes } from "./api/grants.ts";
import { overrideRoutes } from "./api/overrides.ts";
import type { Page } from "./page.ts";
import { responseRoutes } from "./responses/routes.ts";
import { directCallView } from "./responses/read-response.ts";
import { runRoutes } from "./api/runs.ts";
import { scriptRoutes } from "./api/scripts.ts";
import { variableRoutes } from "./api/variables.ts";

export interface AppOptions {
  readonly services: Services;
  readonly apiKeys: readonly ApiKey[];
  readonly site: SameSiteOptions;
  readonly page?: Page;
  readonly log: (line: string) => void;
}

/** Everything that is served, in the order in which a request passes it. */
export function createApp({ services, apiKeys, site, page, log }: AppOptions): Hono<Environment> {
  const app = new Hono<Environment>();
  const principalOf = createPrincipals(apiKeys);

  app.onError((thrown, context) => {
    if (thrown instanceof RequestError) return errorResponse(thrown);
    // What the inside says is for the log, not for the caller.
    log(`${context.req.method} ${context.req.path} failed: ${errorMessage(thrown)}`);
    return errorResponse(storeFailure(thrown) ?? unknownFailure);
  });
  app.notFound(({ req: { method, path } }) => {
    const message = `There is no ${method} ${path}.`;
    return errorResponse(new RequestError({ status: 404, code: "unknown_route", message }));
  });

  app.use(sameSite(site));
  app.get("/healthz", (context) => context.json({ status: "ok" }));
  app.use("/v1/*", compress);
  app.use("/v1/*", async (context, next) => {
    const principal = principalOf(context.req.header("authorization"));
    if (principal === undefined) {
      throw new RequestError({
        status: 401,
        type: "authentication_error",
        code: "invalid_api_key",
        param: "authorization",
        message:
          "This server wants a key of its own: send Authorization: Bearer KEY with one of those in its CAPSTAN_API_KEYS.",
      });
    }
    context.set("principal", principal);
    await next();
  });
  const { bodyBytes } = services.limits;
  const message = `The body is larger than ${bodyBytes} bytes.`;
  const tooLarge = new RequestError({ status: 413, code: "body_too_large", message });
  app.use("/v1/*", bodyLimit({ maxSize: bodyBytes, onError: () => errorResponse(tooLarge) }));
  app.route("/v1/responses", responseRoutes(services));
  app.route("/v1/runs", runRoutes(services));
  app.route("/v1/conversations", conversationRoutes(services));
  app.route("/v1/conversations", variableRoutes(services));
  app.route("/v1/approvals", approvalRoutes(services));
  app.route("/v1/grants", grantRoutes(services));
  app.route("/v1/overrides", overrideRoutes(services));
  app.route("/v1/scripts", scriptRoutes({ ...services, directCallView }));
  app.route("/v1", catalogRoutes(services));
  if (page !== undefined) app.use(page.serve);
  return app;
}

const unknownFailure = new RequestError({
  status: 500,
  type: "server_error",
  code: "server_error",
  message: "The server failed to answer this request. Its log says more.",
});
