import pg from "pg";
import type { BlobStore } from "../blobs/blob-store.ts";
import { type ByteRange, type ReceivedBlob, spool } from "../blobs/received-blob.ts";
import type { DatabaseAddress } from "./wire/address.ts";
import { clientConfig } from "./wire/connection.ts";
import { databaseError } from "./wire/database-error.ts";

/** The maximum number of bytes of a blob in one row. */
const pieceBytes = 1_048_576;

/**
 * Blobs as rows, which all nodes of a database share. `blobs` has a row for each blob, and
 * `blob_pieces` has its bytes; both are written in one transaction.
 *
 * A node cannot tell which blobs another node is about to refer to. So every use sets `used_at`,
 * and a blob is deleted an hour after its last use at the earliest. The row lock orders the two: a
 * deletion that waits for a use sees the new `used_at`.
 */
export class PostgresBlobs implements BlobStore {
  readonly #pool: pg.Pool;

  constructor(address: DatabaseAddress) {
    this.#pool = new pg.Pool({ ...clientConfig(address), max: 2, pipeline: false });
    this.#pool.on("error", () => {});
  }

  put({ sha256, bytes }: { sha256: string; bytes: Uint8Array }): Promise<void> {
    return this.#add({ sha256, size: bytes.length }, () => piecesOf(bytes));
  }

  async receive(pieces: AsyncIterable<Uint8Array>): Promise<ReceivedBlob> {
    const spooled = await spool(pieces);
    const { sha256, size } = spooled;
    const keep = () => this.#add({ sha256, size }, () => spooled.read(pieceBytes));
    return { sha256, size, keep, discard: () => spooled.close() };
  }

  /** Adds the pieces of a blob, each with `pieceBytes` bytes except the last one. */
  async #add(
    { sha256, size }: { readonly sha256: string; readonly size: number },
    pieces: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<void> {
    await this.#with(async (client) => {
      await client.query("BEGIN");
      try {
        const { rows } = await client.query<{ isNew: boolean }>(
          `INSERT INTO blobs (sha256, bytes, used_at) VALUES ($1, $2, now())
           ON CONFLICT (sha256) DO UPDATE SET used_at = now() RETURNING xmax = 0 AS "isNew"`,
          [sha256, size],
        );
        let n = 0;
        for await (const piece of rows[0]?.isNew === true ? pieces() : []) {
          await client.query("INSERT INTO blob_pieces (sha256, n, piece) VALUES ($1, $2, $3)", [
            sha256,
            n,
            Buffer.from(piece.buffer, piece.byteOffset, piece.length),
          ]);
          n += 1;
        }
        await client.query("COMMIT");
      } catch (error) {
        await client.query("ROLLBACK").catch(() => {});
        throw error;
      }
    });
  }

  async get(sha256: string): Promise<Uint8Array | undefined> {
    const pieces = await this.stream(sha256);
    if (pieces === undefined) return undefined;
    const all: Uint8Array[] = [];
    for await (const piece of pieces) all.push(piece);
    return Buffer.concat(all);
  }

  async stream(sha256: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { rows } = await this.#query("SELECT 1 FROM blobs WHERE sha256 = $1", [sha256]);
    if (rows.length === 0) return undefined;
    return this.#pieces(sha256, range);
  }

  async *#pieces(
    sha256: string,
    { from, to }: ByteRange = { from: 0, to: Number.MAX_SAFE_INTEGER },
  ): AsyncGenerator<Uint8Array> {
    for (let n = Math.floor(from / pieceBytes); n * pieceBytes < to; n++) {
      const { rows } = await this.#query<{ piece: Buffer }>(
        "SELECT piece FROM blob_pieces WHERE sha256 = $1 AND n = $2",
        [sha256, n],
      );
      if (rows[0] === undefined) return;
      const start = n * pieceBytes;
      yield rows[0].piece.subarray(Math.max(from - start, 0), to - start);
    }
  }

  async has(sha256: string): Promise<boolean> {
    const { rowCount } = await this.#query("UPDATE blobs SET used_at = now() WHERE sha256 = $1", [
      sha256,
    ]);
    return rowCount === 1;
  }

  async delete(sha256: string): Promise<void> {
    await this.#query(
      `WITH gone AS (
         DELETE FROM blobs b WHERE b.sha256 = $1 AND b.used_at < now() - interval '1 hour'
           AND NOT EXISTS (SELECT 1 FROM run_blobs r WHERE r.sha256 = b.sha256)
           AND NOT EXISTS (SELECT 1 FROM files f WHERE f.sha256 = b.sha256)
           AND NOT EXISTS (SELECT 1 FROM upload_parts u WHERE u.sha256 = b.sha256)
         RETURNING b.sha256)
       DELETE FROM blob_pieces p USING gone WHERE p.sha256 = gone.sha256`,
      [sha256],
    );
  }

  async *list(): AsyncGenerator<string> {
    for (let last = ""; ;) {
      const { rows } = await this.#query<{ sha256: string }>(
        "SELECT sha256 FROM blobs WHERE sha256 > $1 ORDER BY sha256 LIMIT 500",
        [last],
      );
      for (const { sha256 } of rows) yield sha256;
      if (rows.length < 500) return;
      last = rows.at(-1)?.sha256 ?? "";
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #query<Row extends pg.QueryResultRow>(text: string, values: unknown[]) {
    return this.#with((client) => client.query<Row>(text, values));
  }

  async #with<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    try {
      const client = await this.#pool.connect();
      try {
        const result = await use(client);
        client.release();
        return result;
      } catch (error) {
        client.release(true);
        throw error;
      }
    } catch (error) {
      throw databaseError("Storing bytes", error);
    }
  }
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += pieceBytes)
    yield bytes.subarray(from, from + pieceBytes);
}
