/** The routes that accept multipart forms. They read the form while it arrives. */
const routes = [/^\/v1\/files\/?$/, /^\/v1\/uploads\/[^/]+\/parts\/?$/];

interface FormRequest {
  readonly method: string;
  readonly path: string;
  header(name: string): string | undefined;
}

/** Returns whether a request is a multipart form for a route that accepts one. */
export function isMultipart(request: FormRequest): boolean {
  if (request.method !== "POST" || !routes.some((route) => route.test(request.path))) return false;
  const type = request.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  return type === "multipart/form-data";
}
