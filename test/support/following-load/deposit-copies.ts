import { sql as raw } from "drizzle-orm";
import { getAddress, type Hex, keccak256, stringToHex } from "viem";
import {
  EXCHANGE,
  OWN_VAULT,
  PAID_TOKEN,
  ROUTED_VAULT,
  SWAP_SELECTOR,
  USDC,
} from "../following/contracts.ts";
import type { SimulatedDeployment } from "../following/deployment.ts";
import type { EmbeddedDatabase } from "../following/embedded-database.ts";
import type { BuiltDeposit, Kind } from "../following/recount.ts";

const AMOUNT = 100_000_000;
/** Number of unsent builds per statement. */
const CHUNK = 2_000;

/** The kinds of deposits of a load, in the order in which they arrive. */
export const kinds: readonly Kind[] = ["router", "own", "swap", "one_step", "two_step"];

/** A deposit that the service built, of which copies are made. */
interface Template {
  trackingId: string;
  user: Hex;
  deposit: BuiltDeposit;
  /** Columns that differ from the row that the service built. */
  patch: Record<string, unknown>;
}

interface Copying {
  causeway: SimulatedDeployment;
  database: EmbeddedDatabase;
  chainIds: readonly number[];
}

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, "0");

/**
 * Makes many deposits of few: the service builds one of each kind for each chain, and the others are copies of its row
 * and calldata with another id, reference, account and time. Swaps are copies of Router deposits that an exchange makes
 * with what the user paid in another token, as LI.FI's transactions do.
 */
export class DepositCopies {
  readonly #of: Copying;
  #templates: Template[] = [];
  #built = 0;

  constructor(of: Copying) {
    this.#of = of;
  }

  /** Builds the templates anew, so that their quotes and deadlines are fresh. */
  async build(): Promise<void> {
    const { chainIds } = this.#of;
    const made: Template[] = [];
    for (const [index, homeId] of chainIds.entries()) {
      const awayId = chainIds[(index + 1) % chainIds.length] ?? homeId;
      for (const kind of kinds) {
        const like = made.find(({ deposit }) => deposit.kind === "router" && deposit.homeId === homeId);
        made.push(
          kind === "swap" && like !== undefined ? toSwap(like) : await this.#build(kind, { homeId, awayId }),
        );
      }
    }
    this.#templates = made;
  }

