import { zeroAddress } from "viem";
import { Built, requestApi } from "../stack/demo/api.ts";
import { walletOn } from "../stack/demo/wallet.ts";
import type { StackManifest } from "../stack/manifest.ts";
import { setDistance } from "./node-distance.ts";
import { bodyFor, callRoute, type Route, requestsOf } from "./routes.ts";
import { interleave, median } from "./statistics.ts";
import { ms, type Row } from "./table.ts";
import type { RunningWorker } from "./workers.ts";

const REPEATS = 5;
/** Delay of the nodes in milliseconds. Longer than all else that a request takes, so that the quotient is whole. */
const AWAY_MS = 200;

/** A measured request, and the largest number of times it may wait for nodes. */
interface Measured extends Route {
  most: number;
}

/** Column titles of the benchmark of withdrawals. */
export const withdrawalColumns = ["waits for nodes", "median", "rpc", "provider", "db", "redis"] as const;

/**
 * Counts how often quotes, builds and actions of the way out wait for nodes, one after the other: what more a request
 * takes while every node is far away, divided by that distance. A deposit stands beside them. Deposits from the stack's
 * first account before.
 */
export async function benchWithdrawals(worker: RunningWorker, stack: StackManifest): Promise<Row[]> {
  const nodes = Object.values(stack.emulators.rpc);
  const away = async (distance: number) => {
    for (const node of nodes) await setDistance(node, distance);
  };
  const rows: Row[] = [];
  for (const { most, ...route } of await measuredRoutes(stack)) {
    const send = async () => (await callRoute(worker.origin, route)).arrayBuffer();
    const { near } = await interleave(REPEATS, { near: send });
    await away(AWAY_MS);
    const { far } = await interleave(REPEATS, { far: send });
    await away(0);
    const waits = Math.round((Math.min(...far) - Math.min(...near)) / AWAY_MS);
    const counts = await requestsOf(worker.origin, route);
    rows.push({
      ...{ name: route.name, values: [`${waits}`, ms(median(near)), ...counts] },
      ...{ aim: `waits <= ${most}`, reached: waits <= most },
    });
  }
  return rows;
}

async function measuredRoutes(stack: StackManifest): Promise<Measured[]> {
  const deposit = bodyFor(stack, "Plain USDC");
  const routes: Measured[] = [
    { name: "POST /v1/quote/build, one chain", path: "/v1/quote/build", body: deposit, most: 3 },
  ];
  for (const name of ["Plain USDC", "Cooldown USDC", "Lagoon USDC", "Midas USDC"]) {
    const asked = await holdShares(stack, name);
    const [quote, build] = ["/v1/withdraw/quote", "/v1/withdraw/build"];
    const most = name === "Plain USDC" ? 3 : 5;
    routes.push({ name: `POST ${quote}, ${name}`, path: quote, body: asked, most });
    routes.push({ name: `POST ${build}, ${name}`, path: build, body: asked, most });
    if (name === "Plain USDC") {
      const [swapped, bridged] = [
        { ...asked, to_token: zeroAddress },
        { ...asked, ...elsewhere(stack, name) },
      ];
      routes.push({ name: `POST ${build}, with a swap`, path: build, body: swapped, most: 4 });
      routes.push({ name: `POST ${build}, across chains`, path: build, body: bridged, most: 4 });
    }
    const path = `/v1/actions/${asked.user_address}/${asked.vault_id}`;
    routes.push({ name: `GET /v1/actions/{user}/{vault}, ${name}`, path, most: most + 1 });
  }
  return routes;
}

/** Deposits into a vault by its own calls, and returns the body that withdraws all shares. */
async function holdShares(stack: StackManifest, name: string) {
  const body = bodyFor(stack, name);
  const wallet = walletOn(body.from_chain_id, stack);
  const { calls } = await requestApi(`${stack.api}/v1/quote/build`, { schema: Built, body });
  for (const { to, data, value } of calls) await wallet.send({ to, data, value: BigInt(value) });
  return { vault_id: body.vault_id, user_address: wallet.address, shares: "all" };
}

/** Returns the fields that send the payment to the chain without the vault. */
function elsewhere(stack: StackManifest, name: string) {
  const { from_chain_id: home } = bodyFor(stack, name);
  const other = stack.chains.find(({ chain_id }) => chain_id !== home);
  return { to_chain_id: other?.chain_id, to_token: other?.contracts.tokens.USDC.address };
}
