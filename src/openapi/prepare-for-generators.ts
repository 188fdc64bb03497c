import { bridgeKeys } from "../schemas/build-input-schema.ts";
import { DepositState, depositStates } from "../schemas/deposit-schema.ts";
import { historyIntervals, historyMetrics } from "../schemas/history-schema.ts";
import { applicationStatuses } from "../schemas/partner-application-schema.ts";
import { dimensions, tiers } from "../schemas/signal-schema.ts";
import { substatuses, transferStatuses } from "../schemas/step-schema.ts";
import { vaultTypes } from "../schemas/vault-schema.ts";
import { WithdrawalState, withdrawalStates } from "../schemas/withdrawal-schema.ts";
import type { DescribedDocument } from "./openapi-references.ts";

/** Enumerations that several fields or parameters have, by the name of their component. */
const sharedEnums: Readonly<Record<string, { values: readonly string[]; description: string }>> = {
  VaultType: { values: vaultTypes, description: "Family of a vault, as its public label." },
  DepositState: { values: depositStates, description: DepositState.description ?? "" },
  WithdrawalState: { values: withdrawalStates, description: WithdrawalState.description ?? "" },
  TransferStatusName: { values: transferStatuses, description: "Status of a transfer." },
  Substatus: { values: substatuses, description: "Detail of the status of a transfer." },
  SignalDimension: { values: dimensions, description: "What a signal is about." },
  SignalTier: { values: tiers, description: "Severity of a signal." },
  ApplicationStatus: { values: applicationStatuses, description: "Status of a partner application." },
  BridgeKey: { values: bridgeKeys, description: "Key of a bridge." },
  ExitMode: {
    values: ["instant", "request", "cooldown"],
    description: "How a vault pays back: at once, when it settles a request, or after a cooldown.",
  },
  HistoryMetric: { values: historyMetrics, description: "Metric of a vault's history." },
  HistoryInterval: {
    values: Object.keys(historyIntervals),
    description: "Time between two points of a history.",
  },
  VaultState: {
    values: ["candidate", "active", "refused", "paused", "unsupported"],
    description: "State of a vault in the registry.",
  },
  WantedVaultState: {
    values: ["active", "paused", "unsupported", "candidate"],
    description: "State that an administrator can give a vault.",
  },
  SigningMethod: {
    values: ["approve", "erc3009", "permit2", "permit"],
    description: "How the payment is authorized: by an approval, or by a signature of one kind.",
  },
  DepositSettlement: {
    values: ["instant", "request"],
    description: "Whether a vault mints shares at once or settles a request later.",
  },
  PriceSubject: {
    values: ["vault", "route"],
    description: "What a price error is about: the vault's own share price, or a provider's offer.",
  },
  PriceSource: { values: ["feed", "market"], description: "Where a price comes from." },
};

/** The fields of a schema with an enumeration that this file changes. */
interface EnumNode {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: object[];
}

/**
 * Moves each enumeration of `sharedEnums` that the document uses into one component, so that generated clients have one
 * type for it. Recognizes it by its values in their order. Modifies the document in place.
 */
export function nameSharedEnums(document: DescribedDocument): void {
  const used = new Set<string>();
  const names = new Map(Object.entries(sharedEnums).map(([name, { values }]) => [keyOf(values), name]));
  visit(document, (node) => {
    const values = node.enum ?? [];
    const name = names.get(keyOf(values.filter((value) => value !== null)));
    if (name === undefined) return;
    used.add(name);
    const reference = { $ref: `#/components/schemas/${name}` };
    delete node.type;
    delete node.enum;
    if (values.includes(null)) node.anyOf = [reference, { type: "null" }];
    else Object.assign(node, reference);
  });
  const components = Object.entries(sharedEnums)
    .filter(([name]) => used.has(name))
    .map(([name, { values, description }]) => [name, { type: "string", enum: [...values], description }]);
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...Object.fromEntries(components) },
  };
}

/** The parts of a body's schema that this file reads, and the fields that it changes. */
interface DefaultedField {
  $ref?: string;
  properties?: Record<string, DefaultedField>;
  required?: string[];
  items?: DefaultedField;
  anyOf?: DefaultedField[];
  default?: unknown;
  description?: string;
}

/**
 * Moves the defaults of fields in request bodies into their descriptions, because client generators would require a
 * field with a default from the caller. Modifies the document in place.
 */
export function describeDefaults(document: DescribedDocument): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, DefaultedField>;
  const describe = (schema: DefaultedField | undefined): void => {
    const named = schemas[schema?.$ref?.split("/").at(-1) ?? ""] ?? schema;
    for (const field of Object.values(named?.properties ?? {})) {
      describeDefault(field);
      describe(field);
    }
    if (named?.items !== undefined) describe(named.items);
  };
  for (const operation of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path)))
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) describe(schema);
}

function describeDefault(field: DefaultedField): void {
  if (!("default" in field)) return;
  const text = JSON.stringify(field.default).replace(/^"(.*)"$/, "$1");
  const said = /\bDefault: /.test(field.description ?? "");
  const shown = ["", "[]", "{}"].includes(text) ? "empty" : `\`${text}\``;
  if (!said) field.description = `${field.description ?? ""} Default: ${shown}.`;
  delete field.default;
}

/**
 * Makes the fields of responses that have a default required, and drops the default: `respond` fills such fields in.
 * Call it after `describeDefaults`. Modifies the document in place.
 */
export function requireDefaultedFields(document: DescribedDocument): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, DefaultedField>;
  const seen = new Set<DefaultedField>();
  const require = (schema: DefaultedField | undefined): void => {
    const named = schemas[schema?.$ref?.split("/").at(-1) ?? ""] ?? schema;
    if (named === undefined || seen.has(named)) return;
    seen.add(named);
    const properties = Object.entries(named.properties ?? {});
    const filled = properties.filter(([, field]) => "default" in field);
    for (const [, field] of filled) delete field.default;
    const required = new Set([...(named.required ?? []), ...filled.map(([name]) => name)]);
    if (filled.length > 0)
      named.required = properties.map(([name]) => name).filter((name) => required.has(name));
    for (const part of [...properties.map(([, field]) => field), ...(named.anyOf ?? [])]) require(part);
    require(named.items);
  };
  for (const operation of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path)))
    for (const { content } of Object.values(operation.responses ?? {}))
      for (const { schema } of Object.values(content ?? {})) require(schema);
}

const keyOf = (values: readonly unknown[]): string => JSON.stringify(values);

/** Calls `change` with every object of a document that has an enumeration. */
function visit(part: unknown, change: (node: EnumNode) => void): void {
  if (part === null || typeof part !== "object") return;
  if ("enum" in part && Array.isArray(part.enum)) change(part as EnumNode);
  for (const inner of Object.values(part)) visit(inner, change);
}
