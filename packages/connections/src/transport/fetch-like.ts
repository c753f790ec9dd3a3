/**
 * A function like `fetch`. A type of its own, because public types cannot refer to bundled libraries.
 */
export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;
