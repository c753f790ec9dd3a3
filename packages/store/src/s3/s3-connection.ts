import type * as ClientS3 from "@aws-sdk/client-s3";
import { CapstanError, errorMessage } from "@capstan/core/base";
import type { S3Options } from "./s3-options.ts";

/** The library of S3, and a client of it. */
export interface S3Connection {
  readonly library: typeof ClientS3;
  readonly client: ClientS3.S3Client;
  readonly bucket: string;
  readonly prefix: string;
}

/** Time limits of a request, in ms. */
const connectMs = 5_000;
const silenceMs = 30_000;

/**
 * Loads the library and creates a client. Credentials come from the library's usual places: the
 * environment, the shared files of AWS, or the role of the machine.
 *
 * @throws CapstanError `s3_not_installed`
 */
export async function connectS3(options: S3Options): Promise<S3Connection> {
  const { bucket, endpoint, region = "us-east-1", prefix = "" } = options;
  const library = await import("@aws-sdk/client-s3").catch((thrown: unknown) => {
    throw new CapstanError({
      code: "s3_not_installed",
      message:
        'Files are configured to be in S3 (files.store), which needs the package @aws-sdk/client-s3: run "npm install @aws-sdk/client-s3" where Capstan is installed, and start again.',
      cause: thrown,
    });
  });
  const client = new library.S3Client({
    region,
    // Other servers than AWS rarely have a host name for each bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    // They often do not know checksums after the body either; `ChecksumSHA256` is a header.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: 3,
    // Errors are returned; the library would also print some.
    logger: { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore },
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: silenceMs,
      socketTimeout: silenceMs,
    },
  });
  return { library, client, bucket, prefix };
}

function ignore(): void {}

/** Returns the error for a request to S3 that failed. It contains no key and no credentials. */
export function s3Error(doing: string, thrown: unknown): CapstanError {
  if (CapstanError.isInstance(thrown)) return thrown;
  const status = statusOf(thrown);
  const name = thrown instanceof Error ? thrown.name : "";
  const isRefused = status === 401 || status === 403 || name === "CredentialsProviderError";
  const reason = `${name}${status === undefined ? "" : ` (status ${status})`}: ${errorMessage(thrown)}`;
  return new CapstanError({
    code: isRefused || status === 404 ? "files_rejected" : "files_unreachable",
    message: `${doing} failed in S3. ${reason.slice(0, 300)}. ${
      isRefused
        ? "Check the credentials and their rights on the bucket of files.store."
        : "Check files.store and whether its server works."
    }`,
    cause: thrown,
  });
}

/** Returns the HTTP status of an error of the library. */
export function statusOf(thrown: unknown): number | undefined {
  if (typeof thrown !== "object" || thrown === null || !("$metadata" in thrown)) return undefined;
  const { $metadata } = thrown as { readonly $metadata?: { readonly httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}
