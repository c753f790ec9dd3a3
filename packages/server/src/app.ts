import { createHash, timingSafeEqual } from "node:crypto";
import { BlockList, isIP } from "node:net";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { ApprovalsFrom } from "@capstan/contract";
import { CapstanError } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import {
  badRequest,
  errorResponse,
  RequestError,
  type RequestErrorOptions,
} from "./http/errors.ts";
import { type Right, rightMissing, routeRights } from "./http/rights.ts";
import { MemoryBudget } from "./http/memory-budget.ts";
import { compress } from "./http/compress.ts";
import { getCookie } from "hono/cookie";
import { agentRoutes } from "./api/agents.ts";
import { eventRoutes } from "./api/events.ts";
import { usageRoutes } from "./api/usage.ts";
import { approvalRoutes } from "./api/approvals.ts";
import { catalogRoutes } from "./api/catalog.ts";
import { completionRoutes } from "./completions/routes.ts";
import { storedCompletionRoutes } from "./completions/stored-routes.ts";
import { embeddingRoutes } from "./embeddings/routes.ts";
import { connectionRoutes } from "./api/connections.ts";
import { conversationRoutes } from "./api/conversations.ts";
import { type Environment, localPrincipal, type Services, sessionCookie } from "./http/services.ts";
import { sessionRoutes } from "./api/sessions.ts";
import { containerRoutes } from "./files/container-routes.ts";
import { fileRoutes } from "./files/routes.ts";
import { uploadRoutes } from "./files/upload-routes.ts";
import { isMultipart } from "./files/multipart.ts";
import { grantRoutes } from "./api/grants.ts";
import type { ProgramKeys } from "./http/credentials/program-keys.ts";
import {
  createRevocationWatch,
  type RevocationWatch,
} from "./http/credentials/revocation-watch.ts";
import { ownersOfRequest } from "./http/program-resources.ts";
import { answerOnce } from "./http/request-keys.ts";
import { overrideRoutes } from "./api/overrides.ts";
import { openApiRoutes } from "./openapi/routes.ts";
import { servePage } from "./page.ts";
import { addedItems, conversationItemRoutes } from "./responses/conversation-items.ts";
import { responseRoutes } from "./responses/routes.ts";
import { directCallView } from "./responses/read-response.ts";
import { defaultMcpOptions, type McpOptions } from "./mcp/mcp-options.ts";
import { mcpRoutes } from "./mcp/routes.ts";
import { assistantRoutes } from "./threads/assistant-routes.ts";
import { messageRoutes } from "./threads/message-routes.ts";
import { threadRunRoutes } from "./threads/run-routes.ts";
import { threadRoutes } from "./threads/thread-routes.ts";
import { preferenceRoutes } from "./api/preferences.ts";
import { providerRoutes } from "./api/providers.ts";
import { runRoutes } from "./api/runs.ts";
import { scriptRoutes } from "./api/scripts.ts";
import { variableRoutes } from "./api/variables.ts";
import { vectorStoreFileRoutes } from "./vector-stores/file-routes.ts";
import { conversationShareRoutes, shareRoutes } from "./shares/routes.ts";
import { vectorStoreRoutes } from "./vector-stores/routes.ts";

export interface AppOptions {
  readonly services: Services;
  readonly apiKeys: readonly ApiKey[];
  readonly site: SameSiteOptions;
  /** The folder of the built page. @default no page */
  readonly webRoot?: string | undefined;
  /** The memory budget of requests and responses. @default a new budget for this app */
  readonly budget?: MemoryBudget;
  /** The settings of the MCP server that differ from the defaults. */
  readonly mcp?: Partial<McpOptions> | undefined;
  readonly log: (line: string) => void;
}

