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

/** Shows what changed in the settings file since it was accepted, or accepts it. */
export async function manageConfiguration({ values, positionals }: Invocation): Promise<number> {
  const review = await readReview(values);
  if (review.status === "first" || review.status === "same") {
    printNotice(
      review.status === "same"
        ? `${review.changed.settingsFile} equals the accepted configuration.`
        : `No configuration was accepted yet: the first server that starts accepts ${review.changed.settingsFile}.`,
    );
    return 0;
  }
  process.stdout.write(describeChange(review));
  if (positionals[0] !== "accept") return review.status === "stricter" ? 0 : 1;
  const isAccepted =
    values["yes"] === true ||
    (await confirm("Accept it?", "There is no terminal to ask; --yes accepts without asking."));
  if (!isAccepted) {
    printNotice("Nothing was accepted.");
    return 1;
  }
  await acceptConfiguration(review);
  printNotice("Accepted. It applies at the next start of the server.");
  return 0;
}

/**
 * Returns what a user must see before accepting a changed configuration: the settings that allow
 * more, and all changed lines.
 */
export function describeChange(review: ConfigurationReview): string {
  if (review.status === "first" || review.status === "same") return "";
  const file = visibleText(review.changed.settingsFile);
  // Some terminals do not say how wide they are.
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
  const head = {
    stricter: "allows nothing more than the accepted version.",
    unknown: "the accepted version cannot be read.",
    waits: "allows more than the accepted version:",
  }[review.status];
  const names = looser.map((name) => `  ${visibleText(name)}\n`).join("");
  return `${file} changed, and ${head}\n${names}${visibleBlock(visibleParts(lines), view).text}\n`;
}
