/**
 * Whom an address counts as: an IPv4 address itself, an IPv6 address its /64, which is what one customer has.
 * Anything else counts as it is, cut to a length.
 */
export function clientSubject(address: string): string {
  const text = address.trim().toLowerCase();
  if (!text.includes(":")) return text.slice(0, 45);
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/.exec(text)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail = ""] = text.split("::", 2);
  const groups = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const [front, back] = [groups(head), groups(tail)];
  const zeros = text.includes("::")
    ? Array<string>(Math.max(0, 8 - front.length - back.length)).fill("0")
    : [];
  const network = [...front, ...zeros, ...back].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ""));
  return `${network.join(":").slice(0, 40)}::/64`;
}
