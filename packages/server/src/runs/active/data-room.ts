/** What a number, a key or an object takes beside its texts. */
const each = 8;

/**
 * About how many bytes plain data takes in memory, told quickly: the characters of its texts, and a
 * little for all else. What is there twice counts twice.
 *
 * @example
 * dataRoom({ role: "user", content: "Hello." }); // 50
 */
export function dataRoom(data: unknown): number {
  if (typeof data === "string") return each + data.length;
  if (typeof data !== "object" || data === null) return each;
  let room = each;
  if (Array.isArray(data)) for (const one of data) room += dataRoom(one);
  else
    for (const key in data)
      room += each + dataRoom((data as { readonly [key: string]: unknown })[key]);
  return room;
}
