import { createRedisMock } from "js-redis-server";
import { type Connection, openConnection } from "./connection.ts";
import type { Reply } from "./resp.ts";

/** A Redis that runs transactions. */
export interface RedisBackend {
  call(argv: readonly string[]): Promise<Reply>;
  /** Runs the commands as one MULTI … EXEC and returns EXEC's reply. */
  transaction(commands: readonly (readonly string[])[]): Promise<Reply>;
  close(): Promise<void>;
}

/** Opens the Redis at `url`, or an empty embedded one when `url` is null. Throws as `openConnection` does. */
export async function openRedis(url: string | null): Promise<RedisBackend> {
  if (url !== null) return overUrl(url, async () => undefined);
  const embedded = await createRedisMock();
  const [address] = embedded.addresses();
  if (address === undefined) throw new Error("the embedded Redis has no address");
  return overUrl(`redis://${address.host}:${address.port}`, () => embedded.close());
}

async function overUrl(url: string, stop: () => Promise<unknown>): Promise<RedisBackend> {
  let connection: Promise<Connection> = openConnection(url);
  await connection;
  /** Returns the open connection, or a new one if the server closed it. */
  const current = async (): Promise<Connection> => {
    const alive = await connection.then(
      (open) => open.open,
      () => false,
    );
    if (!alive) connection = openConnection(url);
    return connection;
  };
  return {
    call: async (argv) => (await (await current()).send([argv]))[0] ?? null,
    transaction: async (commands) =>
      (await (await current()).send([["MULTI"], ...commands, ["EXEC"]])).at(-1) ?? null,
    close: async () => {
      (await connection.catch(() => null))?.close();
      await stop();
    },
  };
}
