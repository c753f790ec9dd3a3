import { statSync } from "node:fs";
import { extname, join } from "node:path";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";
import { etag } from "hono/etag";

/** The page loads nothing from other origins, and no page can frame it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface PageEnvironment {
  readonly Variables: { file?: string };
}

/**
 * Serves a built page, in the compressed form that its build wrote. If its folder does not exist
 * yet, the response is a page that reloads itself.
 */
export function servePage(root: string): Hono<PageEnvironment> {
  const page = new Hono<PageEnvironment>();
  page.get(
    "*",
    etag(),
    async (context, next) => {
      // Compressed files are sent only in place of their original.
      if (/\.(?:br|gz)$/.test(context.req.path)) return context.notFound();
      await next();
      // Headers are set here, because a header that `onFound` sets is not in the response.
      const file = context.get("file");
      if (file === undefined) return undefined;
      for (const [name, value] of headersOf(file, context.req.path)) context.header(name, value);
      return undefined;
    },
    serveStatic<PageEnvironment>({
      rewriteRequestPath: (path) => join(root, path),
      precompressed: true,
      onFound: (path, context) => context.set("file", path),
    }),
  );
  page.get("/", (context) => {
    context.header("Refresh", "1");
    context.header("Retry-After", "1");
    return context.text(
      "The page is not built yet. This page reloads itself; the API at /v1 works.",
      503,
    );
  });
  return page;
}

function headersOf(file: string, path: string): readonly (readonly [string, string])[] {
  const { size, mtimeMs } = statSync(file);
  const isHashed = path.startsWith("/assets/");
  return [
    // The forms have different bytes, so each has its own tag.
    ["ETag", `"${mtimeMs.toString(36)}-${size.toString(36)}${extname(file)}"`],
    ["Content-Security-Policy", policy],
    ["X-Content-Type-Options", "nosniff"],
    ["Referrer-Policy", "no-referrer"],
    ["Vary", "Accept-Encoding"],
    ["Cache-Control", isHashed ? "public, max-age=31536000, immutable" : "no-cache"],
  ];
}
