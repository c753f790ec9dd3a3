import { isAbsolute } from "node:path";
import { isHost } from "@capstan/sandbox";
import { z } from "zod";
import type { Connection } from "../definition/connection.ts";

const text = z.string().min(1).max(2_000);
const list = z.array(text).max(200);
const path = text.refine((one) => isAbsolute(one), { error: "an absolute path" });
const address = text.refine(isAddress, {
  error: "the address of an MCP server such as https://mcp.example.org/mcp",
});
const origin = text.refine(isAddress, {
  error: "the address of an authorization server such as https://login.example.org",
});

const common = {
  tools: list.exactOptional(),
  shared: z.boolean().exactOptional(),
  trustAnnotations: z.boolean().exactOptional(),
  reviewsFirst: z.boolean().exactOptional(),
};

/** The name of a connection, which is the name of its tool group. */
export const connectionName = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, {
  error: "1 to 32 of the characters a-z, 0-9 and -, beginning with a letter",
});

/** The settings of a connection that a user added, without its secrets. Stored as JSON. */
export const addedSettings = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("http"),
    enabled: z.boolean(),
    ...common,
    url: address,
    privateHosts: list.exactOptional(),
    oauth: z
      .object({
        clientId: text.exactOptional(),
        issuer: origin.exactOptional(),
        scope: z.string().max(2_000).exactOptional(),
        resource: z.union([text, z.literal(false)]).exactOptional(),
      })
      .exactOptional(),
  }),
  z.object({
    type: z.literal("program"),
    enabled: z.boolean(),
    ...common,
    command: text,
    args: list,
    read: z.array(path).max(100),
    write: z.array(path).max(100),
    network: z.union([z.boolean(), z.array(z.string().refine(isHost)).max(100)]),
  }),
]);

/** The settings of a connection that a user added: see `addedSettings`. */
export type AddedSettings = z.infer<typeof addedSettings>;

/** The secret settings of a connection. Stored encrypted. */
export const secretSettings = z.object({
  env: z.record(z.string().regex(/^[A-Za-z_]\w{0,199}$/), z.string().max(10_000)).exactOptional(),
  clientSecret: text.exactOptional(),
});

/** The secret settings of a connection: see `secretSettings`. */
export type SecretSettings = z.infer<typeof secretSettings>;

/** Returns the connection of stored settings. Programs always run in the sandbox. */
export function connectionOf(
  name: string,
  settings: AddedSettings,
  { env = {}, clientSecret }: SecretSettings,
): Connection {
  const { enabled: _, ...rest } = settings;
  if (rest.type === "program") return { ...rest, name, env, sandbox: true };
  const { oauth, ...http } = rest;
  const given = { ...oauth, ...(clientSecret !== undefined && { clientSecret }) };
  return { ...http, name, headers: {}, ...(Object.keys(given).length > 0 && { oauth: given }) };
}

function isAddress(value: string): boolean {
  const url = URL.parse(value);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    url.hash === ""
  );
}
