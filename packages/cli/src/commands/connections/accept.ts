import { createTwoFilesPatch } from "diff";
import type { ConnectionDetail, ConnectionToolView } from "@capstan/contract";
import { visibleParts } from "@capstan/core/text";
import { type Invocation, printNotice } from "../../arguments/command.ts";
import { styleFor } from "../../terminal/style.ts";
import { visibleBlock } from "../../terminal/visible.ts";
import { connectionTexts as texts } from "../../texts/connections.ts";
import { confirm } from "../shared/confirm.ts";
import { nameIn, withClient } from "./with-client.ts";

/** Shows changed tools, and accepts them if the user agrees. */
export function acceptConnection(invocation: Invocation): Promise<number> {
  const name = nameIn(invocation, "accept");
  return withClient(invocation, async (client) => {
    const { changes, digest } = await client.connection(name);
    if (changes.added.length + changes.changed.length === 0) {
      printNotice(texts.nothingToAccept(name));
      return 0;
    }
    process.stdout.write(describeChanges(changes));
    const isAccepted =
      invocation.values["yes"] === true || (await confirm(texts.confirm, texts.noTerminal));
    if (isAccepted) await client.acceptConnection(name, { digest });
    printNotice(isAccepted ? texts.accepted : texts.notAccepted);
    return isAccepted ? 0 : 1;
  });
}

/** Returns the differences between the accepted and the current tools, as lines. */
export function describeChanges({ added, removed, changed }: ConnectionDetail["changes"]): string {
  const columns = process.stdout.columns > 0 ? process.stdout.columns : 80;
  const view = { style: styleFor(process.stdout), columns, whole: true };
  const pairs = [
    ...changed.map(({ from, to }) => [from, to] as const),
    ...added.map((tool) => [undefined, tool] as const),
  ];
  const patches = pairs.map(([from, to]) => {
    const patch = createTwoFilesPatch(
      from === undefined ? "new" : "accepted",
      "now",
      from === undefined ? "" : textOf(from),
      textOf(to),
    );
    const lines = patch.split("\n").slice(1).join("\n").trimEnd();
    return `${to.name}\n${visibleBlock(visibleParts(lines), view).text}\n`;
  });
  const gone =
    removed.length === 0 ? "" : `${texts.removed} ${removed.map(({ name }) => name).join(", ")}\n`;
  return patches.join("\n") + gone;
}

function textOf({ description, name, digest, ...rest }: ConnectionToolView): string {
  return `${description}\n${JSON.stringify(rest, null, 2)}\n${name} ${digest}\n`;
}
