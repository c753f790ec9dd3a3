import type { DeclaredPermissionsView, ScriptPermissionsView } from "@capstan/contract";
import { formatDuration } from "../format/duration.ts";
import { scriptsTexts } from "../texts/scripts.ts";
import { formatList } from "../texts/numbers/count.ts";

/** One permission that a file requests, in words. */
export interface PermissionLine {
  /** The function that requests it; `null` if the whole file does. */
  readonly of: string | null;
  readonly text: string;
  /** Whether it gives access beyond the script itself, or lets it run without approval. */
  readonly isBold: boolean;
}

const executions: { readonly [policy: string]: string } = scriptsTexts.permissions.executions;
const reviews: { readonly [policy: string]: string } = scriptsTexts.permissions.reviews;
const effects: { readonly [effect: string]: string } = scriptsTexts.permissions.effects;

/** Returns a file's requested permissions, the most important first; empty if there are none. */
export function permissionLines(declared: DeclaredPermissionsView): readonly PermissionLine[] {
  const sets = [
    [null, declared.file] as const,
    ...Object.entries(declared.functions).map(([name, own]) => [name, own] as const),
  ];
  const lines = sets.flatMap(([of, set]) => linesOf(set).map((line) => ({ of, ...line })));
  return lines.toSorted((a, b) => Number(b.isBold) - Number(a.isBold));
}

function linesOf(set: ScriptPermissionsView): readonly Omit<PermissionLine, "of">[] {
  const { network, secrets = [], roots, executionPolicy, resultApprovalPolicy, timeoutMs } = set;
  const said: (readonly [text: string | false | undefined, isBold: boolean])[] = [
    [networkText(network), network !== false],
    [secrets.length > 0 && scriptsTexts.permissions.secrets(formatList(secrets)), true],
    [roots?.write && scriptsTexts.permissions.write(formatList(roots.write)), true],
    [roots?.read && scriptsTexts.permissions.read(formatList(roots.read)), true],
    [executionPolicy && executions[executionPolicy], executionPolicy === "auto"],
    [resultApprovalPolicy && reviews[resultApprovalPolicy], false],
    [set.effects && effects[set.effects], false],
    [set.idempotent === true && scriptsTexts.permissions.idempotent, false],
    [timeoutMs !== undefined && scriptsTexts.permissions.timeout(formatDuration(timeoutMs)), false],
  ];
  return said.flatMap(([text, isBold]) => (text ? [{ text, isBold }] : []));
}

function networkText(network: ScriptPermissionsView["network"]): string | undefined {
  if (network === undefined) return undefined;
  if (network === false) return scriptsTexts.permissions.noNetwork;
  return network === true
    ? scriptsTexts.permissions.anyHost
    : scriptsTexts.permissions.hosts(formatList(network));
}
