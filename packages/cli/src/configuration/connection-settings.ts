import {
  type Connection,
  type HttpConnection,
  isUrl,
  type OpenApiConnection,
  ownUrls,
} from "@capstan/connections";
import { isHost } from "@capstan/sandbox";
import { z } from "zod";

/** A connection of the configuration, and whether it is used. */
export interface ConfiguredConnection {
  readonly connection: Connection | OpenApiConnection;
  readonly on: boolean;
}

const words = (error: string) => z.array(z.string({ error }), { error }).exactOptional();
const text = (error: string) => z.string({ error }).trim().min(1, { error });
const flag = z.boolean({ error: "true or false" }).exactOptional();
const seconds = z
  .number({ error: "seconds from 1 to 86400" })
  .min(1, { error: "seconds from 1 to 86400" })
  .max(86_400, { error: "seconds from 1 to 86400" })
  .exactOptional();
const values = (error: string) =>
  z.record(z.string(), z.string({ error }), { error }).exactOptional();

const folders = 'a list of folders such as ["~/notes"]';
const command = 'a program such as "mcp-server-filesystem"';
const url = "the address of an MCP server such as https://mcp.example.org/mcp";
const network = 'true, false or a list of hosts such as ["api.example.org"]';
const example =
  'a connection such as {"command": "mcp-server-filesystem", "args": ["/srv/notes"], "read": ["/srv/notes"]}, {"url": "https://mcp.example.org/mcp"} or {"openapi": "./petstore.yaml"}';
const documentText =
  'the path or the address of an OpenAPI document such as "./petstore.yaml" or https://api.example.org/openapi.json';
const credential =
  'credentials by the name of the security scheme, such as {"api_key": "${PETS_KEY}"} or {"basicAuth": {"username": "ann", "password": "${PETS_PASSWORD}"}}';
const serverText = 'the address of the service such as "https://api.example.org/v1"';
const pages = "pages from 1 to 100";
const oauth =
  'the sign-in of the server such as {"clientId": "capstan", "clientSecret": "${TICKETS_SECRET}"}';
const header = 'headers such as {"Authorization": "Bearer ${NOTES_TOKEN}"}';

const minutesText = "minutes from 1 to 10080";
const minutes = z
  .int({ error: minutesText })
  .min(1, { error: minutesText })
  .max(10_080, { error: minutesText })
  .exactOptional();

const common = {
  on: flag,
  tools: words('a list of the server\'s tools such as ["search"]'),
  trustAnnotations: flag,
  sampling: text('a model such as "openai/gpt-5-mini"').exactOptional(),
  shared: flag,
  idleSeconds: seconds,
  refreshMinutes: minutes,
  timeoutSeconds: seconds,
};

const program = z.strictObject({
  ...common,
  command: text(command),
  args: words('a list of arguments such as ["--stdio"]'),
  env: values('values such as {"TOKEN": "${NOTES_TOKEN}"}'),
  read: words(folders),
  write: words(folders),
  network: z
    .union([z.boolean(), z.array(z.string().refine(isHost))], { error: network })
    .exactOptional(),
  sandbox: flag,
});

const http = z.strictObject({
  ...common,
  url: text(url).refine(isAddress, { error: url }),
  private: flag,
  headers: values(header),
  oauth: z
    .strictObject(
      {
        clientId: text(oauth).exactOptional(),
        clientSecret: text(oauth).exactOptional(),
        issuer: text(oauth).refine(isAddress, { error: oauth }).exactOptional(),
        scope: text(oauth).exactOptional(),
        resource: z.union([text(oauth), z.literal(false)], { error: oauth }).exactOptional(),
      },
      { error: oauth },
    )
    .exactOptional(),
});

const openapi = z.strictObject({
  on: flag,
  openapi: text(documentText).refine((value) => !/^[a-z]+:\/\//i.test(value) || isAddress(value), {
    error: documentText,
  }),
  server: text(serverText)
    .refine((value) => isAddress(value.replaceAll(/\{[^{}]+\}/g, "x")), { error: serverText })
    .exactOptional(),
  private: flag,
  variables: values('values of the server\'s variables such as {"region": "eu"}'),
  credentials: z
    .record(
      z.string(),
      z.union([z.string(), z.strictObject({ username: z.string(), password: z.string() })], {
        error: credential,
      }),
      { error: credential },
    )
    .exactOptional(),
  headers: values(header),
  tools: words('a list of operations such as ["listPets", "orders_*"]'),
  pages: z
    .int({ error: pages })
    .min(1, { error: pages })
    .max(100, { error: pages })
    .exactOptional(),
  trustMethods: flag,
  idleSeconds: seconds,
  refreshMinutes: minutes,
  timeoutSeconds: seconds,
});

type GivenConnection = z.infer<typeof program> | z.infer<typeof http> | z.infer<typeof openapi>;

const connection = z
  .unknown()
  .superRefine((value, context) => {
    const given = typeof value === "object" && value !== null ? value : {};
    const forms = { command: program, url: http, openapi };
    const named = Object.keys(forms).filter((key) => key in given) as (keyof typeof forms)[];
    const [key] = named;
    if (key === undefined || named.length > 1)
      return context.addIssue({ code: "custom", message: example });
    const form = forms[key];
    const read = form.safeParse(value);
    for (const issue of read.error?.issues ?? [])
      context.addIssue({
        code: "custom",
        path: [...issue.path],
        message:
          issue.code === "unrecognized_keys"
            ? `no setting ${issue.keys.join(", ")}; there are ${Object.keys(form.shape).join(", ")}`
            : issue.message,
      });
  })
  .transform((value) => value as GivenConnection);