/** Creates the app: all middleware and routes, in the order in which they handle a request. */
export function createApp({
  services,
  apiKeys,
  site,
  webRoot,
  budget = new MemoryBudget(services.limits),
  mcp,
  log,
}: AppOptions): Hono<Environment> {
  const app = new Hono<Environment>();
  const watch = createRevocationWatch();
  const authentication = authenticate({
    callerOf: createCallers(apiKeys, services),
    services,
    watch,
  });

  app.onError((thrown, context) => {
    if (thrown instanceof RequestError) return errorResponse(thrown);
    // The log gets the internal error, the caller a general one.
    log(`${context.req.method} ${context.req.path} failed: ${errorMessage(thrown)}`);
    return errorResponse(storeFailure(thrown) ?? unknownFailure);
  });
  app.notFound(({ req }) => errorResponse(unknownRoute(req)));

  app.use(sameSite(site));
  app.get("/healthz", (context) => context.json({ status: "ok" }));
  app.use("/openapi.json", compress);
  app.use("/docs", compress);
  app.route("/", openApiRoutes(services));
  app.use("/v1/*", compress);
  app.use("/v1/*", authentication);
  // Forms are read in pieces, so they need no memory for their bytes.
  app.use("/v1/*", (context, next) =>
    isMultipart(context.req) ? next() : budget.admit(context, next),
  );
  app.use("/v1/*", (context, next) => {
    const { req } = context;
    if (req.method === "GET" || req.header("idempotency-key") === undefined) return next();
    if (isMultipart(req)) throw noKeyForForms();
    return answerOnce(services, context, next);
  });
  app.route("/v1/responses", responseRoutes(services, budget));
  app.route("/v1/chat/completions", completionRoutes(services, budget));
  app.route("/v1/chat/completions", storedCompletionRoutes(services, budget));
  app.route("/v1/embeddings", embeddingRoutes(services));
  app.route("/v1/files", fileRoutes(services, budget));
  app.route("/v1/uploads", uploadRoutes(services, budget));
  app.route("/v1/containers", containerRoutes(services, budget));
  app.route("/v1/vector_stores", vectorStoreRoutes(services));
  app.route("/v1/vector_stores", vectorStoreFileRoutes(services));
  app.route("/v1/runs", runRoutes(services, budget));
  app.route("/v1/conversations", conversationRoutes({ ...services, addedItems }, budget));
  app.route("/v1/conversations", conversationItemRoutes(services, budget));
  app.route("/v1/conversations", variableRoutes(services));
  app.route("/v1/conversations", conversationShareRoutes(services, budget));
  app.route("/v1", shareRoutes(services));
  app.route("/v1/events", eventRoutes(services, budget));
  app.route("/v1/usage", usageRoutes(services));
  app.route("/v1/providers", providerRoutes(services));
  app.route("/v1/preferences", preferenceRoutes(services));
  app.route("/v1/approvals", approvalRoutes(services));
  app.route("/v1/grants", grantRoutes(services));
  app.route("/v1/overrides", overrideRoutes(services));
  app.route("/v1/agents", agentRoutes(services));
  app.route("/v1/assistants", assistantRoutes(services));
  // Before the routes of one thread, which would read `runs` as an id.
  app.route("/v1/threads", threadRunRoutes(services, budget));
  app.route("/v1/threads", threadRoutes(services));
  app.route("/v1/threads", messageRoutes(services, budget));
  app.route("/v1/connections", connectionRoutes(services));
  app.route("/v1/scripts", scriptRoutes({ ...services, directCallView }, budget));
  app.route("/v1", catalogRoutes(services));
  app.route("/v1", sessionRoutes(services));
  for (const path of ["/mcp", "/mcp/*"]) app.use(path, authentication);
  const options = { ...defaultMcpOptions, ...mcp };
  app.route("/mcp", mcpRoutes(services, { options, budget, log }));
  app.get("/connections/client.json", (context) => {
    const document = services.connections?.clientDocument();
    return document === undefined
      ? errorResponse(unknownRoute(context.req))
      : context.json(document);
  });
  if (webRoot !== undefined) app.route("/", servePage(webRoot));
  return app;
}

