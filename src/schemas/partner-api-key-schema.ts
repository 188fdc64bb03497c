import * as z from "zod";
import { isAddressRange } from "../lib/ip-ranges.ts";
import { RotatedKeys } from "./partner-schema.ts";
import { TimeText } from "./primitive-schemas.ts";

/** Rights that a key pair may have. */
const keyRights = ["build", "read", "manage"] as const;
export type KeyRight = (typeof keyRights)[number];

/** Schema of one right of a key pair. */
const KeyRightText = z.enum(keyRights).meta({
  id: "KeyRight",
  description:
    "`build`: quotes and builds; `read`: the partner's own data; `manage`: settings, vaults and keys.",
  example: "read",
});

const KeyName = z.string().trim().min(1).max(60).meta({
  description: "Name of the key pair, in the partner's own words.",
  example: "Backend, production",
});
const Rights = z
  .array(KeyRightText)
  .min(1)
  .max(keyRights.length)
  .transform((rights) => keyRights.filter((right) => rights.includes(right)))
  .meta({ description: "What the key pair may do.", example: ["build", "read"] });
const AllowList = z
  .array(z.string().refine(isAddressRange, "must be a range of client addresses, such as 203.0.113.0/24"))
  .max(20)
  .meta({
    description:
      "Client addresses from which the key works, in CIDR notation; an empty list allows every address.",
    example: ["203.0.113.0/24"],
  });

/** Request body for creating a key pair. Strict: a misspelt `allow_list` would allow every address. */
export const ApiKeyInput = z
  .strictObject({
    name: KeyName,
    rights: Rights.default(["build", "read"]),
    allow_list: AllowList.default([]),
  })
  .meta({ id: "ApiKeyInput", description: "A key pair to create." });

/** Request body for changing a key pair. Strict: a misspelt field would leave it unchanged without notice. */
export const ApiKeyChange = z
  .strictObject({ name: KeyName.optional(), rights: Rights.optional(), allow_list: AllowList.optional() })
  .meta({ id: "ApiKeyChange", description: "Changes to a key pair; omitted fields stay unchanged." });

/** A key pair of a partner, without its secret and with only the first and last characters of its API key. */
export const ApiKey = z
  .object({
    key_id: z.string().meta({
      description: "Id of the key pair.",
      example: "key_0123456789abcdef0123456789abcdef",
    }),
    name: z.string().meta({ description: "Name of the key pair.", example: "Backend, production" }),
    rights: z
      .array(KeyRightText)
      .meta({ description: "What the key pair may do.", example: ["build", "read"] }),
    allow_list: z.array(z.string()).meta({
      description: "Client addresses from which the key works, in CIDR notation; empty: every address.",
      example: ["203.0.113.0/24"],
    }),
    api_key_prefix: z.string().meta({
      description: "First and last characters of the API key, to recognize it.",
      example: "cw_live_7Gh2…k9Qz",
    }),
    created_at: TimeText.meta({ description: "Time at which the current key and secret were created." }),
    last_used_at: TimeText.nullable().meta({
      description: "Time at which a key of this pair was last used, to the minute, or `null` if none was.",
    }),
  })
  .meta({ id: "ApiKey", description: "A key pair of a partner, without its secret." });
export type ApiKey = z.infer<typeof ApiKey>;

/** Response to the creation of a key pair, with its secret, which is shown only once. */
export const CreatedApiKey = ApiKey.extend(RotatedKeys.shape).meta({
  id: "CreatedApiKey",
  description: "A new key pair with its secret, which is shown only in this response.",
});
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

/** Id of a key pair in a path. */
export const ApiKeyId = z
  .string()
  .regex(/^key_[0-9a-f]{32}$/, "must be a key id, as GET /v1/partners/api-keys lists it")
  .meta({
    type: "string",
    pattern: "^key_[0-9a-f]{32}$",
    description: "Id of the key pair, as `GET /v1/partners/api-keys` returns it.",
    example: "key_0123456789abcdef0123456789abcdef",
  });
