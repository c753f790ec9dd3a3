import { createHash, timingSafeEqual } from "node:crypto";
import { BlockList, isIP } from "node:net";
import type { MiddlewareHandler } from "hono";
import { RequestError } from "./errors.ts";

export interface SameSiteOptions {
  /** Names that requests may be addressed to, without a port; undefined: any. */
  readonly hosts: readonly string[] | undefined;
  /** Origins beside our own whose pages may call, e.g. `http://localhost:5173`. */
  readonly origins: readonly string[];
}

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];

/** The hosts that a server on this address answers to: against DNS rebinding, names are checked. */
export function allowedHosts(host: string, more: readonly string[]): readonly string[] {
  return [...loopbackNames, host.includes(":") ? `[${host}]` : host, ...more].map((name) =>
    name.toLowerCase(),
  );
}

/**
 * Refuses what another site's page would send: a name that is not ours (DNS rebinding), an origin
 * that is not ours, and bodies that a form could post. A page could else approve what it asked for.
 */
export function sameSite({ hosts, origins }: SameSiteOptions): MiddlewareHandler {
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

function forbidden(code: string, message: string): RequestError {
  return new RequestError({ status: 403, code, message });
}

export interface ApiKey {
  /** Whose it is; owns what is made with it. */
  readonly name: string;
  readonly key: string;
}

/** Where no key is configured: the person at this machine. */
export const localPrincipal = "local";

/** Tells whose a key is, in a time that says nothing about the keys. */
export function createPrincipals(
  keys: readonly ApiKey[],
): (authorization: string | undefined) => string | undefined {
  if (keys.length === 0) return () => localPrincipal;
  const known = keys.map(({ name, key }) => ({ name, digest: digestOf(key) }));
  return (authorization) => {
    const given = /^Bearer\s+(.+)$/i.exec(authorization ?? "")?.[1];
    if (given === undefined) return undefined;
    const digest = digestOf(given.trim());
    let found: string | undefined;
    for (const candidate of known)
      if (timingSafeEqual(candidate.digest, digest)) found = candidate.name;
    return found;
  };
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
