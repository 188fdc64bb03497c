// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

/// @title ListSearch: tells which words are in the list that a view returns, however long the list is
/// @notice Never deployed. The creation code plus a payload is a PROGRAM of the aggregator; the constructor returns the
/// answer. The list never leaves the node, so the aggregator's limit of 4,096 bytes does not apply to it.
///
/// Payload: the words that are searched for (32 bytes each), then the contract (20), the view's selector (4) and the
///          number of words (8).
/// Answer:  one byte for each word: 1 if the list contains it, otherwise 0.
///
/// Reverts if the view fails, does not return a list of words at the start of its data, or returns more than 512 KiB,
/// whose memory would cost the gas of other reads. The view gets at most 10,000,000 gas, which suffices to read about
/// 4,500 words from storage.
contract ListSearch {
    uint256 private constant CALL_GAS = 10000000;
    uint256 private constant MAX_DATA = 0x80000;

    constructor() payable {
        assembly {
            let start := sub(codesize(), 32)
            codecopy(0x00, start, 32)
            let tail := mload(0x00)
            let count := and(tail, 0xffffffffffffffff)
            mstore(0x00, shl(160, tail))
            if iszero(staticcall(CALL_GAS, shr(96, tail), 0x00, 0x04, 0x00, 0x00)) { revert(0x00, 0x00) }

            // The answer comes first in memory, then the words, then the list.
            let answer := 0x80
            let words := add(answer, and(add(count, 31), not(31)))
            let list := add(words, shl(5, count))
            codecopy(words, sub(start, shl(5, count)), shl(5, count))
            let size := returndatasize()
            if or(lt(size, 0x40), gt(size, MAX_DATA)) { revert(0x00, 0x00) }
            returndatacopy(list, 0x00, size)
            let length := mload(add(list, 0x20))
            // A longer claimed length than the data have would count memory behind them.
            if or(iszero(eq(mload(list), 0x20)), gt(length, shr(5, sub(size, 0x40)))) { revert(0x00, 0x00) }

            let first := add(list, 0x40)
            let end := add(first, shl(5, length))
            for { let i := 0 } lt(i, count) { i := add(i, 1) } {
                let word := mload(add(words, shl(5, i)))
                let found := 0
                for { let at := first } lt(at, end) { at := add(at, 0x20) } {
                    if eq(mload(at), word) {
                        found := 1
                        break
                    }
                }
                mstore8(add(answer, i), found)
            }
            return(answer, count)
        }
    }
}
