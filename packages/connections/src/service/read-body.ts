import type { ConnectionCreateBody, ConnectionCredentialBody } from "@capstan/contract";
import type { z } from "zod";
import { type EnteredCredential, enteredCredential } from "../credentials/credential.ts";
import {
  type AddedSettings,
  addedSettings,
  connectionName,
  type SecretSettings,
  secretSettings,
} from "./added-connection.ts";

/** An invalid field of a request. The message omits the value, which can be secret. */
export interface Invalid {
  readonly status: "invalid";
  readonly field: string;
  readonly message: string;
}

/** Reads the settings of a new connection. */
export function readNewConnection(
  body: ConnectionCreateBody,
):
  | { readonly status: "read"; readonly settings: AddedSettings; readonly secrets: SecretSettings }
  | Invalid {
  const { name, url, oauth, command, args, env, read, write, network } = body;
  const { tools, shared, private: isPrivate, trust_annotations: trustAnnotations } = body;
  const named = connectionName.safeParse(name);
  if (!named.success) return invalid("name", named.error);
  if ((url === undefined) === (command === undefined))
    return {
      status: "invalid",
      field: url === undefined ? "url" : "command",
      message: 'expected either "url" (a server) or "command" (a program).',
    };
  const others =
    url === undefined ? { oauth, private: isPrivate } : { args, env, read, write, network };
  const [extra] = Object.entries(others).filter(([, value]) => value !== undefined);
  if (extra !== undefined)
    return {
      status: "invalid",
      field: extra[0],
      message: `expected nothing: "${extra[0]}" does not belong to ${url === undefined ? "a program" : "a server at a URL"}.`,
    };
  const common = without({ tools, shared, trustAnnotations });
  const settings = addedSettings.safeParse(
    url === undefined
      ? {
          type: "program",
          enabled: true,
          ...common,
          command,
          args: args ?? [],
          read: read ?? [],
          write: write ?? [],
          network: network ?? false,
        }
      : {
          type: "http",
          enabled: true,
          ...common,
          url,
          ...(oauth !== undefined && {
            oauth: without({
              clientId: oauth.client_id,
              issuer: oauth.issuer,
              scope: oauth.scope,
              resource: oauth.resource,
            }),
          }),
        },
  );
  if (!settings.success) return invalid("body", settings.error);
  const secrets = secretSettings.safeParse(without({ env, clientSecret: oauth?.client_secret }));
  if (!secrets.success) return invalid("env", secrets.error);
  return { status: "read", settings: settings.data, secrets: secrets.data };
}

/** Reads a credential that a user enters. */
export function readCredential(
  body: Exclude<ConnectionCredentialBody, { readonly type: "client_credentials" }>,
): { readonly status: "read"; readonly credential: EnteredCredential } | Invalid {
  const { shared: _, ...rest } = body;
  const read = enteredCredential.safeParse(rest);
  return read.success ? { status: "read", credential: read.data } : invalid("type", read.error);
}

function without<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

const wireNames: { readonly [field: string]: string } = {
  clientId: "client_id",
  clientSecret: "client_secret",
  trustAnnotations: "trust_annotations",
};

function invalid(fallback: string, { issues }: z.ZodError): Invalid {
  const [issue] = issues;
  const path = (issue?.path ?? []).map((part) => wireNames[String(part)] ?? String(part));
  return {
    status: "invalid",
    field: path.length === 0 ? fallback : path.join("."),
    message: `expected ${issue?.message ?? "another value"}.`,
  };
}
