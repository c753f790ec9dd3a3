import type { Random } from "../breaking/random.ts";

/** Four bytes of an address that is not public. */
type Bytes = readonly [number, number, number, number];

function privateBytes(random: Random): Bytes {
  const any = () => random.between(0, 255);
  // Only this machine's own addresses answer.
  if (random.chance(60)) return [127, 0, 0, 1];
  const first = random.pick([127, 10, 0, 169, 172, 192, 100, 240, 255]);
  const seconds: { readonly [first: number]: number } = {
    169: 254,
    172: random.between(16, 31),
    192: 168,
    100: random.between(64, 127),
  };
  return [first, seconds[first] ?? any(), any(), any()];
}

/**
 * Returns a host that is not a public address, in one of the forms that a URL or a socket accepts.
 */
export function privateHost(random: Random): string {
  const bytes = privateBytes(random);
  const host = random.chance(60)
    ? shortForm(random, bytes)
    : random.pick([`[${ipv6Form(random, bytes)}]`, random.pick(names)]);
  return disguise(random, host);
}

const names = [
  "localhost",
  "LOCALHOST.",
  "private.example",
  "127.0.0.1.private.example",
  "ip6-localhost",
  "metadata.google.internal",
];

/**
 * One to four numbers, each decimal, octal or hexadecimal. The last number contains all remaining
 * bytes.
 */
function shortForm(random: Random, bytes: Bytes): string {
  const parts = random.between(1, 4);
  const numbers = [
    ...bytes.slice(0, parts - 1),
    bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0),
  ];
  return numbers
    .map((number) => {
      const zeros = "0".repeat(random.between(0, 4));
      return random.pick([
        String(number),
        `0${zeros}${number.toString(8)}`,
        `0x${zeros}${number.toString(16)}`,
        `0X${number.toString(16).toUpperCase()}`,
      ]);
    })
    .join(".");
}

function ipv6Form(random: Random, bytes: Bytes): string {
  const [a, b, c, d] = bytes;
  const hex = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const dotted = bytes.join(".");
  const form = random.pick([
    "::1",
    "0:0:0:0:0:0:0:1",
    "0000:0000:0000:0000:0000:0000:0000:0001",
    "::",
    `::ffff:${dotted}`,
    `::ffff:${hex}`,
    `0:0:0:0:0:FFFF:${hex}`,
    `::${dotted}`,
    `::ffff:0:${dotted}`,
    `64:ff9b::${dotted}`,
    `64:ff9b:1::${hex}`,
    `2002:${hex}::`,
    `2001:0:${hex}::`,
    `fe80::${hex}`,
    `fd00::${hex}`,
    `fec0::${hex}`,
  ]);
  return form + (random.chance(15) ? random.pick(["%lo", "%25lo", "%1", "%eth0"]) : "");
}

const fullWidth = (text: string): string =>
  text.replace(/[!-~]/g, (character) =>
    String.fromCodePoint((character.codePointAt(0) ?? 0) + 0xfee0),
  );

function disguise(random: Random, host: string): string {
  if (random.chance(50)) return host;
  if (host.startsWith("[")) return random.pick([host.toUpperCase(), `${host}.`, `${host}%00`]);
  return random.pick([
    `${host}.`,
    `${host}..`,
    host.toUpperCase(),
    fullWidth(host),
    host.replaceAll(".", () => random.pick(["。", "．", "｡", "%2e", "%E3%80%82"])),
    host.replace(/\d/, (digit) => `%3${digit}`),
    host.replace(/[1-9]/, (digit) => String.fromCodePoint(0x2460 + Number(digit) - 1)),
    host.replace(/^./, (first) => `${first}\u00ad`),
    host.replace(/.$/, (last) => `\u200b${last}`),
  ]);
}

/** Another notation of the same host. URL parsers do not accept all of them. */
export function otherSpelling(random: Random, name: string): string {
  return random.pick([
    name,
    `${name}.`,
    name.toUpperCase(),
    fullWidth(name),
    name.replace(".", "。"),
    name.replace(/^./, (first) => `%${first.codePointAt(0)?.toString(16)}`),
    name.replace(/^./, (first) => `${first}\u00ad`),
  ]);
}

/** A URL at the host, with any scheme, user, port and path. */
export function urlOf(random: Random, host: string, port: number): string {
  const place = `${host}:${port}`;
  if (random.chance(60)) return `http://${place}/`;
  return random.pick([
    `http://public.example@${place}/`,
    `http://public.example:80@${place}/`,
    `http://public.example\\@${place}/`,
    `http://${place}\\@public.example/`,
    `http://${place}#@public.example/`,
    `http://${place}?@public.example/`,
    `http:\\\\${place}\\`,
    `http:${place}/`,
    `http:/${place}/`,
    `HtTp:////${place}/`,
    `//${place}/`,
    ` \thttp://${place}/`,
    `ht\ntp:/\t/${place}/`,
    `http://${place}/%2e%2e/`,
    `https://${place}/`,
    `ftp://${place}/`,
    `view-source:http://${place}/`,
    `jar:http://${place}/!/`,
    `gopher://${place}/_GET`,
  ]);
}
