import type { SearchObject, Store } from "@capstan/store";
import { attributeFilter } from "./attribute-filter.ts";
import type { PartPlace } from "./document-reader.ts";
import type { VectorStores } from "./vector-stores.ts";

/** A part of a document that a search found, for a tool. */
export interface DocumentHit extends PartPlace {
  readonly document: string;
  readonly fileId: string;
  readonly score: number;
  readonly text: string;
  readonly attributes: { readonly [key: string]: string | number | boolean };
}

/** The vector stores and files of users, for tools. */
export interface StoredDocuments {
  search(query: {
    readonly owner: string;
    readonly storeIds: readonly string[];
    readonly query: string;
    readonly filters: unknown;
    readonly limit: number;
    readonly minScore: number;
    readonly signal: AbortSignal;
  }): Promise<
    | { readonly status: "found"; readonly hits: readonly DocumentHit[] }
    | { readonly status: "failed"; readonly code: string; readonly message: string }
  >;
  readFile(file: { readonly owner: string; readonly id: string }): Promise<
    | {
        readonly name: string;
        readonly mimeType: string;
        readonly read: () => Promise<Uint8Array>;
      }
    | undefined
  >;
}

/** Returns the documents that tools can search and read, each with the rights of its user. */
export function createStoredDocuments(
  vectorStores: VectorStores,
  store: Pick<Store, "getFile" | "readBlob">,
): StoredDocuments {
  return {
    async search({ storeIds, filters, query, ...more }) {
      const filter = filters === undefined ? undefined : attributeFilter.safeParse(filters);
      if (filter?.success === false)
        return {
          status: "failed",
          code: "invalid_filters",
          message: `The filters of the request are not valid: ${filter.error.issues[0]?.message ?? ""}`,
        };
      const stores: SearchObject[] = [];
      for (const id of new Set(storeIds)) {
        const found = await vectorStores.find(more.owner, id);
        if (found === undefined || found === "expired") return unusable(id, found);
        stores.push(found);
      }
      const hits = await vectorStores.search({
        ...more,
        stores,
        queries: [query],
        filter: filter?.data,
      });
      return {
        status: "found",
        hits: hits.map(({ filename, place, attributes, ...hit }) => ({
          ...hit,
          ...(place as unknown as PartPlace),
          document: filename,
          attributes: attributes as DocumentHit["attributes"],
        })),
      };
    },
    async readFile({ owner, id }) {
      const file = await store.getFile({ owner, id });
      if (file === undefined) return undefined;
      const { name, mimeType, sha256 } = file;
      return {
        name,
        mimeType,
        read: async () => {
          const bytes = await store.readBlob(sha256);
          if (bytes === undefined) throw new Error(`The bytes of "${name}" are no longer stored.`);
          return bytes;
        },
      };
    },
  };
}

function unusable(id: string, found: "expired" | undefined) {
  const shown = JSON.stringify(id.slice(0, 100));
  return found === "expired"
    ? ({
        status: "failed",
        code: "vector_store_expired",
        message: `The vector store ${shown} has expired. Create a new one with its files.`,
      } as const)
    : ({
        status: "failed",
        code: "vector_store_not_found",
        message: `There is no vector store ${shown} here.`,
      } as const);
}
