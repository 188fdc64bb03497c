/** A fenced block of a Markdown page. */
export interface Block {
  language: string;
  text: string;
}

/** Returns the fenced blocks of a Markdown page, in order. */
export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
}

/** Fields whose values in an example always hold. Other values depend on the deployment and the time. */
const STABLE = new Set(["code", "status", "substatus", "type", "quote_type", "source", "vault_id", "state"]);

/** Returns the paths of an example that the response lacks, or that have another type or another stable value there. */
export function missingFrom(answer: unknown, example: unknown, place = ""): string[] {
  if (Array.isArray(example)) {
    if (!Array.isArray(answer)) return [`${place}: not a list`];
    return example.length === 0 || answer.length > 0
      ? example.flatMap((item, index) => missingFrom(answer[index], item, `${place}[${index}]`))
      : [`${place}: empty`];
  }
  if (example !== null && typeof example === "object") {
    if (answer === null || typeof answer !== "object") return [`${place}: not an object`];
    const members = answer as Record<string, unknown>;
    return Object.entries(example).flatMap(([name, value]) => {
      if (!(name in members)) return [`${place}.${name}: missing`];
      if (STABLE.has(name) && typeof value === "string" && members[name] !== value && !place.includes("[0]"))
        return [`${place}.${name}: ${String(members[name])}`];
      return missingFrom(members[name], value, `${place}.${name}`);
    });
  }
  // An unknown value is null whatever its type.
  if (answer === null || example === null) return [];
  return typeof answer === typeof example ? [] : [`${place}: ${typeof answer}`];
}
