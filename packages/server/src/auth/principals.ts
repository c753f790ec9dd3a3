import { createHash, timingSafeEqual } from "node:crypto";

export interface ApiKey {
  /** Whose it is; owns what is made with it. */
  readonly name: string;
  readonly key: string;
}

/** Where no key is configured: the person at this machine. */
export const localPrincipal = "local";

/** Tells whose a key is, in a time that says nothing about the keys. */
export function createPrincipals(
  keys: readonly ApiKey[],
): (authorization: string | undefined) => string | undefined {
  if (keys.length === 0) return () => localPrincipal;
  const known = keys.map(({ name, key }) => ({ name, digest: digestOf(key) }));
  return (authorization) => {
    const given = /^Bearer\s+(.+)$/i.exec(authorization ?? "")?.[1];
    if (given === undefined) return undefined;
    const digest = digestOf(given.trim());
    let found: string | undefined;
    for (const candidate of known)
      if (timingSafeEqual(candidate.digest, digest)) found = candidate.name;
    return found;
  };
}

function digestOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
