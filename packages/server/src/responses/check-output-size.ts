import { type ApiError, invalidRequest } from "../http/api-error.ts";
import type { InputContent, InputItem } from "./request/input-item.ts";

/** What is wrong with an input that brings an output of more characters than one may have; undefined where none does. */
export function checkOutputSize(
  input: readonly InputItem[],
  mostChars: number,
): ApiError | undefined {
  for (const [index, item] of input.entries()) {
    if (item.type !== "function_call_output" && item.type !== "custom_tool_call_output") continue;
    const chars = charsOf(item.output);
    if (chars <= mostChars) continue;
    const param = `input[${index}].output`;
    return invalidRequest({
      status: 413,
      code: "string_above_max_length",
      param,
      message: `${param}: ${chars} characters for call ${item.call_id.slice(0, 100)}, and one output may have ${mostChars}. Nothing was taken, and the call can still be answered: send the part that matters, or where the rest is.`,
    });
  }
  return undefined;
}

function charsOf(output: string | readonly InputContent[]): number {
  if (typeof output === "string") return output.length;
  return output.reduce((sum, part) => sum + partChars(part), 0);
}

/** With what it carries as `data:` or Base64. */
function partChars(part: InputContent): number {
  switch (part.type) {
    case "input_text":
    case "output_text":
      return part.text.length;
    case "refusal":
      return part.refusal.length;
    case "input_image":
      return part.image_url.length;
    case "input_file":
      return (part.file_data?.length ?? 0) + (part.file_url?.length ?? 0);
    case "input_video":
      return part.video_url.length;
  }
}
