import { statSync } from "node:fs";
import { extname, join } from "node:path";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";
import { etag } from "hono/etag";

/** The page loads nothing from elsewhere, and nobody frames it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves a built page, compressed as its build wrote it. While its folder is not there, whoever asks is told to wait. */
export function servePage(root: string): Hono {
  const page = new Hono();
  page.get(
    "*",
    etag(),
    (context, next) =>
      // They are sent in the place of the file that they compress.
      /\.(?:br|gz)$/.test(context.req.path) ? context.notFound() : next(),
    serveStatic({
      rewriteRequestPath: (path) => join(root, path),
      precompressed: true,
      onFound(path, context) {
        const { size, mtimeMs } = statSync(path);
        // Each form has its own bytes, so its own tag.
        context.header("ETag", `"${mtimeMs.toString(36)}-${size.toString(36)}${extname(path)}"`);
        context.header("Content-Security-Policy", policy);
        context.header("X-Content-Type-Options", "nosniff");
        context.header("Referrer-Policy", "no-referrer");
        context.header("Vary", "Accept-Encoding");
        const isHashed = context.req.path.startsWith("/assets/");
        const caching = isHashed ? "public, max-age=31536000, immutable" : "no-cache";
        context.header("Cache-Control", caching);
      },
    }),
  );
  page.get("/", (context) => {
    context.header("Refresh", "1");
    context.header("Retry-After", "1");
    return context.text(
      "The page is not built yet. This asks again by itself; the API at /v1 works.",
      503,
    );
  });
  return page;
}