/** Identifies the caller, and rejects a caller without the right that the route requires. */
function authenticate({
  callerOf,
  services,
  watch,
}: {
  readonly callerOf: (context: Context<Environment>) => Caller | undefined;
  readonly services: Pick<Services, "runs">;
  readonly watch: RevocationWatch;
}): MiddlewareHandler<Environment> {
  return async (context, next) => {
    const route = matchedRoutes(context).find((each) => needs.has(routeName(each)));
    const right = route && needs.get(routeName(route));
    if (right === "none") return next();
    const caller = callerOf(context);
    if (caller === undefined) {
      throw new RequestError({
        status: 401,
        type: "authentication_error",
        code: "invalid_api_key",
        param: "authorization",
        message:
          'This server requires a key: send Authorization: Bearer KEY with a key of its CAPSTAN_API_KEYS, or pair this browser: "capstan pair" prints a link.',
      });
    }
    // A route without a right is not served. The page's files are not part of the API.
    if (route === undefined || right === undefined) throw unknownRoute(context.req);
    const has = right === "terminal" ? caller.isTerminal : caller.rights.includes(right);
    if (!has) throw rightMissing(right, `${route.method} ${route.path}`);
    const all = [caller.principal, ...(caller.programs?.() ?? [])] as const;
    const owners = await ownersOfRequest(services, context, all);
    context.set("principal", owners[0]);
    context.set("owners", owners);
    context.set("seesPrograms", caller.programs !== undefined);
    context.set("rights", caller.rights);
    context.set("defaultAgent", caller.defaultAgent);
    if (context.env?.connection !== undefined) context.env.connection.principal = owners[0];
    await next();
    if (context.req.method === "DELETE" && context.req.path.startsWith("/v1/sessions/"))
      watch.check();
    if (caller.isRevocable !== true) return;
    const isValid = () => {
      const now = callerOf(context);
      // A server without keys treats an invalid session as an anonymous caller.
      return now?.isRevocable === true && now.principal === caller.principal;
    };
    const guarded = watch.guard(context.res, isValid);
    if (guarded !== context.res) context.res = guarded;
  };
}

const routeName = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method} ${path}`;

const needs = new Map(routeRights.map((route) => [routeName(route), route.needs]));

function unknownRoute({ method, path }: { readonly method: string; readonly path: string }) {
  const message = `There is no ${method} ${path}. GET /docs lists all routes.`;
  return new RequestError({ status: 404, code: "unknown_route", message });
}

function noKeyForForms(): RequestError {
  const message =
    "Idempotency-Key is not supported for multipart forms. Send the form without it; GET /v1/files lists the stored files.";
  return badRequest("idempotency-key", message);
}

const unknownFailure = new RequestError({
  status: 500,
  type: "server_error",
  code: "server_error",
  message: "The server failed to answer this request. Its log has the details.",
});

type Failure = Required<Pick<RequestErrorOptions, "status" | "message">> &
  Pick<RequestErrorOptions, "retryAfterSeconds" | "type">;

const databaseUnreachable: Failure = {
  status: 503,
  retryAfterSeconds: 5,
  message:
    "The server's database does not respond. The request had no effect, or its effect is unknown. Try again in a moment.",
};

/**
 * The message for clients about each store error. It has no path, no address and no text of the
 * store.
 */
const failures: { readonly [code: string]: Failure } = {
  disk_full: {
    status: 507,
    retryAfterSeconds: 30,
    message:
      "The server's disk is full: nothing was stored. Try again after its administrator has freed space.",
  },
  store_busy: {
    status: 503,
    retryAfterSeconds: 1,
    message:
      "Another program has locked the server's database: nothing was stored. Try again in a moment.",
  },
  store_closed: {
    status: 503,
    retryAfterSeconds: 5,
    message: "The server is stopping. Try again once it is back.",
  },
  files_unreachable: {
    status: 503,
    retryAfterSeconds: 5,
    message:
      "The server's file storage does not respond. Nothing was stored. Try again in a moment.",
  },
  files_rejected: {
    status: 503,
    message:
      "The server's file storage rejected the request. An administrator finds the reason in the server's log.",
  },
  database_unreachable: databaseUnreachable,
  database_rejected: {
    status: 503,
    message: "The server's database rejected the request. The reason is in the server's log.",
  },
  input_deleted: {
    status: 409,
    type: "invalid_request_error",
    message:
      "This request refers to an image or a file of an earlier response that has been deleted. Nothing was done; send its content again.",
  },
  request_in_progress: {
    status: 409,
    type: "invalid_request_error",
    message: "The same request is being served. Try again in a moment.",
  },
  database_corrupt: {
    status: 500,
    message:
      "This request needs data that is corrupt in the server's database. An administrator must restore a backup; the server's log has the details.",
  },
  data_directory_unwritable: {
    status: 500,
    message:
      "The server has no permission to write its data: nothing was stored. Its administrator must grant write access; the server's log has the details.",
  },
};

/** Returns the error for a request that the store could not serve, or `undefined` for any other error. */
function storeFailure(thrown: unknown): RequestError | undefined {
  if (!CapstanError.isInstance(thrown)) return undefined;
  const { code, message } = thrown;
  if (code === "history_too_large")
    return new RequestError({ status: 413, code, message, retryable: false });
  const failure = Object.hasOwn(failures, code) ? failures[code] : undefined;
  return failure && new RequestError({ type: "server_error", ...failure, code });
}

interface SameSiteOptions {
  /** Host names that requests can be addressed to, without a port. Undefined accepts any. */
  readonly hosts: readonly string[] | undefined;
  /** Additional origins whose pages may call the API, e.g. `http://localhost:5173`. */
  readonly origins: readonly string[];
}

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Returns the host names that a server on this address accepts. Checking the name prevents DNS
 * rebinding.
 */
