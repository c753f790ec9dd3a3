import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { SignInAnswerBody } from "@capstan/contract";
import { connectionTexts as texts } from "../../texts/connections.ts";

/**
 * Listens on this machine for the browser that returns from a sign-in.
 *
 * @param port 0 chooses a free one
 */
export async function listenForAnswer(port: number) {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${bound}/callback`;
  return {
    url,
    /** Resolves with the first request that has the state of the sign-in. */
    answer(state: string): Promise<SignInAnswerBody> {
      return new Promise((resolve) => {
        server.on("request", (request, response) => {
          const answer = readAnswer(new URL(request.url ?? "/", url).href, state);
          response.writeHead(answer === undefined ? 404 : 200, {
            "Content-Type": "text/plain; charset=utf-8",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
            Connection: "close",
          });
          response.end(answer === undefined ? texts.strangeAnswer : texts.closeBrowser);
          if (answer !== undefined) resolve(answer);
        });
      });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the answer in an address, if it belongs to the sign-in with this state. */
export function readAnswer(address: string, state: string): SignInAnswerBody | undefined {
  const parameters = URL.parse(address)?.searchParams;
  if (parameters?.get("state") !== state) return undefined;
  const given = (name: string) => {
    const value = parameters.get(name);
    return value === null ? {} : { [name]: value };
  };
  return { state, ...given("code"), ...given("iss"), ...given("error") };
}
