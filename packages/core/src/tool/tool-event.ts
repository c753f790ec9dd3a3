import type { JsonValue } from "../base/json.ts";
import type { ImagePart } from "../model/content-part.ts";

interface NoData {
  readonly [name: string]: never;
}

/** Events of a tool's own whose form is known to readers. Any other name takes any plain data. */
export interface ToolEvents {
  readonly "image_generation.in_progress": NoData;
  readonly "image_generation.generating": NoData;
  /** The picture as far as it is; `index` counts from 0. */
  readonly "image_generation.partial_image": { readonly index: number; readonly image: ImagePart };
  readonly "image_generation.completed": { readonly image?: ImagePart };
  readonly "file_search.in_progress": { readonly queries?: readonly string[] };
  readonly "file_search.searching": NoData;
  readonly "file_search.completed": { readonly results?: readonly FileSearchHit[] };
}

export interface FileSearchHit {
  readonly file: string;
  readonly text?: string;
  /** From 0 to 1. */
  readonly score?: number;
}

/** What goes with an event of this name. */
export type ToolEventData<Name extends string> = Name extends keyof ToolEvents
  ? ToolEvents[Name]
  : JsonValue;
