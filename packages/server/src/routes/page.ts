import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import type { MiddlewareHandler } from "hono";

const types: { readonly [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json",
  ".woff2": "font/woff2",
};

/** The page loads nothing from elsewhere, and nobody frames it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves the built page. It is read once, when the server starts: no request reaches the disk,
 * so no path can leave the folder.
 */
export async function servePage(root: string): Promise<MiddlewareHandler> {
  const files = new Map<
    string,
    { readonly body: Uint8Array<ArrayBuffer>; readonly type: string; readonly immutable: boolean }
  >();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = `/${relative(root, path).split(sep).join("/")}`;
    const body = new Uint8Array(await readFile(path));
    files.set(name, {
      body,
      type: types[extname(name)] ?? "application/octet-stream",
      immutable: name.startsWith("/assets/"),
    });
  }
  return async (context, next) => {
    const { method, path } = context.req;
    const file =
      method === "GET" || method === "HEAD"
        ? files.get(path === "/" ? "/index.html" : path)
        : undefined;
    if (file === undefined) return next();
    const headers = {
      "Content-Type": file.type,
      "Content-Security-Policy": policy,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      "Cache-Control": file.immutable ? "public, max-age=31536000, immutable" : "no-cache",
    };
    return new Response(method === "HEAD" ? null : file.body, { headers });
  };
}
