import { setImmediate as nextTurn } from "node:timers/promises";
import { type ToolContext, type ToolError, toolError } from "@capstan/core";
import { deniesUrl } from "@capstan/core/host";
import { NetworkError, rootCause } from "@capstan/sandbox";
import { failureText, type OpenClient } from "../client/open-client.ts";
import type { RunningCall } from "../client/running-calls.ts";
import { type Connection, secretsOf, withoutSecrets } from "../definition/connection.ts";
import { needsSignIn } from "../credentials/credential-texts.ts";
import { rawResult } from "../transport/tolerant-transport.ts";
import { ConnectionError, unsentCodes } from "../transport/connection-error.ts";

/** A request that a call sends to the server. */
export type ServerRequest =
  | { readonly method: "tools/call"; readonly params: { readonly name: string } & Params }
  | { readonly method: "resources/read"; readonly params: { readonly uri: string } & Params }
  | { readonly method: "prompts/get"; readonly params: { readonly name: string } & Params };

/** The library's union of requests. The library derives the result from the method. */
type SdkRequest = { readonly method: "tools/call"; readonly params: { readonly name: string } };

type Params = { readonly [key: string]: unknown };

/** Milliseconds between two reports of progress. */
const progressMs = 100;

/**
 * Sends a request of a call, and returns the server's result unchecked. Progress is reported, the
 * server's questions reach a user, and the call ends if the server stays silent for too long.
 *
 * @returns an error for the model if there is no result
 */
export async function callServer(
  connection: Connection,
  request: ServerRequest,
  options: {
    readonly context: ToolContext;
    readonly group: string;
    /** Whether the same call can be repeated without harm. */
    readonly mayRepeat: boolean;
    readonly use: <T>(signal: AbortSignal, work: (client: OpenClient) => Promise<T>) => Promise<T>;
  },
): Promise<{ readonly [key: string]: unknown } | ToolError> {
  const { context, use, mayRepeat } = options;
  const { name, idleSeconds = 60 } = connection;
  if (connection.type === "http" && deniesUrl(context.denied(), new URL(connection.url)))
    return toolError({
      code: "denied_host",
      message: `A rule denies the host ${new URL(connection.url).host}, which ${name} needs.`,
    });
  let isSent = false;
  let used: OpenClient | undefined;
  const silence = new AbortController();
  const send = (opened: OpenClient) => {
    used = opened;
    const { client, calls } = opened;
    let timer: NodeJS.Timeout | undefined;
    let isWaiting = false;
    const onActivity = () => {
      clearTimeout(timer);
      if (!isWaiting) timer = setTimeout(() => silence.abort(), idleSeconds * 1_000);
    };
    const call: RunningCall = {
      group: options.group,
      context: {
        ...context,
        // The server may be silent while a user answers its question.
        async callTool(...given) {
          isWaiting = true;
          clearTimeout(timer);
          try {
            return await context.callTool(...given);
          } finally {
            isWaiting = false;
            onActivity();
          }
        },
      },
      onActivity,
      questions: 0,
      logs: 0,
    };
    let reportedAt = 0;
    calls.add(call);
    onActivity();
    isSent = true;
    const params = {
      ...request.params,
      _meta: { "capstan/idempotencyKey": context.idempotencyKey },
    };
    return client
      .request({ method: request.method, params } as SdkRequest, {
        signal: AbortSignal.any([context.signal, silence.signal]),
        // The gate and `silence` limit the duration of calls.
        timeout: 2 ** 31 - 1,
        onprogress({ progress, total, message }) {
          onActivity();
          if (performance.now() - reportedAt < progressMs) return;
          reportedAt = performance.now();
          context.output.progress({
            ...(Number.isFinite(progress) && { done: progress }),
            ...(total !== undefined && Number.isFinite(total) && { total }),
            ...(message !== undefined && { message: message.slice(0, 500) }),
          });
        },
      })
      .finally(() => {
        clearTimeout(timer);
        calls.delete(call);
      });
  };
  const attempt = () => use(context.signal, send);
  try {
    const result = rawResult(
      await attempt().catch((thrown: unknown) => {
        // The server no longer knows the session, so it did not carry out the request. Open a new
        // one.
        if (statusOf(thrown) !== 404 || context.signal.aborted) throw thrown;
        return attempt();
      }),
    );
    // A long result takes time in each of the next steps.
    await nextTurn();
    const clean = withoutSecretsIn(result, [...(used?.secrets ?? [])]);
    await nextTurn();
    return clean;
  } catch (thrown) {
    context.signal.throwIfAborted();
    if (silence.signal.aborted)
      return toolError({
        code: "outcome_unknown",
        message: `The server of ${name} sent nothing for ${idleSeconds} seconds, and the call was cancelled. It may have acted: check before you call it again.`,
        retryable: mayRepeat,
      });
    const failure = used?.failure() ?? thrown;
    const secrets = [...(used?.secrets ?? secretsOf(connection))];
    return failureOf(connection, failure, { isSent, mayRepeat, secrets });
  }
}

function failureOf(
  connection: Connection,
  thrown: unknown,
  found: {
    readonly isSent: boolean;
    readonly mayRepeat: boolean;
    readonly secrets: readonly string[];
  },
): ToolError {
  const { name } = connection;
  const { isSent, mayRepeat, secrets } = found;
  const cause = rootCause(thrown);
  const own = [thrown, cause].find((one) => one instanceof ConnectionError);
  if (own !== undefined) return toolError(own.data);
  if (cause instanceof NetworkError) return toolError(cause.data);
  const text = withoutSecrets(failureText(thrown), secrets).slice(0, 2_000);
  const status = statusOf(thrown);
  if (status === 401 || status === 403)
    return toolError({
      code: "sign_in_needed",
      message: needsSignIn(name),
    });
  if (status === 429)
    return toolError({
      code: "rate_limited",
      message: `The server of ${name} received too many requests. Try again later.`,
      retryable: true,
    });
  if (status !== undefined && status >= 400 && status < 500)
    return toolError({
      code: "rejected",
      message: `The server of ${name} rejects the request (${status}): ${text}`,
    });
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  if (!isSent || (typeof code === "string" && unsentCodes.has(code)))
    return toolError({
      code: "not_connected",
      message: `The server of ${name} cannot be reached: ${text}. The call was not sent.`,
      retryable: true,
    });
  // A JSON-RPC error is the server's answer.
  if (typeof (thrown as { readonly code?: unknown }).code === "number")
    return toolError({
      code: "rejected",
      message: `The server of ${name} rejects the request: ${text}`,
    });
  return toolError({
    code: "outcome_unknown",
    message: `The connection to ${name} ended before its response: ${text}. The call may have been carried out: check before you call it again.`,
    retryable: mayRepeat,
  });
}

/** Replaces secrets in all texts of a result: a server can return what it received. */
function withoutSecretsIn(
  result: { readonly [key: string]: unknown },
  secrets: readonly string[],
): { readonly [key: string]: unknown } {
  if (secrets.length === 0) return result;
  const text = JSON.stringify(result);
  const shown = withoutSecrets(text, secrets);
  return shown === text ? result : (JSON.parse(shown) as { readonly [key: string]: unknown });
}

function statusOf(thrown: unknown): number | undefined {
  const status = (thrown as { readonly status?: unknown } | null)?.status;
  return typeof status === "number" ? status : undefined;
}
