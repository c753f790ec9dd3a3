import { deniesUrl, errorMessage } from "@capstan/core/host";
import type { DeniedResources } from "@capstan/core";
import { checkedAgent, resolveBySystem, rootCause } from "@capstan/sandbox";
import type { z } from "zod";
import { kernelFailure, statusFailure } from "./kernel-failure.ts";
import { KernelError } from "./kernel-error.ts";

/** The kernel that the tools use. */
export interface KernelOptions {
  /** @example "http://127.0.0.1:6806" */
  readonly url: string;
  /** The API token: Settings, About. Never shown. @default no token */
  readonly token?: string;
  /** The time limit for one request, in milliseconds. @default 30000 */
  readonly timeoutMs?: number;
}

/** The context of the call that sends requests to the kernel. */
export interface KernelContext {
  readonly signal: AbortSignal;
  readonly denied: () => Pick<DeniedResources, "hosts">;
}

/**
 * Sends a request, and returns its data in the expected form. The kernel answers "success" without
 * data to some requests that failed, so the form is always checked.
 *
 * @throws KernelError
 */
export type AskKernel = <S extends z.ZodType>(
  path: string,
  body: object,
  schema: S,
) => Promise<z.infer<S>>;

/** Returns a function that sends requests to the kernel for one call. */
export type Kernel = (context: KernelContext) => AskKernel;

const mostBytes = 32 * 1024 * 1024;

/** Connects to the kernel of the configuration, which may be on a private host. */
export function openKernel({ url, token, timeoutMs = 30_000 }: KernelOptions): Kernel {
  let agent: ReturnType<typeof checkedAgent> | undefined;
  return ({ signal, denied }) =>
    async (path, body, schema) => {
      const address = new URL(`${url.replace(/\/+$/, "")}/${path.replace(/^\//, "")}`);
      if (deniesUrl(denied(), address))
        throw new KernelError({
          code: "denied_host",
          message: `A rule denies the host ${address.host}.`,
        });
      signal.throwIfAborted();
      const deadline = AbortSignal.timeout(timeoutMs);
      const secret = token ?? "";
      try {
        agent ??= checkedAgent({
          resolve: resolveBySystem,
          publicOnly: false,
          connectTimeoutMs: Math.min(timeoutMs, 10_000),
        });
        const dispatcher = await agent;
        const { fetch } = await import("undici");
        const response = await fetch(address, {
          method: "POST",
          dispatcher,
          redirect: "manual",
          signal: AbortSignal.any([signal, deadline]),
          headers: {
            "content-type": "application/json",
            ...(secret !== "" && { authorization: `Token ${secret}` }),
          },
          body: JSON.stringify(body),
        });
        const text = await readBody(response.body, path);
        if (response.status !== 200) throw statusFailure(response.status, text, secret);
        return readReply(text, path, schema, secret);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof KernelError) throw error;
        throw unreachable(address, error, deadline.aborted ? timeoutMs : undefined);
      }
    };
}

async function readBody(body: AsyncIterable<unknown> | null, path: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    size += (piece as Uint8Array).length;
    if (size > mostBytes)
      throw new KernelError({
        code: "too_large",
        message: `The answer of ${path} is larger than 32 MiB. Ask for less.`,
      });
    pieces.push(piece as Uint8Array);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function readReply<S extends z.ZodType>(
  text: string,
  path: string,
  schema: S,
  secret: string,
): z.infer<S> {
  let reply: unknown;
  try {
    reply = JSON.parse(text);
  } catch {
    throw unexpected(path, "no JSON");
  }
  if (typeof reply !== "object" || reply === null || !("code" in reply))
    throw unexpected(path, "no code");
  const { code, msg, data } = reply as { code: unknown; msg?: unknown; data?: unknown };
  if (code !== 0) throw kernelFailure(code, typeof msg === "string" ? msg : "", secret);
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  throw unexpected(path, data === null || data === undefined ? "no data" : "other data");
}

/** A "success" without the expected data means that the request failed inside the kernel. */
function unexpected(path: string, what: string): KernelError {
  return new KernelError({
    code: "unexpected_reply",
    message: `SiYuan responded to ${path} with ${what}, so the request probably failed. Check the ids, and whether the configured address is a SiYuan kernel of version 3.`,
  });
}

function unreachable(address: URL, error: unknown, timeout: number | undefined): KernelError {
  if (timeout !== undefined)
    return new KernelError({
      code: "timed_out",
      message: `SiYuan did not answer within ${timeout / 1000} seconds. If the request was a change, it may have been made: read the blocks before you repeat it.`,
    });
  return new KernelError({
    code: "unreachable",
    message: `SiYuan at ${address.host} could not be reached: ${errorMessage(rootCause(error))}. Tell the user to start SiYuan, or to check siyuan.url in the configuration.`,
  });
}
