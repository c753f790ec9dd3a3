import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "@capstan/core";
import { systemClock } from "@capstan/core/base";
import { type BlobStore, sha256Of } from "../blobs/blob-store.ts";
import { type ByteRange, type ReceivedBlob, spool } from "../blobs/received-blob.ts";
import { connectS3, type S3Connection, s3Error, statusOf } from "./s3-connection.ts";
import type { S3Options } from "./s3-options.ts";

/** A blob whose last use is older is touched when it is used, so that no node deletes it. */
const touchMs = 20 * 60 * 1_000;
/** A blob that was used within this time is not deleted. */
const keptMs = 60 * 60 * 1_000;
/** A mark of a deletion that is older was left by a node that crashed. */
const markMs = 5 * 60 * 1_000;
const markPauseMs = 100;

const putAttempts = 3;
const pieceBytes = 1_048_576;

/**
 * Blobs as objects of a bucket, which all nodes share: `PREFIX` + `ab/cdef…`. An object exists only
 * when all of its bytes have arrived, because S3 compares them with the length and the hash.
 *
 * A node cannot tell which blobs another node is about to refer to. So each use renews an object's
 * date, and objects are deleted an hour after their last use at the earliest. A node that deletes
 * marks the object first and then reads its date; a node that uses it renews the date first and then
 * looks for marks. Reads of S3 see all earlier writes, so at least one of the two sees the other.
 * Each node has a mark of its own, `PREFIX` + `deleting/HASH/NODE`: the mark of a node that is still
 * deleting remains when another one has finished.
 */
export class S3Blobs implements BlobStore {
  readonly #connection: S3Connection;

  readonly #clock: Pick<Clock, "now">;

  /** The name of this node in its marks. */
  readonly #node = randomUUID();

  constructor(connection: S3Connection, clock: Pick<Clock, "now">) {
    this.#connection = connection;
    this.#clock = clock;
  }

  /** Opens the bucket. @throws CapstanError `s3_not_installed` */
  static async open(options: S3Options, clock: Pick<Clock, "now"> = systemClock): Promise<S3Blobs> {
    return new S3Blobs(await connectS3(options), clock);
  }

  put({ sha256, bytes }: { sha256: string; bytes: Uint8Array }): Promise<void> {
    return this.#add({ sha256, size: bytes.length }, () => bytes);
  }

  async receive(pieces: AsyncIterable<Uint8Array>): Promise<ReceivedBlob> {
    const spooled = await spool(pieces);
    const { sha256, size } = spooled;
    const keep = () => this.#add({ sha256, size }, () => Readable.from(spooled.read(pieceBytes)));
    return { sha256, size, keep, discard: () => spooled.close() };
  }

