/** An error reply: the server's text, such as `WRONGTYPE Operation against a key…`. */
export class RespError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** A status reply such as `OK` or `QUEUED`. */
export class RespStatus {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A RESP2 reply; bulk strings stay bytes. */
export type Reply = RespStatus | RespError | Buffer | number | null | readonly Reply[];

/** Encodes one command in RESP2. */
export function encodeCommand(argv: readonly string[]): Buffer {
  const parts = [`*${argv.length}\r\n`];
  for (const word of argv) parts.push(`$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return Buffer.from(parts.join(""));
}

/**
 * Decodes the reply that starts at `offset`, and the offset after it; undefined while it is incomplete. Throws if it is
 * no RESP2.
 */
export function decodeReply(bytes: Buffer, offset: number): { reply: Reply; end: number } | undefined {
  const lineEnd = bytes.indexOf("\r\n", offset);
  if (lineEnd < 0) return undefined;
  const line = bytes.toString("utf8", offset + 1, lineEnd);
  const end = lineEnd + 2;
  switch (String.fromCharCode(bytes[offset] ?? 0)) {
    case "+":
      return { reply: new RespStatus(line), end };
    case "-":
      return { reply: new RespError(line), end };
    case ":":
      return { reply: Number(line), end };
    case "$":
      return decodeBulk(bytes, Number(line), end);
    case "*":
      return decodeList(bytes, Number(line), end);
    default:
      throw new Error("not a RESP2 reply");
  }
}

function decodeBulk(bytes: Buffer, length: number, start: number) {
  if (length < 0) return { reply: null, end: start };
  const end = start + length;
  return bytes.length < end + 2 ? undefined : { reply: bytes.subarray(start, end), end: end + 2 };
}

function decodeList(bytes: Buffer, length: number, start: number) {
  if (length < 0) return { reply: null, end: start };
  const list: Reply[] = [];
  let end = start;
  for (let index = 0; index < length; index += 1) {
    const item = decodeReply(bytes, end);
    if (item === undefined) return undefined;
    list.push(item.reply);
    end = item.end;
  }
  return { reply: list, end };
}
