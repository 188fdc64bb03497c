const rules: readonly (readonly [RegExp, string])[] = [
  [/^trk_[0-9a-f]{32}$/, "<tracking id>"],
  [/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, "<uuid>"],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, "<time>"],
  [/^0x[0-9a-f]{64}$/, "<hash>"],
];

/** Fields whose values differ between runs. */
const volatile: ReadonlySet<string> = new Set(["block_number", "gas_used", "gas_limit"]);

/**
 * Makes responses of different runs comparable: replaces ids, times, hashes, long data and gas by their kind, and
 * addresses (also in vault ids) by the given names. The structure is kept.
 */
export function normalise(value: unknown, names: Readonly<Record<string, string>> = {}): unknown {
  const named = Object.entries(names).map(([name, address]) => [address.toLowerCase(), `<${name}>`] as const);
  const text = (input: string): string => {
    const rule = rules.find(([pattern]) => pattern.test(input));
    if (rule !== undefined) return rule[1];
    if (/^0x([0-9a-f]{2}){33,}$/i.test(input)) return `<${(input.length - 2) / 2} bytes>`;
    let output = input;
    for (const [address, name] of named) output = output.replace(new RegExp(address, "gi"), name);
    return output.replace(/0x[0-9a-fA-F]{40}/g, "<address>");
  };
  const walk = (node: unknown, key: string): unknown => {
    if (node !== null && volatile.has(key)) return `<${key}>`;
    if (typeof node === "string") return text(node);
    if (Array.isArray(node)) return node.map((item) => walk(item, key));
    if (typeof node !== "object" || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([name, item]) => [name, walk(item, name)]));
  };
  return walk(value, "");
}
