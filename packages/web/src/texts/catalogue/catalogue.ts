import type { approvals } from "../en/approvals.ts";
import type { calls } from "../en/calls.ts";
import type { chat } from "../en/chat.ts";
import type { connections } from "../en/connections.ts";
import type { conversations } from "../en/conversations.ts";
import type { errors } from "../en/errors.ts";
import type { exports } from "../en/exports.ts";
import type { imports } from "../en/imports.ts";
import type { inbox } from "../en/inbox.ts";
import type { rules } from "../en/rules.ts";
import type { scripts } from "../en/scripts.ts";
import type { settings } from "../en/settings.ts";
import type { sharing } from "../en/sharing.ts";
import type { shell } from "../en/shell.ts";
import type { shortcuts } from "../en/shortcuts.ts";
import type { time } from "../en/time.ts";
import type { variables } from "../en/variables.ts";

/** The keys of English texts, with any text as values. */
export type Translated<Texts> = Texts extends string
  ? string
  : Texts extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Key in keyof Texts]: Translated<Texts[Key]> };

/** All texts of the page in one language. English defines the keys and the values in texts. */
export interface Catalogue {
  readonly approvals: Translated<typeof approvals>;
  readonly calls: Translated<typeof calls>;
  readonly chat: Translated<typeof chat>;
  readonly connections: Translated<typeof connections>;
  readonly conversations: Translated<typeof conversations>;
  readonly errors: Translated<typeof errors>;
  readonly exports: Translated<typeof exports>;
  readonly imports: Translated<typeof imports>;
  readonly inbox: Translated<typeof inbox>;
  readonly rules: Translated<typeof rules>;
  readonly scripts: Translated<typeof scripts>;
  readonly settings: Translated<typeof settings>;
  readonly sharing: Translated<typeof sharing>;
  readonly shell: Translated<typeof shell>;
  readonly shortcuts: Translated<typeof shortcuts>;
  readonly time: Translated<typeof time>;
  readonly variables: Translated<typeof variables>;
}
