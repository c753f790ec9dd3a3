import type { PolicyRule } from "@capstan/core";
import type { OverrideChange } from "@capstan/contract";
import type { Invocation } from "../../arguments/command.ts";
import { didYouMean } from "../../arguments/did-you-mean.ts";
import { textOption } from "../../arguments/option.ts";

/** What is to be done with the user's own rules. */
export type RulesAction =
  | { readonly type: "list" }
  | { readonly type: "set"; readonly change: OverrideChange }
  /** By id, or by the tool where it has one rule. */
  | { readonly type: "remove"; readonly rule: string }
  | { readonly type: "refused"; readonly message: string };

const verbs = ["list", "set", "remove"];
/** The flags that say something of a call; `reset` takes one back. */
const words = ["execution", "result", "minutes", "reason"] as const;

/** Reads `list`, `set TOOL …` and `remove RULE`. What a rule may say is the server's to check. */
export function readRulesAction({ positionals, values }: Invocation): RulesAction {
  const [verb = "list", about, unwanted] = positionals;
  if (!verbs.includes(verb)) return refused(`There is no rules ${verb}.${didYouMean(verb, verbs)}`);
  const given = ["when", ...words].find((name) => values[name] !== undefined);
  if (verb !== "set" && given !== undefined)
    return refused(`--${given} is for \`capstan rules set TOOL\`.`);
  const extra = verb === "list" ? about : unwanted;
  if (extra !== undefined) return refused(`rules ${verb} takes no "${extra}".`);
  if (verb === "list") return { type: "list" };
  if (about === undefined)
    return refused(
      verb === "set"
        ? "rules set needs a tool such as files.ViewFile, a group such as files.*, or '*'."
        : "rules remove needs the id of a rule, or its tool.",
    );
  if (verb === "remove") return { type: "remove", rule: about };
  if (words.every((name) => values[name] === undefined))
    return refused(
      "rules set needs what the rule says: --execution, --result or --minutes; --reason beside it.",
    );
  return readChange(about, values);
}

function readChange(tool: string, values: Invocation["values"]): RulesAction {
  const whenText = textOption(values, "when");
  const when = whenText === undefined ? undefined : readWhen(whenText);
  if (when === "unreadable")
    return refused(
      `--when: expected NAME=PATTERN such as path=docs/**, or JSON such as '{"path":"docs/**"}', got ${whenText}.`,
    );
  const word = (name: (typeof words)[number]) => {
    const text = textOption(values, name);
    return text === "reset" ? null : text;
  };
  const [execution, result, reason, minutes] = [
    word("execution"),
    word("result"),
    word("reason"),
    word("minutes"),
  ];
  const approvalMs = typeof minutes === "string" ? Math.round(Number(minutes) * 60_000) : minutes;
  // What is endless would be sent as null, which is a reset.
  if (typeof approvalMs === "number" && !(approvalMs >= 1 && Number.isFinite(approvalMs)))
    return refused(`--minutes: expected minutes such as 30, or reset, got ${minutes}.`);
  const change = {
    tool,
    ...(when !== undefined && { when }),
    ...(execution !== undefined && { execution }),
    ...(result !== undefined && { result }),
    ...(approvalMs !== undefined && { approvalMs }),
    ...(reason !== undefined && { reason }),
  };
  return { type: "set", change: change as OverrideChange };
}

/** Conditions as JSON, or one of them as `NAME=PATTERN`. */
function readWhen(text: string): NonNullable<PolicyRule["when"]> | "unreadable" {
  if (!text.trimStart().startsWith("{")) {
    const [, name, pattern] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    return name === undefined || pattern === undefined ? "unreadable" : { [name]: pattern };
  }
  try {
    return JSON.parse(text) as NonNullable<PolicyRule["when"]>;
  } catch {
    return "unreadable";
  }
}

function refused(message: string): RulesAction {
  return { type: "refused", message };
}
