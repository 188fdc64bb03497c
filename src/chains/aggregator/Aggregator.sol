// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

/// @title Aggregator: makes many independent view calls at one block
/// @notice Never deployed. The creation code plus a payload is the data of an `eth_call` without `to`; the
/// constructor returns the results. EIP-3860 limits the input to 49,152 bytes, EIP-170 the output to 24,576.
///
/// Payload: the calls, then the gas per call (4 bytes), the number of calls (2) and the length of the calls (2).
/// Call:    target (20), length of the data (2), data. A call to PROGRAM runs its data as creation code and takes
///          what that code returns as the result: another program that runs only in an `eth_call`, at the same block.
///          A call to HELD_PROGRAM gets all gas, for a program that a state override of the `eth_call` puts there.
/// Output:  chain id (8), block number (8; all ones if unknown), block timestamp (8), then for each call
///          a status byte, followed by the length of the data (2) and the data for FAILED and ANSWERED.
///
/// Each call is static and gets exactly the payload's gas, so no result depends on the call's position. At most 4,096
/// bytes of return data are copied; a longer result is TOO_LONG and never truncated. Programs have neither limit. If
/// the next call cannot get its gas, or its result does not fit, it and all later calls are NOT_REACHED; the first is
/// always made, with less gas if necessary. SPENT is a call that failed after using three quarters of its gas,
/// possibly for lack of gas.
contract Aggregator {
    uint256 private constant PROGRAM = (1 << 160) - 1;
    uint256 private constant HELD_PROGRAM = (1 << 160) - 2;

    uint256 private constant FAILED = 0;
    uint256 private constant ANSWERED = 1;
    uint256 private constant NOT_REACHED = 2;
    uint256 private constant TOO_LONG = 3;
    uint256 private constant SPENT = 4;

    uint256 private constant MAX_DATA = 4096;
    // Memory: the output, its end, and the calls, which start after the last word that can be written past that end.
    uint256 private constant ANSWER = 0x80;
    uint256 private constant END = 0x6080;
    uint256 private constant CALLS = 0x6100;

    constructor() payable {
        // Not declared memory-safe, so that the compiler fails instead of placing variables where the output is.
        assembly {
            /// Returns the chain's block number. On Arbitrum One `number` is about Ethereum's, so ArbSys is asked for
            /// the chain's own (arbBlockNumber()); all ones if that call fails.
            function height() -> value {
                value := number()
                if eq(chainid(), 42161) {
                    mstore(0x00, shl(224, 0xa3b1b31d))
                    if iszero(and(gt(returndatasize(), 31), staticcall(gas(), 0x64, 0x00, 0x04, 0x00, 0x20))) {
                        mstore(0x00, not(0))
                    }
                    value := and(mload(0x00), 0xffffffffffffffff)
                }
            }

            /// Makes one call and writes its result, without the data if the output has no room for it.
            function write(cursor, request, share) -> next {
                let before := gas()
                let target := shr(96, mload(request))
                let size := and(shr(80, mload(request)), 0xffff)
                let limit := MAX_DATA
                let status
                if eq(target, HELD_PROGRAM) {
                    share := gas()
                    limit := sub(END, add(ANSWER, 27))
                }
                switch eq(target, PROGRAM)
                case 1 {
                    target := create(0, add(request, 22), size)
                    status := gt(target, 0)
                    size := extcodesize(target)
                    limit := sub(END, add(ANSWER, 27))
                }
                default {
                    status := staticcall(share, target, add(request, 22), size, 0, 0)
                    size := returndatasize()
                    target := 0
                    if iszero(or(status, lt(sub(before, gas()), sub(share, shr(2, share))))) { status := SPENT }
                }
                if gt(size, limit) { status := TOO_LONG }
                mstore8(cursor, status)
                next := add(cursor, 1)
                if lt(status, NOT_REACHED) {
                    next := add(add(cursor, 3), size)
                    if lt(next, END) {
                        mstore(add(cursor, 1), shl(240, size))
                        switch target
                        case 0 { returndatacopy(add(cursor, 3), 0, size) }
                        default { extcodecopy(target, add(cursor, 3), 0, size) }
                    }
                }
            }

            // The last 8 bytes of the code, left-aligned.
            codecopy(0x00, sub(codesize(), 8), 0x20)
            let tail := mload(0x00)
            let callGas := shr(224, tail)
            let remaining := and(shr(208, tail), 0xffff)
            let length := and(shr(192, tail), 0xffff)
            mstore(ANSWER, or(shl(192, chainid()), or(shl(128, height()), shl(64, timestamp()))))
            let cursor := add(ANSWER, 24)
            let request := CALLS
            codecopy(request, sub(sub(codesize(), 8), length), length)

            for {} remaining { remaining := sub(remaining, 1) } {
                let share := callGas
                // One 64th of the gas stays here (EIP-150); creation pays 200 gas per returned byte (EIP-2), and the
                // remaining calls still have to be marked.
                let size := add(sub(cursor, ANSWER), add(remaining, MAX_DATA))
                if lt(gas(), add(add(share, shr(5, share)), add(65000, shl(8, size)))) {
                    if gt(request, CALLS) { break }
                    share := shr(1, gas())
                }
                let next := write(cursor, request, share)
                if gt(add(next, remaining), END) { break }
                cursor := next
                request := add(add(request, 22), and(shr(80, mload(request)), 0xffff))
            }
            for {} remaining { remaining := sub(remaining, 1) } {
                mstore8(cursor, NOT_REACHED)
                cursor := add(cursor, 1)
            }
            return(ANSWER, sub(cursor, ANSWER))
        }
    }
}
