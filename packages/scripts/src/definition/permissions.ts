import type { JsonValue } from "@capstan/core";
import { nearestNames } from "@capstan/core/host";
import { z } from "zod";
import { isHost } from "@capstan/sandbox";
import type { ParsedFile, RawPermissions } from "./parsed-file.ts";
import type { DeclaredPermissions, ScriptPermissions, ScriptProblem } from "./script-function.ts";

const names = (error: string) => z.array(z.string().min(1, { error }), { error });
const policies = "auto, ask-once, ask-always or deny";

/**
 * The permissions that a file can declare, by key, each with the text that names the expected
 * values.
 */
export const permissionSchema = {
  executionPolicy: z.enum(["auto", "ask-once", "ask-always", "deny"], { error: policies }),
  resultApprovalPolicy: z.enum(["never", "on-error", "always"], {
    error: "never, on-error or always",
  }),
  effects: z.enum(["read", "write", "exclusive"], { error: "read, write or exclusive" }),
  idempotent: z.boolean({ error: "true or false" }),
  final: z.boolean({ error: "true or false" }),
  hidden: z.boolean({ error: "true or false" }),
  timeoutMs: z
    .int({ error: "milliseconds from 1 to 3600000" })
    .min(1, { error: "milliseconds from 1 to 3600000" })
    .max(3_600_000, { error: "milliseconds from 1 to 3600000" }),
  network: z.union([z.boolean(), z.array(z.string().refine(isHost))], {
    error: 'true, false or hosts such as ["api.example.com", "10.0.0.5:8080"]',
  }),
  secrets: names('names of environment variables such as ["WEATHER_KEY"]'),
  roots: z.strictObject(
    {
      read: names('folders such as ["data"]').optional(),
      write: names('folders such as ["out"]').optional(),
    },
    { error: 'folders such as {"read": ["data"], "write": ["out"]}' },
  ),
};

/**
 * Checks the declared permissions of a file. An invalid value is a problem and makes calls ask: a
 * typing mistake must not allow more than the author meant.
 */
export function readPermissions({ declared }: ParsedFile): {
  readonly declared: DeclaredPermissions;
  readonly problems: readonly ScriptProblem[];
} {
  const problems: ScriptProblem[] = [];
  const file = check(declared?.file ?? {}, "TOOL_CONFIG", problems);
  const functions = Object.entries(declared?.functions ?? {}).map(
    ([name, raw]) => [name, check(raw, name, problems)] as const,
  );
  return { declared: { file, functions: Object.fromEntries(functions) }, problems };
}

/** Returns the permissions of one function: its own, with those of the file as defaults. */
export function permissionsOf(declared: DeclaredPermissions, name: string): ScriptPermissions {
  const own = Object.hasOwn(declared.functions, name) ? declared.functions[name] : undefined;
  return { ...declared.file, ...own };
}

function check(raw: RawPermissions, of: string, problems: ScriptProblem[]): ScriptPermissions {
  const checked: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw)) {
    if (!Object.hasOwn(permissionSchema, key)) {
      const [near] = nearestNames(key, Object.keys(permissionSchema), 1);
      const hint = near === undefined ? "" : ` Did you mean ${near}?`;
      problems.push({ severity: "warning", message: `${of}: "${key}" is unknown.${hint}` });
      continue;
    }
    const result = permissionSchema[key as keyof typeof permissionSchema].safeParse(value);
    if (result.success) {
      checked[key] = result.data;
      continue;
    }
    const expected = result.error.issues[0]?.message ?? "something else";
    const message = `${of}: ${key} is ${show(value)}, expected ${expected}.`;
    problems.push({ severity: "error", message });
    if (key === "executionPolicy") checked[key] = "ask-always";
    if (key === "resultApprovalPolicy") checked[key] = "always";
  }
  return checked;
}

function show(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
