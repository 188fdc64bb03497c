/** A parsed range of client addresses: the bytes of an address in it, and the number of its leading bits that count. */
interface AddressRange {
  bytes: readonly number[];
  bits: number;
}

/**
 * Returns true if a client address is in one of the ranges (`203.0.113.0/24`, `2001:db8::/32`, or one address). A
 * malformed address or range matches nothing, and an IPv4 address matches no IPv6 range. Source: RFC 4632, RFC 4291.
 */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  const bytes = parseIp(address);
  if (bytes === null) return false;
  return ranges.some((text) => {
    const range = parseRange(text);
    return range !== null && range.bytes.length === bytes.length && startsAlike(bytes, range);
  });
}

/** Returns true if a text is a range of client addresses in CIDR notation, or one address. */
export const isAddressRange = (text: string): boolean => parseRange(text) !== null;

function parseRange(text: string): AddressRange | null {
  const [address = "", length] = text.split("/");
  const bytes = parseIp(address);
  if (bytes === null || text.split("/").length > 2) return null;
  if (length === undefined) return { bytes, bits: bytes.length * 8 };
  if (!/^(0|[1-9][0-9]{0,2})$/.test(length) || Number(length) > bytes.length * 8) return null;
  return { bytes, bits: Number(length) };
}

function startsAlike(bytes: readonly number[], { bytes: start, bits }: AddressRange): boolean {
  return bytes.every((byte, index) => {
    const counted = Math.max(0, Math.min(8, bits - index * 8));
    const mask = (0xff << (8 - counted)) & 0xff;
    return (byte & mask) === ((start[index] ?? 0) & mask);
  });
}

function parseIp(text: string): number[] | null {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): number[] | null {
  const parts = text.split(".");
  const fine =
    parts.length === 4 && parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256);
  return fine ? parts.map(Number) : null;
}

function parseIpv6(text: string): number[] | null {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  // Only the end of an address may be a dotted quad.
  if (halves.length === 2 && halves[0]?.includes(".")) return null;
  const [head = [], tail = []] = halves.map(groupsOf);
  if (head === null || tail === null) return null;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  return [...head, ...Array<number>(missing).fill(0), ...tail].flatMap((group) => [group >> 8, group & 0xff]);
}

/** Returns the 16-bit groups of one side (before or after `::`) of an IPv6 address, or null if one is malformed. */
function groupsOf(text: string): number[] | null {
  if (text === "") return [];
  const parts = text.split(":");
  const last = parts.at(-1) ?? "";
  const mapped = last.includes(".") ? parseIpv4(last) : null;
  if (last.includes(".") && mapped === null) return null;
  const plain = mapped === null ? parts : parts.slice(0, -1);
  if (plain.some((part) => !/^[0-9a-fA-F]{1,4}$/.test(part))) return null;
  const [a = 0, b = 0, c = 0, d = 0] = mapped ?? [];
  return [
    ...plain.map((part) => Number.parseInt(part, 16)),
    ...(mapped === null ? [] : [a * 256 + b, c * 256 + d]),
  ];
}
