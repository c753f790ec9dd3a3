let offset = 0;

/** Notes how far this machine's clock is from the server's; `Date` has whole seconds. */
export function noteServerDate(header: string | null): void {
  const server = header === null ? Number.NaN : Date.parse(header);
  if (Number.isNaN(server)) return;
  const difference = Date.now() - server;
  offset = Math.abs(difference) > 2_500 ? difference : 0;
}

/** The server's time, in ms since the epoch. */
export function serverNow(): number {
  return Date.now() - offset;
}
