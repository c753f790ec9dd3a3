import type { Catalogue } from "../catalogue/catalogue.ts";
import { approvals } from "../en/approvals.ts";
import { calls } from "../en/calls.ts";
import { chat } from "../en/chat.ts";
import { connections } from "../en/connections.ts";
import { conversations } from "../en/conversations.ts";
import { errors } from "../en/errors.ts";
import { exports } from "../en/exports.ts";
import { imports } from "../en/imports.ts";
import { inbox } from "../en/inbox.ts";
import { rules } from "../en/rules.ts";
import { scripts } from "../en/scripts.ts";
import { settings } from "../en/settings.ts";
import { sharing } from "../en/sharing.ts";
import { shell } from "../en/shell.ts";
import { shortcuts } from "../en/shortcuts.ts";
import { time } from "../en/time.ts";
import { variables } from "../en/variables.ts";

/** All English texts; only tests import them together. */
export const english: Catalogue = {
  approvals,
  calls,
  chat,
  connections,
  conversations,
  errors,
  exports,
  imports,
  inbox,
  rules,
  scripts,
  settings,
  sharing,
  shell,
  shortcuts,
  time,
  variables,
};
