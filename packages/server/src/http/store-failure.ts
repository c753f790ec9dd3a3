import { CapstanError } from "@capstan/core";
import type { ApiError } from "./api-error.ts";

interface Failure extends Pick<ApiError, "status" | "retryAfterSeconds"> {
  readonly says: string;
}

const gone: Failure = {
  status: 503,
  retryAfterSeconds: 5,
  says: "The server's database does not answer: what was asked for was not done, or it is not known whether it was. Try again in a moment.",
};

/** What the store's errors say to clients: without its paths, its address, or its own words. */
const failures: { readonly [code: string]: Failure } = {
  disk_full: {
    status: 507,
    retryAfterSeconds: 30,
    says: "The server's disk is full: nothing was stored. Whoever runs it has to make room; then try again.",
  },
  store_busy: {
    status: 503,
    retryAfterSeconds: 1,
    says: "Another program holds the server's database: nothing was stored. Try again in a moment.",
  },
  store_closed: {
    status: 503,
    retryAfterSeconds: 5,
    says: "The server is stopping. Try again once it is back.",
  },
  database_unreachable: gone,
  database_refused: {
    status: 503,
    says: "The server's database refuses it. Whoever runs the server finds the reason in its log.",
  },
  database_corrupt: {
    status: 500,
    says: "The server's database is damaged there. Whoever runs the server has to restore a backup; its log says more.",
  },
  data_directory_unwritable: {
    status: 500,
    says: "The server may not write its data: nothing was stored. Whoever runs it has to give it the right; its log says more.",
  },
};

/** How a request is answered that the store could not serve; undefined for any other error. */
export function storeFailure(thrown: unknown): ApiError | undefined {
  if (!CapstanError.isInstance(thrown)) return undefined;
  const failure = failures[thrown.code];
  if (failure === undefined) return undefined;
  const { says, ...rest } = failure;
  return {
    ...rest,
    type: "server_error",
    code: thrown.code,
    param: "request",
    message: says,
  };
}
