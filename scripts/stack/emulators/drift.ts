import type { Change } from "./control.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Fields = { [key: string]: Json };

/** Returns the transformation of a `drift` fault; null for the service's own, which renames fields. */
export function driftTransform(change: Change): ((json: unknown) => unknown) | null {
  const whole = wholes[change];
  return whole === undefined ? null : (json) => whole(json as Json);
}

const wholes: Partial<Readonly<Record<Change, (json: Json) => Json>>> = {
  missing: (json) => onTop(json, (fields) => fields.slice(1)),
  null: (json) => onTop(json, (fields) => fields.map(([key]) => [key, null])),
  number_for_string: (json) => onLeaves(json, (leaf) => (isDecimal(leaf) ? Number(leaf) : leaf)),
  string_for_number: (json) => onLeaves(json, (leaf) => (typeof leaf === "number" ? String(leaf) : leaf)),
  extra: (json) => onObjects(json, (fields) => ({ ...fields, addedSince: { version: 2, notes: ["new"] } })),
};

const isDecimal = (leaf: Json): boolean => typeof leaf === "string" && /^[0-9]+$/.test(leaf);

function onTop(json: Json, change: (fields: [string, Json][]) => [string, Json][]): Json {
  if (json === null || typeof json !== "object") return json;
  return Array.isArray(json)
    ? json.map((one) => onTop(one, change))
    : Object.fromEntries(change(Object.entries(json)));
}

function onLeaves(json: Json, change: (leaf: Json) => Json): Json {
  if (Array.isArray(json)) return json.map((one) => onLeaves(one, change));
  if (json === null || typeof json !== "object") return change(json);
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, onLeaves(value, change)]));
}

function onObjects(json: Json, change: (fields: Fields) => Fields): Json {
  if (Array.isArray(json)) return json.map((one) => onObjects(one, change));
  if (json === null || typeof json !== "object") return json;
  const own = Object.entries(json).map(([key, value]) => [key, onObjects(value, change)] as const);
  return change(Object.fromEntries(own));
}
