import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import type { MiddlewareHandler } from "hono";
import { acceptedEncoding, type ContentEncoding } from "./http/compress.ts";

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

/** The built page, held in memory: no request reaches the disk, so no path can leave the folder. */
export interface Page {
  readonly serve: MiddlewareHandler;
  /** Reads the folder again: it was built anew. */
  readonly reload: () => Promise<void>;
}

interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly immutable: boolean;
  readonly tag: string;
  /** The same file compressed, as the build wrote it. */
  readonly compressed: ReadonlyMap<ContentEncoding, Uint8Array<ArrayBuffer>>;
}

/** Reads a built page. While its folder is not there, whoever asks is told to wait. */
export async function loadPage(root: string): Promise<Page> {
  let files = await readFiles(root);
  return {
    async reload() {
      files = await readFiles(root);
    },
    async serve(context, next) {
      const { method, path } = context.req;
      if (method !== "GET" && method !== "HEAD") return next();
      const isPage = path === "/";
      const file = files.get(isPage ? "/index.html" : path);
      if (file === undefined) return isPage && files.size === 0 ? beingBuilt() : next();
      const { compressed } = file;
      const accepted = context.req.header("accept-encoding");
      const encoding = acceptedEncoding(accepted, [...compressed.keys()]);
      const body = (encoding && compressed.get(encoding)) ?? file.body;
      // Each form has its own bytes, so its own tag.
      const tag = `"${file.tag}${encoding === undefined ? "" : `-${encoding}`}"`;
      const headers = {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": file.immutable ? "public, max-age=31536000, immutable" : "no-cache",
        ETag: tag,
        ...(compressed.size > 0 && { Vary: "Accept-Encoding" }),
      };
      if (isNamed(context.req.header("if-none-match"), tag))
        return new Response(null, { status: 304, headers });
      return new Response(method === "HEAD" ? null : body, {
        headers: {
          ...headers,
          "Content-Type": file.type,
          "Content-Length": String(body.length),
          ...(encoding !== undefined && { "Content-Encoding": encoding }),
        },
      });
    },
  };
}

/** Whether a client has the file with this tag already. */
function isNamed(ifNoneMatch: string | undefined, tag: string): boolean {
  const named = (ifNoneMatch ?? "").split(",").map((one) => one.trim().replace(/^W\//, ""));
  return named.includes(tag) || named.includes("*");
}

async function readFiles(root: string): Promise<ReadonlyMap<string, PageFile>> {
  const contents = new Map<string, Uint8Array<ArrayBuffer>>();
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(
    (thrown: NodeJS.ErrnoException) => {
      if (thrown.code === "ENOENT") return [];
      throw thrown;
    },
  );
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = `/${relative(root, path).split(sep).join("/")}`;
    contents.set(name, new Uint8Array(await readFile(path)));
  }
  const files = new Map<string, PageFile>();
  for (const [name, body] of contents) {
    if (contents.has(name.replace(/\.(?:br|gz)$/, "")) && /\.(?:br|gz)$/.test(name)) continue;
    const [br, gzip] = [contents.get(`${name}.br`), contents.get(`${name}.gz`)];
    files.set(name, {
      body,
      type: types[extname(name)] ?? "application/octet-stream",
      immutable: name.startsWith("/assets/"),
      tag: createHash("sha256").update(body).digest("base64url").slice(0, 16),
      compressed: new Map([
        ...(br === undefined ? [] : [["br", br] as const]),
        ...(gzip === undefined ? [] : [["gzip", gzip] as const]),
      ]),
    });
  }
  return files;
}

function beingBuilt(): Response {
  const text = "The page is not built yet. This asks again by itself; the API at /v1 works.";
  return new Response(text, {
    status: 503,
    headers: { "Content-Type": "text/plain; charset=utf-8", Refresh: "1", "Retry-After": "1" },
  });
}
