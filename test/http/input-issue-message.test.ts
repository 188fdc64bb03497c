import { describe, expect, test } from "vitest";
import * as z from "zod";
import { messageOfIssue } from "../../src/http/input-issue-message.ts";

const messageFor = (schema: z.ZodType, value: unknown): string | undefined => {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue === undefined ? undefined : messageOfIssue(issue);
};

describe("messageOfIssue()", () => {
  test.each<[z.ZodType, unknown, string]>([
    [z.enum(["a", "b"]), "c", 'must be one of "a"|"b"'],
    [z.literal("a"), "c", 'must be "a"'],
    [z.string(), 1, "must be a string, in quotes"],
    [z.number(), "1", "must be a JSON number, without quotes"],
    [z.int(), 1.5, "must be a JSON integer, without quotes"],
    [z.boolean(), "true", "must be true or false, without quotes"],
    [z.object({}), [], "must be a JSON object"],
    [z.array(z.string()), {}, "must be a JSON array"],
    [z.string().max(3), "abcd", "must have at most 3 characters"],
    [z.string().min(2), "a", "must have at least 2 characters"],
    [z.string().min(1), "", "must not be empty"],
    [z.array(z.int()).min(1), [], "must not be empty"],
    [z.array(z.int()).max(1), [1, 2], "must have at most 1 item"],
    [z.number().max(5), 6, "must be at most 5"],
    [z.number().gt(0), 0, "must be more than 0"],
    [z.number().lt(5), 5, "must be less than 5"],
    [z.email(), "x", "must be an email address, such as dev@example.com"],
  ])("%#: says what the value must be", (schema, value, message) => {
    expect(messageFor(schema, value)).toBe(message);
  });

  test("keeps a schema's own message", () => {
    expect(messageFor(z.string().max(3, "is too long"), "abcd")).toBe("is too long");
    expect(messageFor(z.string().regex(/^a$/, "must be a"), "b")).toBe("must be a");
  });
});
