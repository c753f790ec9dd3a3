import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isToolError, type Tool, type ToolGroup } from "@capstan/core";
import { call, fakeContext, toolOf } from "@capstan/core/testing";
import type { ResolvedAddress, ResolveHost } from "@capstan/sandbox";
import { openForwardProxy } from "@capstan/sandbox/testing";
import { webTools } from "@capstan/toolkit";
import type { Random } from "../../breaking/random.ts";
import { otherSpelling, privateHost, urlOf } from "../addresses.ts";
import type { Attack, Report } from "../attack.ts";

const eachRound = 500;
const deniedHost = "denied.example";

/** Error codes of the page tool that mean a connection was tried. */
const connected = new Set([
  "unreachable",
  "timed_out",
  "bad_certificate",
  "unsupported_type",
  "not_html",
]);

/**
 * Passes addresses of this machine and of private networks, in every notation, to the web tools:
 * directly, behind redirects, and as the addresses of a host name. The sandbox's proxy gets them
 * too. A service on this machine counts its connections.
 */
export const ssrf: Attack = {
  name: "ssrf",
  title: "addresses of private networks in many notations, behind redirects and host names",
  on: ["SQLite"],
  minutes: 1,
  async run({ random, report, goesOn }) {
    await using resources = new AsyncDisposableStack();
    const reached: string[] = [];
    const inside = await listen(resources, (request, response) => {
      reached.push(`${request.method} ${request.headers.host}${request.url}`);
      response.end("inside");
    });
    const door = await listen(resources, (request, response) => {
      const to = new URL(request.url ?? "", "http://door").searchParams.get("to") ?? "";
      response.writeHead(302, { location: headerValue(to) }).end();
    });
    const options = { allowPrivateHosts: [`127.0.0.1:${door}`], timeoutMs: 5_000 };
    const resolve = resolver(random);
    const web = webTools({ ...options, resolve });
    const allowed = [deniedHost, `${deniedHost}.`].map((host) => `${host}:${inside}`);
    const local: ResolveHost = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
    const withRule = webTools({ allowPrivateHosts: allowed, resolve: local });
    const folder = await mkdtemp(join(tmpdir(), "capstan-ssrf-"));
    resources.defer(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "proxy");
    const proxy = openForwardProxy({ path, access: true, resolve, connectTimeoutMs: 2_000 });
    resources.defer(() => proxy.close());

    const ways: { readonly [way: string]: () => Promise<void> } = {
      async fetch() {
        const url = urlOf(random, privateHost(random), inside);
        await fetchPage(report, random.pick(readers(web)), url);
      },
      async redirect() {
        const to = urlOf(random, privateHost(random), inside);
        await fetchPage(
          report,
          random.pick(readers(web)),
          `http://127.0.0.1:${door}/?to=${encodeURIComponent(to)}`,
        );
      },
      async denied() {
        const url = urlOf(random, otherSpelling(random, deniedHost), inside);
        await fetchPage(report, random.pick(readers(withRule)), url, [{ host: deniedHost }]);
      },
      async proxy() {
        const url = urlOf(random, privateHost(random), inside).replaceAll(/[\s]/g, "");
        await ask(report, path, `GET ${url} HTTP/1.1\r\nHost: public.example`);
      },
      async tunnel() {
        await ask(report, path, `CONNECT ${privateHost(random)}:${inside} HTTP/1.1`);
      },
    };
    do {
      for (let n = 0; n < eachRound; n++) {
        const way = random.pick(Object.keys(ways));
        await ways[way]?.();
        report.count(`by ${way}`);
        for (const request of reached.splice(0)) report.problem(`${way} reached ${request}`);
      }
    } while (goesOn());
  },
};

/** Returns a text's bytes in the form that a header allows. */
function headerValue(text: string): string {
  return Buffer.from(text.replaceAll(/\s/g, "")).toString("latin1");
}

/**
 * Resolves each name to no address, to a private one, or to a private one next to a public one. The
 * answers differ between lookups, so a name may have a private address only at the second one.
 */
function resolver(random: Random): ResolveHost {
  const local: ResolvedAddress = { address: "127.0.0.1", family: 4 };
  const open: ResolvedAddress = { address: "93.184.215.14", family: 4 };
  const mapped: ResolvedAddress = { address: "::ffff:127.0.0.1", family: 6 };
  const zoned: ResolvedAddress = { address: "fe80::1%lo", family: 6 };
  return () =>
    Promise.resolve(random.pick([[], [local], [open, local], [mapped], [zoned], [open, mapped]]));
}

/** A tool that reads an address, and its other arguments. */
interface Reader {
  readonly tool: Tool;
  readonly args: object;
}

function readers(group: ToolGroup): readonly Reader[] {
  return [
    { tool: toolOf(group, "FetchWebPage"), args: {} },
    { tool: toolOf(group, "SearchInWebPage"), args: { keywords: ["a"] } },
    { tool: toolOf(group, "ExtractHTML"), args: { selector: "p" } },
    { tool: toolOf(group, "InspectDOMStructure"), args: {} },
    { tool: toolOf(group, "CrawlPages"), args: {} },
  ];
}

async function fetchPage(
  report: Report,
  { tool, args }: Reader,
  url: string,
  hosts: readonly { readonly host: string }[] = [],
): Promise<void> {
  const result = await call(tool, { url, ...args }, fakeContext({ denied: { hosts } }));
  const shown = JSON.stringify({ url, result }).slice(0, 500);
  if (!isToolError(result)) report.problem(`was read: ${shown}`);
  else if (connected.has(result.code)) report.problem(`was connected to: ${shown}`);
}

/** Sends a request to the proxy, which must refuse it before it connects. */
async function ask(report: Report, path: string, head: string): Promise<void> {
  let said = "";
  const socket = connect(path, () => socket.write(`${head}\r\n\r\n`));
  socket.setEncoding("utf8").on("data", (text: string) => (said += text));
  socket.setTimeout(10_000, () => socket.destroy()).on("error", () => {});
  await once(socket, "close");
  if (!/^HTTP\/1\.1 (?:4\d\d|502 There is no host) /.test(said))
    report.problem(`${head}: ${said.slice(0, 300)}`);
}

/** Listens on all addresses of this machine, and returns the port. */
async function listen(resources: AsyncDisposableStack, listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0);
  await once(server, "listening");
  resources.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
