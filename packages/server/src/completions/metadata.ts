import { z } from "zod";
import { badRequest } from "../http/errors.ts";

/** The metadata of a completion, in a request. */
export const metadataSchema = z.record(z.string().max(64), z.string().max(512)).nullish();

/** @throws RequestError if there are too many */
export function checkedMetadata(given: z.output<typeof metadataSchema>): {
  readonly [name: string]: string;
} {
  const metadata = given ?? {};
  if (Object.keys(metadata).length > 16)
    throw badRequest("metadata", "Invalid 'metadata': more than 16 properties.");
  return metadata;
}
