import { isSameSite } from "@capstan/sandbox";

/** Returns the address of a link if it is on the site of the start, and `undefined` otherwise. */
export function onSite(link: string, start: URL): URL | undefined {
  const url = URL.parse(link);
  if (url?.username !== "" || url.password !== "") return undefined;
  url.hash = "";
  // Sites link to themselves with http although they have https.
  if (start.protocol === "https:" && url.protocol === "http:" && url.port === "")
    url.protocol = "https:";
  return isSameSite(start, url) ? url : undefined;
}
