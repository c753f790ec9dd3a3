import type { OpenedSession, PairingView, SessionView } from "@capstan/contract";
import { type Context, Hono } from "hono";
import { setCookie } from "hono/cookie";
import { z } from "zod";
import { notFound, RequestError } from "../http/errors.ts";
import type { Session } from "../http/credentials/pairing.ts";
import { readBody } from "../http/read-body.ts";
import { listView } from "../http/records.ts";
import { type Environment, type Services, sessionCookie } from "../http/services.ts";

/** Routes of the browsers that the user of this machine has paired. */
export function sessionRoutes({ pairing }: Services): Hono<Environment> {
  const routes = new Hono<Environment>();

  routes.post("/pairings", (context) => {
    const { code, expiresAt } = pairing.createCode();
    return context.json({ object: "pairing", code, expires_at: expiresAt } satisfies PairingView);
  });

  routes.get("/sessions", (context) => context.json(listView(pairing.list().map(sessionView))));

  routes.post("/sessions", async (context) => {
    const { code } = await readBody(context, z.object({ code: z.string().max(200) }));
    const name = (context.req.header("user-agent") ?? "").slice(0, 200);
    const opened = pairing.redeem(code, name);
    if (opened === undefined) throw unknownCode;
    setCookie(context, sessionCookie(context), opened.token, {
      httpOnly: true,
      sameSite: "Strict",
      secure: isSecure(context),
      path: "/",
      // The server ends unused sessions itself. No browser keeps a cookie for longer than this.
      maxAge: 400 * 24 * 3_600,
    });
    context.header("Cache-Control", "no-store");
    return context.json({
      ...sessionView(opened.session),
      anti_forgery_token: opened.antiForgeryToken,
    } satisfies OpenedSession);
  });

  routes.delete("/sessions/:id", (context) => {
    const id = context.req.param("id");
    if (!pairing.revoke(id)) throw notFound("session", id);
    return context.json({ id, object: "session.deleted", deleted: true });
  });

  return routes;
}

const unknownCode = new RequestError({
  status: 403,
  type: "permission_error",
  code: "pairing_code_invalid",
  param: "code",
  message:
    'This link was used before, or is older than 10 minutes. "capstan pair" prints a new one.',
});

function sessionView({ id, name, createdAt, usedAt }: Session): SessionView {
  return { id, object: "session", name, created_at: createdAt, used_at: usedAt };
}

/** A reverse proxy reports whether its client used TLS. */
function isSecure({ req }: Context): boolean {
  return req.header("x-forwarded-proto") === "https" || req.url.startsWith("https:");
}
