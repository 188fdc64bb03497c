import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { encodeAbiParameters, type Hex, keccak256, numberToHex, padHex, toEventSelector } from "viem";

/** Maximum block range of the nodes' log requests, like that of the strictest public nodes. */
const GRANTED = 50;
/** Time in milliseconds after which a dead chain's node closes a connection. */
const HANG_MS = 250;
const DEPOSIT = toEventSelector("Deposit(address,address,uint256,uint256)");

const hashOf = (chainId: number, block: number): Hex =>
  keccak256(`0x${chainId.toString(16).padStart(8, "0")}${block.toString(16).padStart(8, "0")}`);

interface RpcCall {
  id: number;
  method: string;
  params: unknown[];
}

/** Nodes of many chains behind one port, selected by path. Every tenth block of each chain has a deposit. */
export interface ManyChains {
  url(chainId: number): string;
  hashOf(chainId: number, block: number): Hex;
  close(): Promise<void>;
}

/** Starts nodes of many chains with the given head block. */
export async function startManyChains(of: {
  head: number;
  dead: ReadonlySet<number>;
  vault: string;
}): Promise<ManyChains> {
  const header = (chainId: number, block: number) => ({
    number: numberToHex(block),
    hash: hashOf(chainId, block),
    timestamp: numberToHex(1_700_000_000 + block),
  });
  const logsOf = (
    chainId: number,
    { fromBlock, toBlock, topics }: { fromBlock: Hex; toBlock: Hex; topics: Hex[][] },
  ) => {
    const [from, to] = [Number(fromBlock), Number(toBlock)];
    if (to - from >= GRANTED) throw new Error(`query exceeds max block range ${GRANTED}`);
    if (topics[0]?.includes(DEPOSIT) !== true) return [];
    return Array.from({ length: to - from + 1 }, (_, index) => from + index).flatMap((block) =>
      block % 10 !== 0
        ? []
        : [
            {
              address: of.vault,
              topics: [DEPOSIT, padHex("0x01"), padHex("0x02")],
              data: encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [7n, 7n]),
              blockNumber: numberToHex(block),
              blockHash: hashOf(chainId, block),
              transactionHash: hashOf(chainId + 1_000, block),
              logIndex: "0x0",
            },
          ],
    );
  };
  const answer = (chainId: number, { method, params }: RpcCall): unknown => {
    if (method === "eth_chainId") return numberToHex(chainId);
    if (method === "eth_blockNumber") return numberToHex(of.head);
    if (method === "eth_getLogs") return logsOf(chainId, params[0] as Parameters<typeof logsOf>[1]);
    if (method !== "eth_getBlockByNumber") throw new Error(`the method ${method} does not exist`);
    const [named] = params;
    const number = named === "latest" ? of.head : named === "finalized" ? of.head - 100 : Number(named);
    return number > of.head ? null : header(chainId, number);
  };
  const server = createServer((request, response) => {
    const chainId = Number(request.url?.slice(1));
    let body = "";
    request.on("data", (part: Buffer) => {
      body += part.toString();
    });
    request.on("end", () => {
      if (of.dead.has(chainId)) {
        setTimeout(() => response.destroy(), HANG_MS);
        return;
      }
      const call = JSON.parse(body) as RpcCall;
      response.setHeader("content-type", "application/json");
      const reply = { jsonrpc: "2.0", id: call.id };
      try {
        response.end(JSON.stringify({ ...reply, result: answer(chainId, call) }));
      } catch (error) {
        const message = error instanceof Error ? error.message : "";
        response.end(JSON.stringify({ ...reply, error: { code: -32_602, message } }));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (chainId) => `http://127.0.0.1:${port}/${chainId}`,
    hashOf,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
