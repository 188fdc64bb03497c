import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { decodeReply, encodeCommand, type Reply, RespError } from "./resp.ts";

/** One socket to a Redis; replies arrive in the order of the commands. */
export interface Connection {
  /** Sends the commands in one write, so that no other caller's command comes between them. */
  send(commands: readonly (readonly string[])[]): Promise<Reply[]>;
  readonly open: boolean;
  close(): void;
}

/**
 * Opens a connection to `redis://` or `rediss://[user:password@]host[:port][/database]`. Throws if nothing answers or
 * the credentials are rejected.
 */
export async function openConnection(address: string): Promise<Connection> {
  const url = new URL(address);
  const target = { host: url.hostname, port: Number(url.port || 6379) };
  const secure = url.protocol === "rediss:";
  const socket = secure ? connectTls({ ...target, servername: url.hostname }) : connectTcp(target);
  await once(socket, secure ? "secureConnect" : "connect").catch((error: Error) => {
    throw new Error(`Redis at ${url.host} does not answer: ${error.message}`);
  });
  socket.setNoDelay(true);
  const connection = overSocket(socket);
  const greeting = greetingOf(url);
  const refused = (await connection.send(greeting)).find((reply) => reply instanceof RespError);
  if (refused instanceof RespError) throw new Error(`${url.host}: ${refused.message}`);
  return connection;
}

function greetingOf(url: URL): string[][] {
  const greeting: string[][] = [];
  const password = decodeURIComponent(url.password);
  if (password !== "") greeting.push(["AUTH", decodeURIComponent(url.username) || "default", password]);
  const database = url.pathname.slice(1);
  if (database !== "") greeting.push(["SELECT", database]);
  return greeting;
}

function overSocket(socket: Socket): Connection {
  const waiting: { resolve: (reply: Reply) => void; reject: (error: Error) => void }[] = [];
  let bytes: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    let end = 0;
    for (let next = decodeReply(bytes, 0); next !== undefined; next = decodeReply(bytes, end)) {
      waiting.shift()?.resolve(next.reply);
      end = next.end;
    }
    bytes = bytes.subarray(end);
  });
  const fail = (error?: Error) => {
    for (const { reject } of waiting.splice(0)) reject(error ?? new Error("connection to Redis closed"));
  };
  socket.on("error", fail);
  socket.on("close", () => fail());
  const send = (commands: readonly (readonly string[])[]) => {
    const replies = commands.map(
      () => new Promise<Reply>((resolve, reject) => waiting.push({ resolve, reject })),
    );
    socket.write(Buffer.concat(commands.map(encodeCommand)));
    return Promise.all(replies);
  };
  return {
    send,
    get open() {
      return !socket.destroyed;
    },
    close: () => socket.destroy(),
  };
}
