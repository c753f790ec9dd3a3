import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { digest } from "@capstan/core/host";
import { NetworkError, rootCause } from "@capstan/sandbox";
import { type Era, failureText, type OpenClient, openClient } from "../client/open-client.ts";
import { type Connection, secretsOf, withoutSecrets } from "../definition/connection.ts";
import { ownUrls, privateHostsOf } from "../definition/private-hosts.ts";
import type { SessionHost } from "./session-host.ts";
import type { Transport } from "../libraries/mcp-client.ts";
import { needsSignIn } from "../credentials/credential-texts.ts";
import { authorizedFetch } from "../transport/authorized-fetch.ts";
import { ConnectionError } from "../transport/connection-error.ts";
import { guardedFetch } from "../transport/guarded-fetch.ts";
import { messageBudget } from "../transport/message-budget.ts";
import { parsedResults } from "../transport/parsed-results.ts";
import { type ProgramTransport, programTransport } from "../transport/program-transport.ts";
import { startProgram } from "../transport/start-program.ts";
import type { OpenSession } from "./owner-session.ts";

/** Time limit for the first answer of a server, in milliseconds. */
const connectMs = { program: 30_000, http: 10_000 } as const;

/**
 * Starts or reaches the server of a connection for one owner, and negotiates the protocol.
 *
 * @throws ConnectionError, with a message for the model and without secrets
 */
export async function openSession(
  connection: Connection,
  options: {
    readonly owner: string;
    readonly host: SessionHost;
    readonly era?: Era | undefined;
    readonly onListChanged: () => void;
    readonly onClose: () => void;
  },
): Promise<OpenSession> {
  const { owner, host, era, onListChanged, onClose } = options;
  const secrets = new Set(secretsOf(connection));
  const programs: ProgramTransport[] = [];
  const reading = { budget: messageBudget(), results: parsedResults() };
  let tooLarge: ConnectionError | undefined;
  let opened: OpenClient | undefined;
  const fetch =
    connection.type === "http"
      ? guardedFetch({
          name: connection.name,
          privateHosts: privateHostsOf(connection),
          ownHosts: ownUrls(connection).map((url) => url.host),
          messages: reading,
          ...(host.resolve && { resolve: host.resolve }),
          onTooLarge(error) {
            tooLarge = error;
            void opened?.client.close();
          },
        })
      : undefined;
  const library = await import("../libraries/mcp-client.ts");
  const { credentials } = host;
  const authorized =
    fetch === undefined || credentials === undefined || connection.type !== "http"
      ? fetch
      : authorizedFetch(fetch, {
          name: connection.name,
          url: new URL(connection.url),
          owner,
          source: credentials,
          onSecrets: (used) => {
            for (const secret of used) if (secret.length >= 8) secrets.add(secret);
          },
          onScope: (scope) => host.onScope?.(connection.name, owner, scope) ?? Promise.resolve(),
        });
  const transports = (): Transport => {
    if (connection.type === "http")
      return new library.StreamableHTTPClientTransport(new URL(connection.url), {
        requestInit: { headers: { ...connection.headers } },
        ...(authorized && { fetch: authorized }),
      });
    const home = join(host.homes, connection.name, digest(owner).slice(0, 16));
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const transport = programTransport(startProgram(connection, { home, host: host.programs }), {
      name: connection.name,
      budget: reading.budget,
      onStderr: (line) => host.log(`${connection.name}: ${withoutSecrets(line, [...secrets])}`),
    });
    programs.push(transport);
    return transport;
  };
  const close = async () => {
    await fetch?.close();
    await Promise.all(programs.map((program) => program.close()));
  };
  try {
    opened = await openClient(transports, {
      name: connection.name,
      kind: connection.type,
      version: host.version,
      era,
      timeoutMs: connectMs[connection.type],
      roots:
        connection.type === "program"
          ? [...new Set([...connection.write, ...connection.read])]
          : [],
      sampling: connection.sampling !== undefined && host.findModel !== undefined,
      onListChanged,
      onClose,
      failure: () => tooLarge ?? programs.at(-1)?.failure(),
      secrets,
      reading,
    });
    const { client } = opened;
    return {
      client: opened,
      async close() {
        await client.close().catch(() => {});
        await close();
      },
    };
  } catch (thrown) {
    await close();
    throw connectFailure(connection, thrown, {
      stderr: programs.at(-1)?.noise.stderr ?? "",
      failure: tooLarge ?? programs.at(-1)?.failure(),
      secrets: [...secrets],
    });
  }
}

function connectFailure(
  { name, ...connection }: Connection,
  thrown: unknown,
  found: {
    readonly stderr: string;
    readonly failure: ConnectionError | undefined;
    readonly secrets: readonly string[];
  },
): ConnectionError {
  const { stderr, failure, secrets } = found;
  if (failure !== undefined) return failure;
  if (thrown instanceof ConnectionError) return thrown;
  const cause = rootCause(thrown);
  if (cause instanceof ConnectionError) return cause;
  const status = (thrown as { readonly status?: unknown }).status;
  if (status === 401 || status === 403)
    return new ConnectionError({
      code: "sign_in_needed",
      message: needsSignIn(name),
    });
  const lastLines = stderr.trim().split("\n").slice(-5).join("\n").slice(-1_000);
  const reason =
    cause instanceof NetworkError
      ? cause.message
      : withoutSecrets(
          failureText(cause instanceof Error && cause !== thrown ? cause : thrown),
          secrets,
        );
  const outputText = lastLines === "" ? "" : ` It wrote: ${withoutSecrets(lastLines, secrets)}`;
  const hint =
    connection.type === "program" && connection.sandbox
      ? ' It runs in the sandbox: "read", "write" and "network" of the connection set what it can access.'
      : "";
  return new ConnectionError({
    code: "not_connected",
    message: `The server of ${name} cannot be ${connection.type === "program" ? "used" : "reached"}: ${reason.slice(0, 500)}.${outputText}${hint}`,
    retryable: true,
  });
}
