import type { ConnectionDeleted, ConnectionOutcome, ConnectionService } from "@capstan/contract";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { badRequest, conflict, notFound, RequestError } from "../http/errors.ts";
import { readBody, readWord } from "../http/read-body.ts";
import { listView } from "../http/records.ts";
import { mayApprove, rightMissing } from "../http/rights.ts";
import type { Environment, Services } from "../http/services.ts";

const text = (max = 2_000) => z.string().max(max, { error: `expected at most ${max} characters` });
const words = z.array(text()).max(200);
const secret = text(20_000);

const createBody = z.strictObject({
  name: text(100),
  url: text().exactOptional(),
  private: z.boolean().exactOptional(),
  oauth: z
    .strictObject({
      client_id: text().exactOptional(),
      client_secret: text().exactOptional(),
      issuer: text().exactOptional(),
      scope: text().exactOptional(),
      resource: z.union([text(), z.literal(false)]).exactOptional(),
    })
    .exactOptional(),
  command: text().exactOptional(),
  args: words.exactOptional(),
  env: z.record(z.string(), secret).exactOptional(),
  read: words.exactOptional(),
  write: words.exactOptional(),
  network: z.union([z.boolean(), words]).exactOptional(),
  tools: words.exactOptional(),
  shared: z.boolean().exactOptional(),
  trust_annotations: z.boolean().exactOptional(),
});
const updateBody = z.strictObject({
  enabled: z.boolean().exactOptional(),
  tools: words.nullable().exactOptional(),
  trust_annotations: z.boolean().exactOptional(),
});
const acceptBody = z.strictObject({ digest: text(200) });
const shared = z.boolean().exactOptional();
const credentialBody = z.discriminatedUnion(
  "type",
  [
    z.strictObject({ type: z.literal("bearer"), token: secret, shared }),
    z.strictObject({ type: z.literal("basic"), username: secret, password: secret, shared }),
    z.strictObject({
      type: z.literal("api_key"),
      in: z.enum(["header", "query", "cookie"]),
      name: text(100),
      value: secret,
      shared,
    }),
    z.strictObject({
      type: z.literal("client_credentials"),
      client_id: text(),
      client_secret: secret,
      scope: text().exactOptional(),
      shared,
    }),
  ],
  { error: "expected bearer, basic, api_key or client_credentials" },
);
const signInBody = z.strictObject({ redirect_uri: text().exactOptional(), shared });
const answerBody = z.strictObject({
  state: text(300),
  code: text(10_000).exactOptional(),
  iss: text().exactOptional(),
  error: text(500).exactOptional(),
});

/**
 * Routes to add connections, to sign in at their servers, and to accept their tools. They need the
 * right `admin`. Tools and models cannot reach them, and no response contains a secret.
 */
export function connectionRoutes(services: Pick<Services, "connections">): Hono<Environment> {
  const routes = new Hono<Environment>();
  const serviceOf = (): ConnectionService => {
    if (services.connections === undefined) throw noConnections;
    return services.connections;
  };
  const nameOf = (context: Context<Environment>) => context.req.param("name") ?? "";
  const by = (context: Context<Environment>) => context.get("principal");

  routes.use(async (context, next) => {
    await next();
    context.header("Cache-Control", "no-store");
  });

  routes.get("/", async (context) =>
    context.json(listView(await serviceOf().list(by(context)), false, ({ name }) => name)),
  );

  routes.post("/", async (context) => {
    const service = serviceOf();
    const body = await readBody(context, createBody);
    if (body.trust_annotations === true && !mayApprove(context))
      throw rightMissing("approve", "To trust the annotations of a server");
    if (body.private === true && !mayApprove(context))
      throw rightMissing("approve", "To add a server in a private network");
    // The program starts at once, to list its tools.
    if (body.command !== undefined && !mayApprove(context))
      throw rightMissing("approve", "To add a program");
    const made = await service.create(body, by(context), {
      mayApprove: mayApprove(context),
    });
    return context.json(valueOf(made, body.name));
  });

  routes.post("/sign_in", async (context) => {
    const service = serviceOf();
    const body = await readBody(context, answerBody);
    const finished = await service.finishSignIn(body, by(context));
    return context.json(valueOf(finished, body.state.split(".")[0] ?? ""));
  });

  routes.post("/rotate_key", async (context) => context.json(await serviceOf().rotateKey()));

  routes.get("/:name", async (context) => {
    const name = nameOf(context);
    const found = await serviceOf().get(name, by(context));
    if (found === undefined) throw notFound("connection", name);
    return context.json(found);
  });

  routes.patch("/:name", async (context) => {
    const service = serviceOf();
    const name = nameOf(context);
    const body = await readBody(context, updateBody);
    if (body.trust_annotations === true && !mayApprove(context))
      throw rightMissing("approve", "To trust the annotations of a server");
    if (body.enabled === true && !mayApprove(context)) {
      const found = await service.get(name, by(context));
      if (found?.type === "program") throw rightMissing("approve", "To enable a program");
    }
    const changed = await service.change(name, body, by(context));
    return context.json(valueOf(changed, name));
  });

  routes.delete("/:name", async (context) => {
    const name = nameOf(context);
    valueOf(await serviceOf().remove(name), name);
    const deleted = { name, object: "connection.deleted", deleted: true } as const;
    return context.json(deleted satisfies ConnectionDeleted);
  });

  routes.post("/:name/check", async (context) => {
    const name = nameOf(context);
    return context.json(valueOf(await serviceOf().check(name, by(context)), name));
  });

  routes.post("/:name/accept", async (context) => {
    if (!mayApprove(context)) throw rightMissing("approve", "To accept the tools of a server");
    const service = serviceOf();
    const name = nameOf(context);
    const { digest } = await readBody(context, acceptBody);
    return context.json(valueOf(await service.accept(name, digest, by(context)), name));
  });

  routes.put("/:name/credential", async (context) => {
    const service = serviceOf();
    const name = nameOf(context);
    const body = await readBody(context, credentialBody);
    const set = await service.setCredential(name, body, by(context));
    return context.json(valueOf(set, name));
  });

  routes.delete("/:name/credential", async (context) => {
    const service = serviceOf();
    const name = nameOf(context);
    const isShared = readWord(context, "shared", ["true", "false"]) === "true";
    const removed = await service.removeCredential(name, { shared: isShared }, by(context));
    if (removed.status === "not_found") throw notFound("credential", name);
    return context.json(valueOf(removed, name));
  });

  routes.post("/:name/sign_in", async (context) => {
    const service = serviceOf();
    const name = nameOf(context);
    const body = await readBody(context, signInBody);
    const started = await service.signIn(name, body, by(context));
    return context.json(valueOf(started, name));
  });

  return routes;
}

function valueOf<T>(outcome: ConnectionOutcome<T>, name: string): T {
  switch (outcome.status) {
    case "done":
      return outcome.value;
    case "not_found":
      throw notFound("connection", name);
    case "conflict":
      throw conflict(outcome.message);
    case "invalid":
      throw badRequest(outcome.field, `${outcome.field}: ${outcome.message}`);
    case "failed":
      throw new RequestError({
        status: 422,
        code: outcome.code,
        message: outcome.message,
        retryable: false,
      });
  }
}

const noConnections = new RequestError({
  status: 404,
  code: "no_connections",
  message: "This server has no connections.",
});
