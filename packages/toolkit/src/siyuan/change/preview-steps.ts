import { runDiff } from "../../edit/text/run-edit-job.ts";
import { plainText } from "../blocks/attribute-lists.ts";
import { typeName } from "../kernel/block-types.ts";
import type { PlannedStep } from "./plan-changes.ts";

/** Returns the planned writes as text: a diff for each changed block, grouped by document. */
export async function previewSteps(steps: readonly PlannedStep[]): Promise<string> {
  const parts: string[] = [];
  let document = "";
  for (const step of steps) {
    const { documentId, documentTitle } = step.spot;
    if (documentId !== document)
      parts.push(`Document ${JSON.stringify(documentTitle.slice(0, 200))} (${documentId})`);
    document = documentId;
    parts.push(await previewStep(step));
  }
  return parts.join("\n");
}

async function previewStep(step: PlannedStep): Promise<string> {
  const { id, type } = step.spot;
  const name = `${typeName(type)} ${id}`;
  switch (step.do) {
    case "update": {
      const [before, after] = [`${plainText(step.before)}\n`, `${plainText(step.data)}\n`];
      const changes = await runDiff(before, after);
      return `Changes ${name}:\n${changes ?? "(only attributes)"}`;
    }
    case "delete":
      return `Deletes ${name}:\n${signed("-", plainText(step.before))}`;
    case "insert":
      return `Inserts ${placeName(step)}:\n${signed("+", step.data)}`;
  }
}

function placeName({ spot, place }: PlannedStep & { do: "insert" }): string {
  const name = `${typeName(spot.type)} ${spot.id}`;
  if ("nextID" in place) return `before ${name}`;
  if ("prependTo" in place) return `at the beginning of ${name}`;
  if ("appendTo" in place) return `at the end of ${name}`;
  return place.previousID === spot.id ? `after ${name}` : `at the end of the section of ${name}`;
}

function signed(sign: string, text: string): string {
  return text
    .split("\n")
    .map((line) => `${sign}${line}`)
    .join("\n");
}