  async #add(
    { sha256, size }: { readonly sha256: string; readonly size: number },
    body: () => Uint8Array | Readable,
  ): Promise<void> {
    const { client, library, bucket: Bucket } = this.#connection;
    if (await this.has(sha256)) return;
    await this.#run("Storing bytes", async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          // A body that was sent is used up, so the library cannot repeat the request.
          await client.send(
            new library.PutObjectCommand({
              Bucket,
              Key: this.#keyOf(sha256),
              Body: body(),
              ContentLength: size,
              ContentType: "application/octet-stream",
              ChecksumSHA256: Buffer.from(sha256, "hex").toString("base64"),
            }),
          );
          return;
        } catch (thrown) {
          const status = statusOf(thrown);
          const isFinal = status !== undefined && status < 500 && status !== 429;
          if (isFinal || attempt === putAttempts) throw thrown;
          await sleep(markPauseMs * attempt);
        }
      }
    });
  }

  async get(sha256: string): Promise<Uint8Array | undefined> {
    const pieces = await this.stream(sha256);
    if (pieces === undefined) return undefined;
    const bytes = await this.#run("Reading bytes", async () =>
      Buffer.concat(await Array.fromAsync(pieces)),
    );
    if ((await sha256Of(bytes)) === sha256) return bytes;
    throw s3Error("Reading bytes", new Error("the object was cut short or changed"));
  }

  async stream(sha256: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined> {
    if (range !== undefined && range.to <= range.from)
      return (await this.#dateOf(this.#keyOf(sha256))) === undefined ? undefined : noBytes();
    const { client, library, bucket: Bucket } = this.#connection;
    const found = await this.#orMissing("Reading bytes", () =>
      client.send(
        new library.GetObjectCommand({
          Bucket,
          Key: this.#keyOf(sha256),
          ...(range && { Range: `bytes=${range.from}-${range.to - 1}` }),
        }),
      ),
    );
    if (found?.Body === undefined) return undefined;
    const body = wholeBody(found.Body as AsyncIterable<Uint8Array>, found.ContentLength);
    // A server may ignore the range.
    return range !== undefined && found.ContentRange === undefined ? partOf(body, range) : body;
  }

  async has(sha256: string): Promise<boolean> {
    const key = this.#keyOf(sha256);
    for (;;) {
      const date = await this.#dateOf(key);
      if (date !== undefined && this.#clock.now() - date > touchMs) await this.#touch(key);
      if (!(await this.#isMarked(sha256))) break;
      await sleep(markPauseMs);
    }
    // No mark is left, so a node that marked the object earlier has either deleted it or given up.
    return (await this.#dateOf(key)) !== undefined;
  }

  async delete(sha256: string): Promise<void> {
    const { client, library, bucket: Bucket } = this.#connection;
    const key = this.#keyOf(sha256);
    const mark = { Bucket, Key: `${this.#marksOf(sha256)}/${this.#node}` };
    const isUnused = async () => {
      const date = await this.#dateOf(key);
      return date !== undefined && this.#clock.now() - date > keptMs;
    };
    if (!(await isUnused())) return;
    await this.#run("Deleting bytes", async () => {
      const markedAt = this.#clock.now();
      await client.send(new library.PutObjectCommand({ ...mark, Body: "", ContentLength: 0 }));
      try {
        // Other nodes ignore old marks, so a process that was suspended for long must not delete
        // the object.
        const isMarked = () => this.#clock.now() - markedAt < markMs / 2;
        if ((await isUnused()) && isMarked())
          await client.send(new library.DeleteObjectCommand({ Bucket, Key: key }));
      } finally {
        await client.send(new library.DeleteObjectCommand(mark));
      }
    });
  }

  /** Lists the hashes of all blobs, and deletes the marks of nodes that crashed. */
  async *list(): AsyncGenerator<string> {
    const { client, library, bucket: Bucket, prefix } = this.#connection;
    for await (const { key, date } of this.#objects(prefix)) {
      const [, shard, rest] =
        /^([0-9a-f]{2})\/([0-9a-f]{62})$/.exec(key.slice(prefix.length)) ?? [];
      if (shard !== undefined && rest !== undefined) yield shard + rest;
      else if (key.startsWith(`${prefix}deleting/`) && this.#clock.now() - date > keptMs)
        await this.#run("Deleting a mark", () =>
          client.send(new library.DeleteObjectCommand({ Bucket, Key: key })),
        );
    }
  }

  async close(): Promise<void> {
    this.#connection.client.destroy();
  }

  #keyOf(sha256: string): string {
    return `${this.#connection.prefix}${sha256.slice(0, 2)}/${sha256.slice(2)}`;
  }

  /** The beginning of the keys of all marks of a blob. */
  #marksOf(sha256: string): string {
    return `${this.#connection.prefix}deleting/${sha256}`;
  }

  /** Yields the objects whose keys begin with a text, with their dates in ms since the epoch. */
  async *#objects(
    beginning: string,
  ): AsyncGenerator<{ readonly key: string; readonly date: number }> {
    const { client, library, bucket: Bucket } = this.#connection;
    for (let token: string | undefined; ;) {
      const page = await this.#run("Listing bytes", () =>
        client.send(
          new library.ListObjectsV2Command({
            Bucket,
            Prefix: beginning,
            ...(token !== undefined && { ContinuationToken: token }),
          }),
        ),
      );
      for (const { Key = "", LastModified } of page.Contents ?? [])
        yield { key: Key, date: LastModified?.getTime() ?? 0 };
      token = page.NextContinuationToken;
      if (page.IsTruncated !== true || token === undefined) return;
    }
  }

  /** Returns when an object was last written or touched, in ms since the epoch. */
  async #dateOf(key: string): Promise<number | undefined> {
    const { client, library, bucket } = this.#connection;
    const found = await this.#orMissing("Finding bytes", () =>
      client.send(new library.HeadObjectCommand({ Bucket: bucket, Key: key })),
    );
    return found && (found.LastModified?.getTime() ?? 0);
  }

  /** Renews an object's date: S3 does so when an object is copied to itself. */
  async #touch(key: string): Promise<void> {
    const { client, library, bucket: Bucket } = this.#connection;
    await this.#orMissing("Renewing bytes", () =>
      client.send(
        new library.CopyObjectCommand({
          Bucket,
          Key: key,
          CopySource: `${Bucket}/${key.split("/").map(encodeURIComponent).join("/")}`,
          MetadataDirective: "REPLACE",
          Metadata: { used: String(this.#clock.now()) },
          ContentType: "application/octet-stream",
        }),
      ),
    );
  }

  async #isMarked(sha256: string): Promise<boolean> {
    for await (const { date } of this.#objects(this.#marksOf(sha256)))
      if (this.#clock.now() - date < markMs) return true;
    return false;
  }

  async #orMissing<T>(doing: string, request: () => Promise<T>): Promise<T | undefined> {
    return this.#run(doing, async () => {
      try {
        return await request();
      } catch (thrown) {
        const isMissing = thrown instanceof Error && /^(?:NotFound|NoSuchKey)$/.test(thrown.name);
        if (isMissing) return undefined;
        throw thrown;
      }
    });
  }

  async #run<T>(doing: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (thrown) {
      throw s3Error(doing, thrown);
    }
  }
}

/** Yields a body, and fails if it is shorter than announced: a connection can end early. */
async function* wholeBody(
  body: AsyncIterable<Uint8Array>,
  length: number | undefined,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const piece of body) {
      size += piece.length;
      yield piece;
    }
  } catch (thrown) {
    throw s3Error("Reading bytes", thrown);
  }
  if (length !== undefined && size !== length)
    throw s3Error("Reading bytes", new Error(`it ended after ${size} of ${length} bytes`));
}

async function* partOf(
  body: AsyncIterable<Uint8Array>,
  { from, to }: ByteRange,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const piece of body) {
    const part = piece.subarray(Math.max(from - at, 0), Math.max(to - at, 0));
    if (part.length > 0) yield part;
    at += piece.length;
    if (at >= to) return;
  }
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
