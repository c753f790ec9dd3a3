import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { fakeHandlers, Panic } from "./fake-handlers.ts";
import { FakeIndex } from "./fake-index.ts";
import { FakeNotes, KernelFault } from "./fake-notes.ts";

/** The behaviour of the fake kernel, which tests can change. */
export interface FakeMode {
  token: string;
  /** `publish`: the publishing service, which answers 403 to requests of administrators. */
  access: "admin" | "read-only" | "publish";
  indexing: boolean;
  /** Whether the kernel ignores the `readonly` mode of SQL, as older versions do. */
  ignoresSqlMode: boolean;
  /** Overrides the reply to a path. Returns `undefined` for the usual reply. */
  answer:
    | ((
        path: string,
        body: { readonly [key: string]: unknown },
      ) => { status?: number; text: string } | undefined)
    | undefined;
}

/** One request that the kernel received. */
export interface FakeRequest {
  readonly path: string;
  readonly body: { readonly [key: string]: unknown };
}

/** A SiYuan kernel for tests, on a port of this machine. */
export interface FakeKernel extends AsyncDisposable {
  readonly url: string;
  readonly notes: FakeNotes;
  readonly index: FakeIndex;
  readonly mode: FakeMode;
  readonly requests: FakeRequest[];
}

const writes =
  /^\/api\/(block\/(insert|append|prepend|update|delete|move)|attr\/set|filetree\/create)/;
const adminOnly =
  /^\/api\/(query\/sql|block\/getChildBlocks|block\/(insert|append|prepend|update|delete)|filetree\/create)/;

/** Starts a fake kernel. */
export async function startFakeKernel(): Promise<FakeKernel> {
  const notes = new FakeNotes();
  const index = new FakeIndex(notes);
  const mode: FakeMode = {
    token: "kernel-token-1234",
    access: "admin",
    indexing: false,
    ignoresSqlMode: false,
    answer: undefined,
  };
  const handlers = fakeHandlers(notes, index);
  const requests: FakeRequest[] = [];

  function reply(
    path: string,
    body: FakeRequest["body"],
    authorization: string | undefined,
  ): { status?: number; text: string } {
    const data = (code: number, msg: string, value: unknown) => ({
      text: JSON.stringify({ code, msg, data: value }),
    });
    if (authorization !== `Token ${mode.token}`)
      return { status: 401, text: '{"code":-1,"msg":"Auth failed [header: Authorization]"}' };
    const other = mode.answer?.(path, body);
    if (other !== undefined) return other;
    if (mode.access === "publish" && adminOnly.test(path)) return { status: 403, text: "" };
    if (mode.access === "read-only" && writes.test(path))
      return data(-1, "This operation is not supported in read-only mode", { closeTimeout: 5000 });
    if (mode.indexing && path === "/api/block/getBlockInfo")
      return data(3, "Data indexing is in progress...", null);
    const handler = handlers[path];
    if (handler === undefined) return { status: 404, text: "404 page not found" };
    try {
      const given = mode.ignoresSqlMode ? { ...body, mode: "" } : body;
      return data(0, "", handler(given));
    } catch (error) {
      if (error instanceof Panic) return data(0, "", null);
      if (error instanceof KernelFault) return data(error.code, error.message, null);
      throw error;
    }
  }

  const server = createServer((request, response) => {
    void (async () => {
      const body = await readJson(request);
      const path = request.url ?? "";
      requests.push({ path, body });
      const { status = 200, text } = reply(path, body, request.headers.authorization);
      response.writeHead(status, { "content-type": "application/json" }).end(text);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    notes,
    index,
    mode,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      index.close();
    },
  };
}

async function readJson(request: IncomingMessage): Promise<FakeRequest["body"]> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString("utf8") || "{}") as FakeRequest["body"];
}
