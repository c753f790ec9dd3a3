import type { JsonValue } from "../../base/json.ts";
import type { ContentPart } from "../../model/content-part.ts";

/** The value that a tool returned, as text and as data; or why it cannot be formatted. */
export type Formatted =
  | {
      readonly status: "formatted";
      readonly text: string;
      readonly data?: JsonValue;
      readonly parts?: readonly ContentPart[];
    }
  | { readonly status: "failed"; readonly message: string };

export type FormattedText = Extract<Formatted, { readonly status: "formatted" }>;
