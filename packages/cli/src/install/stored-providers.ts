import { join } from "node:path";
import type { ProviderBody, ProviderSettings, ProviderView } from "@capstan/contract";
import { CapstanError } from "@capstan/core";
import { knownProvider, providerIds, tryProvider } from "@capstan/models";
import { openScriptValues } from "@capstan/scripts";
import { openSealer } from "@capstan/server/sealing";
import { z } from "zod";
import type { Configuration } from "../configuration/configuration.ts";

type Variables = { readonly [name: string]: string | undefined };
type ProviderId = (typeof providerIds)[number];

const kept = z.strictObject({
  key: z.string().optional(),
  url: z.string().optional(),
  model: z.string().optional(),
});
type Kept = z.infer<typeof kept>;

/**
 * Opens the model providers that administrators set on the page. Each is a file in the data
 * directory, encrypted with the same key as the values for scripts.
 *
 * @param options.environment the server's environment, which applies to all other providers
 */
export function openStoredProviders({
  configuration: { dataDir, secretKey, previousSecretKey },
  environment,
  fetch,
}: {
  readonly configuration: Pick<Configuration, "dataDir" | "secretKey" | "previousSecretKey">;
  readonly environment: Variables;
  readonly fetch?: typeof globalThis.fetch;
}) {
  const values = openScriptValues({
    folder: join(dataDir, "providers"),
    sealer: openSealer({ folder: dataDir, secret: secretKey, previousSecret: previousSecretKey }),
    purpose: "provider",
  });

  const read = (id: ProviderId): Kept | undefined => {
    const text = values.read([id]).values[id];
    return text === undefined ? undefined : kept.safeParse(JSON.parse(text)).data;
  };
  const stored = () => providerIds.filter((id) => read(id) !== undefined);
  /** The environment with the variables of the stored providers. */
  const variables = (changed: { readonly [id: string]: Kept | undefined } = {}): Variables => {
    const all = { ...environment };
    for (const id of providerIds) {
      const provider = id in changed ? changed[id] : read(id);
      if (provider !== undefined) Object.assign(all, variablesOf(id, provider));
    }
    return all;
  };

  const view = (id: ProviderId): ProviderView => {
    const { title = id, variable = "" } = knownProvider(id) ?? {};
    const own = read(id);
    const found = values.list().find(({ name }) => name === id);
    const given = environment[variable]?.trim() ?? "";
    const shown = own ?? (given === "" ? undefined : environmentProvider(id, environment, given));
    return {
      id,
      object: "provider",
      title: id === "custom" ? "OpenAI-compatible server" : title,
      source:
        own !== undefined
          ? "stored"
          : found !== undefined
            ? "unreadable"
            : given === ""
              ? "none"
              : "environment",
      variable,
      url: shown?.url === undefined ? null : shownUrl(shown.url),
      model: shown?.model ?? null,
      has_key: shown?.key !== undefined,
      set_at: found === undefined ? null : Math.floor(found.setAt / 1_000),
    };
  };

  /** Returns the settings. `renew` applies them and throws if the result would be invalid. */
  function settings(renew: () => void): ProviderSettings {
    return {
      list: () => providerIds.map(view),
      async save(name, body, signal) {
        const id = providerIds.find((known) => known === name);
        if (id === undefined) return { status: "not_found" };
        const problem = problemOf(id, body);
        if (problem !== undefined) return { status: "invalid", ...problem };
        const given = keptOf(id, body);
        const tried = await tryProvider({
          id,
          environment: variables({ [id]: given }),
          ...(fetch && { fetch }),
          signal,
        });
        if (tried.status === "failed")
          return { status: "invalid", field: tried.field, message: tried.message };
        const refused = values.set(id, JSON.stringify(given));
        if (refused !== undefined)
          return { status: "invalid", field: "key", message: refused.message };
        renew();
        return { status: "saved", provider: view(id) };
      },
      remove(name) {
        const id = providerIds.find((known) => known === name);
        if (id === undefined) return { status: "not_found" };
        const before = read(id);
        if (!values.remove(id)) return { status: "not_found" };
        try {
          renew();
        } catch (thrown) {
          if (!CapstanError.isInstance(thrown)) throw thrown;
          if (before !== undefined) values.set(id, JSON.stringify(before));
          const message = `the default model of the settings file needs this provider, so it was not removed: ${thrown.message}`;
          return { status: "invalid", field: "id", message };
        }
        return { status: "saved", provider: view(id) };
      },
    };
  }

  return {
    variables: () => variables(),
    stored,
    settings,
    /** The stored providers, including those that no key can decrypt. */
    list: () => values.list(),
    encryptAgain: () => values.encryptAgain(),
  };
}

function variablesOf(id: ProviderId, { key, url, model }: Kept): Variables {
  if (id !== "custom") return { [knownProvider(id)?.variable ?? ""]: key };
  // The key and the model of another server must not be sent to this one.
  return { CAPSTAN_MODEL_URL: url, CAPSTAN_MODEL_KEY: key, CAPSTAN_MODEL: model };
}

function environmentProvider(id: ProviderId, environment: Variables, given: string): Kept {
  if (id !== "custom") return { key: given };
  const { CAPSTAN_MODEL_KEY: key, CAPSTAN_MODEL: model } = environment;
  return { url: given, ...(key && { key }), ...(model && { model }) };
}

function keptOf(id: ProviderId, { key, url, model }: ProviderBody): Kept {
  const named = (text: string | undefined) => (text?.trim() === "" ? undefined : text?.trim());
  return id === "custom"
    ? { key: named(key), url: named(url), model: named(model) }
    : { key: named(key) };
}

function problemOf(
  id: ProviderId,
  { key, url, model }: ProviderBody,
): { readonly field: string; readonly message: string } | undefined {
  if (key !== undefined && !/^\s*[\u0021-\u007E]{0,1000}\s*$/.test(key))
    return {
      field: "key",
      message: "expected at most 1,000 printable ASCII characters without spaces.",
    };
  if (id !== "custom") {
    if (url !== undefined || model !== undefined)
      return {
        field: url === undefined ? "model" : "url",
        message: 'only the provider "custom" has an address and a default model.',
      };
    return key === undefined || key.trim() === ""
      ? { field: "key", message: "is required." }
      : undefined;
  }
  if (url === undefined || !URL.canParse(url.trim()) || url.length > 2_000)
    return {
      field: "url",
      message: "expected the base URL of the server, such as http://127.0.0.1:1234/v1.",
    };
  const { protocol, username, password } = new URL(url.trim());
  if (protocol !== "http:" && protocol !== "https:")
    return { field: "url", message: "expected a URL that begins with http:// or https://." };
  if (username !== "" || password !== "")
    return { field: "url", message: "must not contain a user name or password: use the key." };
  if (model !== undefined && model.length > 200)
    return { field: "model", message: "expected at most 200 characters." };
  return undefined;
}

/** A URL in the environment can contain a password or a key. */
function shownUrl(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/$/, "");
}