  async #build(kind: Kind, of: { homeId: number; awayId: number }): Promise<Template> {
    this.#built += 1;
    const user: Hex = `0x7e5e${hex(this.#built, 36)}`;
    const away = kind === "one_step" || kind === "two_step";
    const chainId = away ? of.awayId : of.homeId;
    const vault = kind === "router" || kind === "one_step" ? ROUTED_VAULT : OWN_VAULT;
    const body = {
      ...{ from_chain_id: chainId, from_token: USDC[chainId], from_amount: String(AMOUNT) },
      ...{ vault_id: `${of.homeId}:${vault.toLowerCase()}`, user_address: getAddress(user) },
    };
    const headers = { "content-type": "application/json" };
    const answer = await this.#of.causeway.send("/v1/quote/build", {
      ...{ method: "POST", headers, body: JSON.stringify(body) },
    });
    if (answer.status !== 200)
      throw new Error(`build of ${kind}: ${answer.status} ${JSON.stringify(answer.body)}`);
    const made = answer.body as {
      tracking_id: string;
      transaction_request: { chain_id: number; to: Hex; data: Hex };
    };
    const { to, data } = made.transaction_request;
    const deposit: BuiltDeposit = {
      ...{ trackingId: made.tracking_id, kind, user, builtAt: 0, homeId: of.homeId, minShares: null },
      ref: keccak256(stringToHex(made.tracking_id)),
      source: { chainId, to: to.toLowerCase() as Hex, data },
    };
    return { trackingId: made.tracking_id, user, deposit, patch: {} };
  }

  /** Returns the copy with a number, which `insert` stores. */
  copy(number: number, builtAt: number): BuiltDeposit & { template: Template } {
    const template = this.#templates[number % this.#templates.length];
    if (template === undefined) throw new RangeError("nothing was built");
    const { deposit, user: like } = template;
    const trackingId = `trk_10ad${hex(number, 28)}`;
    const [user, ref]: Hex[] = [`0x10ad${hex(number, 36)}`, keccak256(stringToHex(trackingId))];
    const data = deposit.source.data
      .replaceAll(like.slice(2), user?.slice(2) ?? "")
      .replaceAll(deposit.ref.slice(2), ref?.slice(2) ?? "") as Hex;
    const own = { trackingId, user: user ?? "0x", ref: ref ?? "0x", builtAt };
    return { ...deposit, ...own, source: { ...deposit.source, data }, template };
  }

  /** Stores copies as the service stores what it builds. */
  async insert(copies: readonly (BuiltDeposit & { template: Template })[]): Promise<void> {
    const rows = copies.map(({ trackingId, ref, user, source, builtAt, template }) => {
      const at = new Date(builtAt).toISOString();
      const own = {
        ...{ tracking_id: trackingId, ref, user_address: user, source_data_hash: keccak256(source.data) },
        ...{ history: [{ state: "built", at }], created_at: at, updated_at: at },
        expires_at: new Date(builtAt + 1_200_000).toISOString(),
      };
      return { like: template.trackingId, patch: { ...template.patch, ...own } };
    });
    const given = raw`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g("like" text, patch jsonb)`;
    const { database } = this.#of;
    await database.execute(raw`insert into deposits select (jsonb_populate_record(d, g.patch)).*
      from ${given} join deposits d on d.tracking_id = g."like"`);
    await database.execute(raw`insert into deposit_steps select g.patch ->> 'tracking_id', s.plan
      from ${given} join deposit_steps s on s.tracking_id = g."like"`);
  }

  /** Stores copies that nobody sends, of all templates. */
  async insertUnsent(count: number): Promise<void> {
    const likes = this.#templates.map(({ trackingId, patch }) => ({ trackingId, patch }));
    for (let first = 0; first < count; first += CHUNK) {
      const last = Math.min(count, first + CHUNK) - 1;
      await this.#of.database.execute(raw`insert into deposits
        select (jsonb_populate_record(d, l.patch || jsonb_build_object(
          'tracking_id', 'trk_' || lpad(to_hex(n), 32, '0'), 'ref', '0x' || lpad(to_hex(n), 64, '0'),
          'source_data_hash', '0x' || lpad(to_hex(n), 64, 'a'),
          'user_address', '0x' || lpad(to_hex(n), 40, 'b')))).*
        from generate_series(${first}::int, ${last}::int) n
        join (select o - 1 as o, e ->> 'trackingId' as id, e -> 'patch' as patch
          from jsonb_array_elements(${JSON.stringify(likes)}::jsonb) with ordinality as given(e, o)) l
          on l.o = n % ${likes.length}::int
        join deposits d on d.tracking_id = l.id`);
    }
    await this.#of.database.execute("analyze deposits");
  }
}

/** Makes a swap of a Router deposit: the user calls an exchange, which makes the deposit. */
function toSwap(like: Template): Template {
  const to = EXCHANGE.toLowerCase() as Hex;
  const data = `${SWAP_SELECTOR}${like.deposit.source.data.slice(2)}` as Hex;
  const patch = {
    ...{
      from_token: PAID_TOKEN.toLowerCase(),
      source_to: to,
      provider: "lifi",
      bridge: "sushiswap",
      tool: "sushiswap",
    },
    ...{ move_token: USDC[like.deposit.homeId]?.toLowerCase(), destination_call: true },
    ...{ move_expected: String(AMOUNT), move_min: String(AMOUNT) },
  };
  const source = { ...like.deposit.source, to, data };
  return { ...like, deposit: { ...like.deposit, kind: "swap", source }, patch };
}
