import { type Address, concatHex, type Hex, numberToHex, size } from "viem";
import type { Read } from "../chain-reads.ts";
import { PROGRAM } from "./aggregator-codec.ts";
import { listSearchCreationCode } from "./list-search-artifact.ts";

/** A view without arguments that returns one list of 32-byte words, such as `bytes32[]`. */
export interface ListView {
  to: Address;
  selector: Hex;
}

/**
 * Creates a read that tells for each of the words, in their order, whether the list that a view returns contains it.
 * Anyone may be able to lengthen such a list, and the aggregator returns no more than 4,096 bytes of a call: the list
 * is searched on the node instead. Fails if the view does, or needs more gas than the request leaves: 3,000,000, enough
 * for about 1,300 words from storage, are certain. Like `nativeBalanceRead`, it works only through the aggregator
 * contract.
 */
export function listMembersRead(view: ListView, words: readonly Hex[]): Read<readonly boolean[]> {
  const tail = [view.to, view.selector, numberToHex(words.length, { size: 8 })];
  return {
    to: PROGRAM,
    data: concatHex([listSearchCreationCode, ...words, ...tail]),
    decode: (answer) => {
      if (size(answer) !== words.length) throw new RangeError("not one byte for each word");
      return words.map((_, index) => answer.slice(2 + 2 * index, 4 + 2 * index) === "01");
    },
  };
}