/** `connections` of the settings file: MCP servers and OpenAPI services by the name of their tool group. */
export const connectionsSchema = z.record(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/), connection, {
  error: (issue) =>
    issue.code === "invalid_key"
      ? "a name of 1 to 32 of the characters a-z, 0-9 and -, beginning with a letter, as the key"
      : `connections by name, each ${example}`,
});

function isAddress(value: string): boolean {
  const parsed = URL.parse(value);
  return (
    parsed !== null &&
    /^https?:$/.test(parsed.protocol) &&
    parsed.username === "" &&
    parsed.password === "" &&
    parsed.hash === ""
  );
}

/** Fills environment variables into values, which can be secret by their names. */
type FillValues = (
  values: { readonly [key: string]: string } | undefined,
  kind: string,
) => { readonly [key: string]: string };

/** Names of headers and variables whose values are secret. */
const secretName = /authorization|cookie|token|secret|passw|key|credential/i;

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Returns the connections with the values of environment variables filled in. Reports a secret in
 * the file itself as a problem. A connection that names an unset variable is unavailable.
 *
 * @param options.resolve makes a path of the file absolute
 */
export function readConnections(
  settings: z.infer<typeof connectionsSchema> = {},
  options: {
    readonly environment: { readonly [name: string]: string | undefined };
    readonly resolve: (path: string) => string;
  },
): { readonly connections: readonly ConfiguredConnection[]; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const connections = Object.entries(settings).map(([name, given]): ConfiguredConnection => {
    const missing = new Set<string>();
    const fill = (value: string) =>
      value.replaceAll(reference, (_match, variable: string) => {
        const found = options.environment[variable]?.trim();
        if (!found) missing.add(variable);
        return found ?? "";
      });
    const secret = (path: string, value: string) => {
      if (value.replaceAll(reference, "") === value)
        problems.push(
          `connections.${name}.${path}: a secret does not belong in the file. Set a variable, and name it here: "\${${name.toUpperCase().replaceAll("-", "_")}_TOKEN}".`,
        );
      return fill(value);
    };
    const filled = (values: { readonly [key: string]: string } = {}, kind: string) =>
      Object.fromEntries(
        Object.entries(values).map(([key, value]) => [
          key,
          secretName.test(key) ? secret(`${kind}.${key}`, value) : fill(value),
        ]),
      );
    const { on = true, ...rest } = given;
    const resolved = (paths: readonly string[] = []) => paths.map(options.resolve);
    const ofServer: Connection | OpenApiConnection =
      "openapi" in rest
        ? openApiConnection(name, rest, { ...options, fill, secret, filled })
        : "url" in rest
          ? httpConnection(name, rest, filled)
          : {
              ...rest,
              type: "program",
              name,
              command: /[/\\]/.test(rest.command) ? options.resolve(rest.command) : rest.command,
              args: rest.args ?? [],
              env: filled(rest.env, "env"),
              read: resolved(rest.read),
              write: resolved(rest.write),
              network: rest.network ?? false,
              sandbox: rest.sandbox ?? true,
            };
    return {
      connection: missing.size === 0 ? ofServer : { ...ofServer, missing: [...missing] },
      on,
    };
  });
  return { connections, problems };
}

function httpConnection(
  name: string,
  { private: isPrivate, oauth, ...given }: Omit<z.infer<typeof http>, "on">,
  filled: FillValues,
): HttpConnection {
  return {
    ...given,
    type: "http",
    name,
    headers: filled(given.headers, "headers"),
    ...(oauth !== undefined && { oauth: filledOAuth(oauth, filled) }),
    ...(isPrivate !== undefined && {
      privateHosts: isPrivate
        ? ownUrls({ url: given.url, ...(oauth && { oauth }) }).map(({ host }) => host)
        : [],
    }),
  };
}

function openApiConnection(
  name: string,
  { openapi: document, ...given }: Omit<z.infer<typeof openapi>, "on">,
  read: {
    readonly resolve: (path: string) => string;
    readonly fill: (value: string) => string;
    readonly secret: (path: string, value: string) => string;
    readonly filled: FillValues;
  },
): OpenApiConnection {
  const { resolve, fill, secret, filled } = read;
  return {
    ...given,
    type: "openapi",
    name,
    document: isUrl(document) ? document : resolve(document),
    variables: filled(given.variables, "variables"),
    headers: filled(given.headers, "headers"),
    credentials: Object.fromEntries(
      Object.entries(given.credentials ?? {}).map(([scheme, value]) => [
        scheme,
        typeof value === "string"
          ? secret(`credentials.${scheme}`, value)
          : {
              username: fill(value.username),
              password: secret(`credentials.${scheme}.password`, value.password),
            },
      ]),
    ),
  };
}

/** Fills in the secret of the client, which the file must not contain. */
function filledOAuth(
  oauth: NonNullable<z.infer<typeof http>["oauth"]>,
  filled: FillValues,
): NonNullable<z.infer<typeof http>["oauth"]> {
  if (oauth.clientSecret === undefined) return oauth;
  const { clientSecret = "" } = filled({ clientSecret: oauth.clientSecret }, "oauth");
  return { ...oauth, clientSecret };
}