export function allowedHosts(host: string, more: readonly string[]): readonly string[] {
  return [...loopbackNames, host.includes(":") ? `[${host}]` : host, ...more].map((name) =>
    name.toLowerCase(),
  );
}

/**
 * Rejects requests from other sites' pages: a foreign host name (DNS rebinding), a foreign origin,
 * or a body that a form can post. Only the routes of files accept multipart forms. Without this
 * check, such a page could approve its own calls.
 */
function sameSite({ hosts, origins }: SameSiteOptions): MiddlewareHandler {
  return async (context, next) => {
    const host = context.req.header("host") ?? "";
    const name = host.replace(/:\d+$/, "").toLowerCase();
    if (hosts !== undefined && !hosts.includes(name)) {
      throw forbidden(
        "host_not_allowed",
        `This server does not answer to "${host.slice(0, 100)}". Add it to "allowedHosts" if it should.`,
      );
    }
    const origin = context.req.header("origin");
    if (
      origin !== undefined &&
      origin !== `http://${host}` &&
      origin !== `https://${host}` &&
      !origins.includes(origin)
    ) {
      throw forbidden(
        "origin_not_allowed",
        `Pages of "${origin.slice(0, 100)}" may not call this server. Add it to "allowedOrigins" if they should.`,
      );
    }
    // Browsers send no origin with a GET for an image or a script. The page that sends it cannot
    // read the response, but it could keep streams open.
    const site = context.req.header("sec-fetch-site");
    const isForeign = site === "cross-site" || site === "same-site";
    const isNavigation = context.req.header("sec-fetch-mode") === "navigate";
    const { path } = context.req;
    const isApi = path.startsWith("/v1/") || path === "/mcp" || path.startsWith("/mcp/");
    const isRefused = isApi && !fileLink.test(path);
    if (isForeign && origin === undefined && !isNavigation && isRefused)
      throw forbidden("origin_not_allowed", "Pages of other sites may not call this server.");
    const { method } = context.req;
    const hasBody = method === "POST" || method === "PUT" || method === "PATCH";
    const type = context.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
    const empty =
      context.req.header("content-length") === "0" ||
      (context.req.header("content-length") === undefined &&
        context.req.header("transfer-encoding") === undefined);
    if (
      hasBody &&
      type !== "application/json" &&
      !isMultipart(context.req) &&
      !(empty && origin === undefined && type === undefined)
    ) {
      throw new RequestError({
        status: 415,
        code: "unsupported_media_type",
        param: "content-type",
        message: `Send JSON with Content-Type: application/json; this came as "${(type ?? "nothing").slice(0, 100)}".`,
      });
    }
    return next();
  };
}

/** A link's token authenticates the request, and clients on other sites show its picture. */
const fileLink = /^\/v1\/files\/[\w-]+\/download$/;

function forbidden(code: string, message: string): RequestError {
  return new RequestError({ status: 403, code, message });
}

