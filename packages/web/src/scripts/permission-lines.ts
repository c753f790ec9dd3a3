import type { DeclaredPermissionsView, ScriptPermissionsView } from "@capstan/contract";
import { formatDuration } from "../format/duration.ts";

/** One thing that a file asks for, in words. */
export interface PermissionLine {
  /** The function that asks; null where it is the whole file. */
  readonly of: string | null;
  readonly text: string;
  /** Whether it reaches beyond the script itself, or lets it go unasked. */
  readonly isBold: boolean;
}

const executions: { readonly [policy: string]: string } = {
  auto: "Runs without asking",
  "ask-once": "Asks once for the same arguments",
  "ask-always": "Asks before every call",
  deny: "Never runs",
};
const reviews: { readonly [policy: string]: string } = {
  never: "The model sees results at once",
  "on-error": "You see failures before the model does",
  always: "You see results before the model does",
};
const effects: { readonly [effect: string]: string } = {
  read: "Only reads, so it runs beside other calls",
  write: "Writes, so it runs alone in its group",
  exclusive: "Runs while nothing else does",
};

/** What a file asks for, what matters most first; empty where it asks for nothing. */
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
    [secrets.length > 0 && `Is given the environment variables ${secrets.join(", ")}`, true],
    [roots?.write && `Reads and changes the folders ${roots.write.join(", ")}`, true],
    [roots?.read && `Reads the folders ${roots.read.join(", ")}`, true],
    [executionPolicy && executions[executionPolicy], executionPolicy === "auto"],
    [resultApprovalPolicy && reviews[resultApprovalPolicy], false],
    [set.effects && effects[set.effects], false],
    [set.idempotent === true && "May be called again after a crash", false],
    [timeoutMs !== undefined && `Runs for up to ${formatDuration(timeoutMs)}`, false],
  ];
  return said.flatMap(([text, isBold]) => (text ? [{ text, isBold }] : []));
}

function networkText(network: ScriptPermissionsView["network"]): string | undefined {
  if (network === undefined) return undefined;
  if (network === false) return "Has no network";
  return network === true
    ? "Reaches every public address of the internet"
    : `Reaches the hosts ${network.join(", ")}`;
}
