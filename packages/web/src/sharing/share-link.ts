const link = /^#share=(share_[\w-]{43})$/;

/** Returns the token of the link that opened this page, or `undefined` for other addresses. */
export function tokenOfAddress(hash: string): string | undefined {
  return link.exec(hash)?.[1];
}

/** Returns the address of a link. The token is in the fragment, which browsers do not send. */
export function shareAddress(page: string, token: string): string {
  const { origin, pathname } = new URL(page);
  return `${origin}${pathname}#share=${token}`;
}