export interface ApiKey {
  /** The principal of the key, who owns everything that is created with it. */
  readonly name: string;
  readonly key: string;
  /** @default ["ask"] */
  readonly rights?: readonly Right[];
  /** The agent of requests that name no model. @default the server's default model */
  readonly agent?: string;
}

interface Caller {
  readonly principal: string;
  readonly rights: readonly Right[];
  readonly isTerminal: boolean;
  /** Whether the credential can be revoked while the server runs. @default false */
  readonly isRevocable?: boolean;
  readonly defaultAgent?: string | undefined;
  /** Returns the programs whose data the caller can also access. @default none */
  readonly programs?: () => readonly string[];
}

const everyRight: readonly Right[] = ["ask", "approve", "admin"];

/**
 * The callers who may approve. With `"anyone-until-connected"`, all callers may approve until a
 * program is connected, because that program reaches the server, too.
 */
export type ApprovalsSetting = ApprovalsFrom | "anyone-until-connected";

/** Returns the default of `approvals.from`. */
export function defaultApprovalsFrom({
  host,
  apiKeys,
}: {
  readonly host: string;
  readonly apiKeys: readonly ApiKey[];
}): ApprovalsSetting {
  return apiKeys.length === 0 && isLoopback(host) ? "anyone-until-connected" : "people";
}

/** Returns whose answers count while these programs are connected. */
export function currentApprovalsFrom(
  setting: ApprovalsSetting,
  programKeys: Pick<ProgramKeys, "any">,
): ApprovalsFrom {
  if (setting !== "anyone-until-connected") return setting;
  return programKeys.any() ? "people" : "anyone";
}

/**
 * Returns a function that identifies a request's caller and rights. The time that it takes does not
 * depend on the keys.
 */
function createCallers(
  apiKeys: readonly ApiKey[],
  { approvalsFrom, pairing, programKeys }: Services,
): (context: Context<Environment>) => Caller | undefined {
  const known = apiKeys.map(({ name, key, rights = ["ask"], agent }) => ({
    digest: digestOf(key),
    caller: { principal: name, rights, isTerminal: false, defaultAgent: agent },
  }));
  const programs = () => programKeys.list().map(({ principal }) => principal);
  const user = { principal: localPrincipal, rights: everyRight, isTerminal: false, programs };
  const anonymous = { principal: localPrincipal, isTerminal: false };
  return (context) => {
    const given = /^Bearer\s+(.+)$/i.exec(context.req.header("authorization") ?? "")?.[1]?.trim();
    if (given !== undefined) {
      const digest = digestOf(given);
      let found: Caller | undefined;
      for (const candidate of known)
        if (timingSafeEqual(candidate.digest, digest)) found = candidate.caller;
      if (found !== undefined) return approvalsFrom() === "anyone" ? withApprove(found) : found;
      if (pairing.isTerminal(given)) return { ...user, isTerminal: true };
      if (programKeys.isProgramKey(given)) {
        const principal = programKeys.principalOf(given);
        // A caller with a revoked key does not become the anonymous caller.
        return principal === undefined
          ? undefined
          : { principal, rights: ["ask"], isTerminal: false, isRevocable: true };
      }
    } else if (isPaired(context, pairing)) return { ...user, isRevocable: true };
    if (known.length > 0) return undefined;
    return approvalsFrom() === "anyone"
      ? { ...anonymous, rights: everyRight }
      : { ...anonymous, rights: ["ask"] };
  };
}

function withApprove(caller: Caller): Caller {
  return { ...caller, rights: [...caller.rights, "approve"] };
}

function isPaired(context: Context<Environment>, pairing: Services["pairing"]): boolean {
  if (!context.req.header("cookie")?.includes("capstan_session")) return false;
  const token = getCookie(context, sessionCookie(context));
  const antiForgeryToken = context.req.header("x-csrf-token");
  if (token === undefined || antiForgeryToken === undefined) return false;
  return pairing.isPaired({ token, antiForgeryToken });
}

function digestOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether only this machine can reach a server that listens on the host. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === "localhost";
  return loopback.check(host, family === 4 ? "ipv4" : "ipv6");
}
