import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { errorMessage } from "@capstan/core/host";
import { type ApiKey, createPrincipals, sameSite, type SameSiteOptions } from "./http/admission.ts";
import { type ApiError, errorBody } from "./http/api-error.ts";
import { compress } from "./http/compress.ts";
import { approvalRoutes } from "./api/approvals.ts";
import { catalogRoutes } from "./api/catalog.ts";
import { conversationRoutes } from "./api/conversations.ts";
import type { Environment, Services } from "./http/services.ts";
import { grantRoutes } from "./api/grants.ts";
import { overrideRoutes } from "./api/overrides.ts";
import type { Page } from "./page.ts";
import { RequestError } from "./http/request-error.ts";
import { responseRoutes } from "./responses/routes.ts";
import { directCallView } from "./responses/read-response.ts";
import { runRoutes } from "./api/runs.ts";
import { scriptRoutes } from "./api/scripts.ts";
import { storeFailure } from "./http/store-failure.ts";
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
    if (thrown instanceof RequestError) return answer(thrown.error);
    // What the inside says is for the log, not for the caller.
    log(`${context.req.method} ${context.req.path} failed: ${errorMessage(thrown)}`);
    return answer(storeFailure(thrown) ?? unknownFailure);
  });
  app.notFound((context) =>
    answer({
      status: 404,
      type: "invalid_request_error",
      code: "unknown_route",
      param: "request",
      message: `There is no ${context.req.method} ${context.req.path}.`,
    }),
  );

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
  const tooLarge = `The body is larger than ${bodyBytes} bytes.`;
  app.use(
    "/v1/*",
    bodyLimit({
      maxSize: bodyBytes,
      onError: () =>
        answer({
          status: 413,
          type: "invalid_request_error",
          code: "body_too_large",
          param: "request",
          message: tooLarge,
        }),
    }),
  );
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

const unknownFailure: ApiError = {
  status: 500,
  type: "server_error",
  code: "server_error",
  param: "request",
  message: "The server failed to answer this request. Its log says more.",
};

function answer(error: ApiError): Response {
  const retry =
    error.retryAfterSeconds === undefined ? {} : { "Retry-After": String(error.retryAfterSeconds) };
  return Response.json(errorBody(error), {
    status: error.status,
    headers: { ...retry, "Cache-Control": "no-store" },
  });
}
