import { CapstanError } from "@capstan/core";

/**
 * Returns the base URL of an OpenAI-compatible API from a user's input, which may end in a slash,
 * `/v1` or `/chat/completions`. A URL without a path gets `/v1`.
 *
 * @param variable the environment variable of the URL, for the error message
 * @throws CapstanError `invalid_configuration` if it is not an http or https URL
 */
export function baseUrl(text: string, variable: string): string {
  const trimmed = text.trim();
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new CapstanError({
      code: "invalid_configuration",
      message: `${variable} is ${JSON.stringify(trimmed)}, which is not an http or https URL. Set it to a URL such as http://127.0.0.1:8000/v1.`,
    });
  }
  url.hash = "";
  url.pathname = url.pathname.replace(/\/(?:chat\/completions|responses)?\/?$/, "") || "/v1";
  return url.href.replace(/\/$/, "");
}

/**
 * Returns the URL of Ollama from the value of `OLLAMA_HOST`, which may be a host, a port, both or a
 * URL. The default is 127.0.0.1:11434. For an address that means every interface, it returns the
 * loopback address.
 *
 * @example ollamaUrl("0.0.0.0:12000") // "http://127.0.0.1:12000"
 */
export function ollamaUrl(host: string | undefined): string {
  const text = host?.trim() ?? "";
  const match = /^(?:(https?):\/\/)?(\[[^\]]*\]|[^:/]*)(?::(\d+))?/.exec(text);
  const [, scheme, name = "", port] = match ?? [];
  const shownName = name === "" || name === "0.0.0.0" || name === "[::]" ? "127.0.0.1" : name;
  const standardPort = scheme === undefined ? "11434" : scheme === "https" ? "443" : "80";
  return `${scheme ?? "http"}://${shownName}:${port ?? standardPort}`;
}
