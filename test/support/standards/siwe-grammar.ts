import { isAddress } from "viem";

const DATE_TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`;
const URI = String.raw`[a-zA-Z][a-zA-Z0-9+.\-]*:[\w.\-~:/?#[\]@!$&'()*+,;=%]+`;
const AUTHORITY = String.raw`(?:[\w.\-~!$&'()*+,;=:%]+@)?[a-zA-Z0-9.\-~!$&'()*+,;=%[\]:]+(?::\d+)?`;
const STATEMENT = String.raw`[\w :/?#[\]@!$&'()*+,;=.\-~]+`;

const MESSAGE = new RegExp(
  [
    String.raw`^(?:[a-zA-Z][a-zA-Z0-9+.\-]*://)?${AUTHORITY} wants you to sign in with your Ethereum account:\n`,
    String.raw`(?<address>0x[0-9a-fA-F]{40})\n\n(?:${STATEMENT}\n)?\n`,
    String.raw`URI: ${URI}\nVersion: 1\nChain ID: \d+\nNonce: [a-zA-Z0-9]{8,}\nIssued At: ${DATE_TIME}`,
    String.raw`(?:\nExpiration Time: ${DATE_TIME})?(?:\nNot Before: ${DATE_TIME})?(?:\nRequest ID: [^\s]*)?`,
    String.raw`(?:\nResources:(?:\n- ${URI})*)?$`,
  ].join(""),
);

/** Returns true if a text is a sign-in message with a checksummed address. Source: EIP-4361, ABNF message format. */
export function isSiweMessage(text: string): boolean {
  const address = MESSAGE.exec(text)?.groups?.["address"];
  return address !== undefined && isAddress(address);
}
