import type * as z from "zod";

/** Zod's own messages, as opposed to those that a schema gives. */
const DEFAULT_MESSAGE = /^(?:Too (?:big|small):|Invalid )/;
/** JSON's names of what zod expects. */
const TYPES: Readonly<Record<string, string>> = {
  string: "a string, in quotes",
  number: "a JSON number, without quotes",
  int: "a JSON integer, without quotes",
  boolean: "true or false, without quotes",
  object: "a JSON object",
  array: "a JSON array",
};

/**
 * Returns the message of a zod issue for the API's user. Zod's default messages about types, sizes, fixed values and
 * e-mail addresses are replaced by what the value must be; every other message is returned unchanged.
 */
export function messageOfIssue(issue: z.core.$ZodIssue): string {
  if (!DEFAULT_MESSAGE.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map((value) => JSON.stringify(value)).join("|")}`;
    case "invalid_type":
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "too_big":
      return `must ${sizeText(issue.origin, `at most ${issue.maximum}`, issue.inclusive === false ? `less than ${issue.maximum}` : null)}`;
    case "too_small":
      return `must ${sizeText(issue.origin, `at least ${issue.minimum}`, issue.inclusive === false ? `more than ${issue.minimum}` : null)}`;
    case "invalid_format":
      return issue.format === "email" ? "must be an email address, such as dev@example.com" : issue.message;
    default:
      return issue.message;
  }
}

/** Words a bound on a number, on the length of a text, or on the number of items; `strict` if it is exclusive. */
function sizeText(origin: string, inclusive: string, strict: string | null): string {
  const counted = { string: "character", array: "item", set: "item" }[origin];
  if (counted === undefined) return `be ${strict ?? inclusive}`;
  if (inclusive === "at least 1") return "not be empty";
  return `have ${inclusive} ${counted}${/ 1$/.test(inclusive) ? "" : "s"}`;
}
