import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { echoTool, type Message } from "./fake-server.ts";

/** A request that a server received. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly authorization: string | undefined;
}

/** An MCP server that accepts only access tokens of its authorization server. */
export interface OAuthServers extends AsyncDisposable {
  /** The address of the MCP server. */
  readonly url: string;
  readonly issuer: string;
  readonly provider: Provider;
  readonly seen: Seen[];
  /** Requests to the token endpoint with a grant. */
  readonly grants: (type: string) => readonly Seen[];
  /** Answers a request of the authorization server or the metadata instead of the servers. */
  answer?: (path: string, response: ServerResponse) => boolean;
  /** The scope without which the MCP server answers 403. */
  demandedScope?: string;
}

/** Starts an MCP server and an authorization server at one address. */
export async function startOAuthServers(): Promise<OAuthServers> {
  const seen: Seen[] = [];
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = createProvider(issuer);
  const handle = provider.callback();
  const servers: OAuthServers = {
    url: `${issuer}/mcp`,
    issuer,
    provider,
    seen,
    grants: (type) =>
      seen.filter(({ path, body }) => {
        const form = new URLSearchParams(body);
        return path === "/token" && form.get("grant_type") === type;
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on("request", (request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    if (servers.answer?.(path, response) === true) return;
    void bodyOf(request).then(async (body) => {
      const { authorization } = request.headers;
      seen.push({ method: request.method ?? "", path, body: body.toString(), authorization });
      if (path === "/.well-known/oauth-protected-resource/mcp")
        return json(response, 200, {
          resource: servers.url,
          authorization_servers: [issuer],
          scopes_supported: ["mcp"],
        });
      if (path === "/mcp") return serveMcp(servers, request, response, body);
      // The provider reads the body that has been received.
      return handle(Object.assign(request, { body: formOf(request, body) }), response);
    });
  });
  return servers;
}

function formOf(request: IncomingMessage, body: Buffer): unknown {
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("application/json")) return JSON.parse(body.toString() || "{}");
  return Object.fromEntries(new URLSearchParams(body.toString()));
}

async function serveMcp(
  { provider, issuer, url, demandedScope }: OAuthServers,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): Promise<void> {
  if (request.method !== "POST") return json(response, 405, {});
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  const found =
    token === undefined
      ? undefined
      : ((await provider.AccessToken.find(token)) ??
        (await provider.ClientCredentials.find(token)));
  const metadata = `resource_metadata="${issuer}/.well-known/oauth-protected-resource/mcp"`;
  if (found === undefined || found.isExpired || ![found.aud].flat().includes(url)) {
    response.setHeader("www-authenticate", `Bearer ${metadata}, scope="mcp"`);
    return json(response, 401, { error: "invalid_token" });
  }
  const message = JSON.parse(body.toString()) as Message;
  const { id, method, params } = message;
  if (id === undefined) return void response.writeHead(202).end();
  if (method === "server/discover") return void response.writeHead(400).end();
  if (method === "tools/call" && demandedScope !== undefined) {
    if (!(found.scope ?? "").split(" ").includes(demandedScope)) {
      response.setHeader(
        "www-authenticate",
        `Bearer error="insufficient_scope", scope="${demandedScope}", ${metadata}`,
      );
      return json(response, 403, { error: "insufficient_scope" });
    }
  }
  const result =
    method === "initialize"
      ? {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "fake", version: "1" },
        }
      : method === "tools/list"
        ? { tools: [echoTool] }
        : {
            content: [
              {
                type: "text",
                text: `${found.accountId ?? "client"} says ${JSON.stringify(params?.["arguments"])} with ${token}`,
              },
            ],
          };
  return json(response, 200, { jsonrpc: "2.0", id, result });
}

function createProvider(issuer: string): Provider {
  return new Provider(issuer, {
    features: {
      registration: { enabled: true },
      deviceFlow: { enabled: true },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => `${issuer}/mcp`,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          scope: "mcp admin",
          audience: resource,
          accessTokenFormat: "opaque",
          accessTokenTTL: 3_600,
        }),
      },
    },
    scopes: ["openid", "offline_access", "mcp", "admin"],
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    clients: [
      {
        client_id: "machine",
        client_secret: "canary-machine-secret",
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      },
    ],
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => Promise.resolve({ sub: id }),
    }),
  });
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** A browser with cookies: opens an address, signs in as a user, and allows everything. */
export async function signInAs(user: string, start: string, form?: object): Promise<URL> {
  const cookies = new Map<string, string>();
  const open = async (url: URL, body?: URLSearchParams) => {
    const response = await fetch(url, {
      method: body === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") },
      ...(body && { body }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
  let url = new URL(start);
  let body: URLSearchParams | undefined =
    form === undefined ? undefined : new URLSearchParams(form as Record<string, string>);
  for (let step = 0; step < 20; step++) {
    const response = await open(url, body);
    body = undefined;
    const location = response.headers.get("location");
    if (location !== null) {
      url = new URL(location, url);
      if (url.searchParams.has("state") && url.pathname !== "/auth") return url;
      continue;
    }
    const page = await response.text();
    if (response.status >= 400) throw new Error(`${response.status} at ${url.href}: ${page}`);
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
    if (action === undefined) return url;
    const fields = [
      ...page.matchAll(/<input[^>]* name="([^"]+)"[^>]*?(?: value="([^"]*)")?[^>]*>/g),
    ];
    body = new URLSearchParams(fields.map(([, name = "", value = ""]) => [name, value]));
    if (body.has("login")) {
      body.set("login", user);
      body.set("password", "any");
    }
    url = new URL(action, url);
  }
  throw new Error(`The sign-in does not end: ${url.href}`);
}
