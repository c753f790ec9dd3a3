import type { ToolContext } from "@capstan/core";
import { isSameSite, NetworkError } from "@capstan/sandbox";
import { formatBytes } from "../text/format-bytes.ts";
import { replyFailure } from "./reply-failure.ts";
import { readBytes, type SendRequest } from "./service-client.ts";

const mostRedirects = 5;

/** A file to download. */
export interface DownloadOptions {
  /** The name of the host in messages to the model. */
  readonly service: string;
  readonly maxBytes: number;
  /**
   * Whether redirects may lead to another site. If a model chose the address, the user approved
   * only its site. @default false
   */
  readonly mayLeaveSite?: boolean;
  readonly context: Pick<ToolContext, "signal" | "denied">;
}

/**
 * Downloads a file, and follows its redirects. The client checks each address.
 *
 * @throws NetworkError
 */
export async function download(
  send: SendRequest,
  start: URL,
  { service, maxBytes, mayLeaveSite = false, context }: DownloadOptions,
): Promise<Uint8Array> {
  let url = start;
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const reply = await send({ url, service, headers: { accept: "*/*" }, context });
    if (reply.status < 300 || reply.status > 399) {
      const body = await readBytes(reply);
      if (reply.status > 399) throw replyFailure(reply, service, "");
      if (body.length > maxBytes)
        throw failure(
          "too_large",
          `${url.href.slice(0, 200)} has ${formatBytes(body.length)}. The limit is ${formatBytes(maxBytes)}.`,
        );
      return body;
    }
    await readBytes(reply);
    const next = URL.parse(reply.header("location") ?? "", url);
    if (next === null || !/^https?:$/.test(next.protocol))
      throw failure("rejected", `${service} redirects to an invalid address.`);
    if (!mayLeaveSite && !isSameSite(url, next))
      throw failure(
        "redirects_elsewhere",
        `${url.href.slice(0, 200)} redirects to another site: ${next.href.slice(0, 500)} Name that address instead.`,
      );
    url = next;
  }
  throw failure("rejected", `${service} redirects more than ${mostRedirects} times.`);
}

function failure(code: string, message: string): NetworkError {
  return new NetworkError({ code, message });
}
