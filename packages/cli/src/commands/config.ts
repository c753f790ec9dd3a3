import { createTwoFilesPatch } from "diff";
import { visibleParts, visibleText } from "@capstan/core/text";
import { type Invocation, printNotice } from "../arguments/command.ts";
import {
  acceptConfiguration,
  type ConfigurationReview,
} from "../configuration/accepted-configuration.ts";
import { styleFor } from "../terminal/style.ts";
import { visibleBlock } from "../terminal/visible.ts";
import { confirm } from "./shared/confirm.ts";
import { readReview } from "./shared/read-configuration.ts";
import { commandTexts } from "../texts/commands.ts";

const texts = commandTexts.config;

/** Shows the changes of the settings file since it was accepted, or accepts them. */
export async function manageConfiguration({ values, positionals }: Invocation): Promise<number> {
  const review = await readReview(values);
  if (review.status === "first" || review.status === "same") {
    printNotice(
      review.status === "same"
        ? texts.same(review.changed.settingsFile)
        : texts.first(review.changed.settingsFile),
    );
    return 0;
  }
  process.stdout.write(describeChange(review));
  if (positionals[0] !== "accept") return review.status === "stricter" ? 0 : 1;
  const isAccepted = values["yes"] === true || (await confirm(texts.confirm, texts.noTerminal));
  if (!isAccepted) {
    printNotice(texts.notAccepted);
    return 1;
  }
  await acceptConfiguration(review);
  printNotice(texts.accepted);
  return 0;
}

/**
 * Returns the text to show before a user accepts a changed configuration: the settings that allow
 * more, and all changed lines.
 */
export function describeChange(review: ConfigurationReview): string {
  if (review.status === "first" || review.status === "same") return "";
  const file = visibleText(review.changed.settingsFile);
  // The width for terminals that do not report one.
  const columns = process.stdout.columns > 0 ? process.stdout.columns : 80;
  const patch = createTwoFilesPatch(
    "accepted",
    "now",
    review.acceptedText ?? "",
    review.text ?? "",
  );
  const lines = patch.split("\n").slice(1).join("\n").trimEnd();
  const view = { style: styleFor(process.stdout), columns, whole: true };
  const looser = review.status === "waits" ? review.looser : [];
  const names = looser.map((name) => `  ${visibleText(name)}\n`).join("");
  return `${texts.changed(file, texts.effects[review.status])}\n${names}${visibleBlock(visibleParts(lines), view).text}\n`;
}
