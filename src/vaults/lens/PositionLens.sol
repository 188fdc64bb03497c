// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title PositionLens: one user's share balances in many vaults and their value, in one eth_call
/// @notice Never deployed. The creation code plus a payload is the data of an `eth_call` without `to`, and the
/// constructor returns the answer; or it is the code that a state override gives to an account, which returns the same
/// answer to any call. Written in assembly, because every byte saved leaves room for more vaults: EIP-3860 limits
/// creation code and payload together to 49,152 bytes. An override has no such limit.
///
/// Payload: the entries, then user (20 bytes) gas per read (4) number of entries (2) bytes of entries (3).
/// Entry:   kind * 2 + hasPricer (1 byte), share token (20), pricer (20, when hasPricer),
///          selector (4) and address argument (20, for RATE, REPORT and PAIR).
/// Answer:  chain id (8), block number (8; all ones when unknown), block timestamp (8), then for each entry
///          a status byte, then the balance for statuses from ASSETS_UNKNOWN, and another word for higher ones.
/// Word:    its length in bytes (1; 0 to 32), then that many bytes, big-endian, without leading zeros.
///
/// A read is a static call with exactly the payload's gas, so no answer depends on the entry's position in the
/// batch, and at most two words of returndata are copied. A revert, a result below 32 bytes and a target without
/// code fail that read only. When the next read cannot get its gas, or two full words might exceed the size that
/// creation may return (24,576 bytes, EIP-170), this and all later entries are NOT_REACHED.
contract PositionLens {
    // Kinds; 6 to 127 are unused. CONVERT_OR_RATIO and CONVERT call the pricer's convertToAssets(balance); only the
    // former falls back to balance * totalAssets / totalSupply. BALANCE reads the balance only. RATE returns the
    // first word of the pricer's `selector(argument)`. REPORT does too, but only when the third word exists and is
    // zero: a price, its timestamp, and a flag that it must not be used. PAIR calls `selector()` of the pricer and of
    // the argument and returns both in one word, the pricer's in the upper half; fails when a value exceeds 128 bits.
    uint256 private constant CONVERT_OR_RATIO = 0;
    uint256 private constant BALANCE = 2;
    uint256 private constant RATE = 3;
    uint256 private constant REPORT = 4;
    uint256 private constant PAIR = 5;

    uint256 private constant NO_POSITION = 0;
    uint256 private constant BALANCE_UNKNOWN = 1;
    uint256 private constant NOT_REACHED = 2;
    uint256 private constant ASSETS_UNKNOWN = 3;
    uint256 private constant CONVERTED = 4;
    uint256 private constant RATIO = 5;
    uint256 private constant RATED = 6;

    // Memory: the functions' state, then the answer, then the entries.
    uint256 private constant CALL_GAS = 0x80;
    uint256 private constant CURSOR = 0xa0;
    uint256 private constant REMAINING = 0xc0;
    uint256 private constant ANSWER = 0x100;
    /// Bytes of a position with two full words, without the status byte that every entry has.
    uint256 private constant TWO_WORDS = 66;
    /// A position may be written while cursor + remaining entries do not exceed ANSWER + 24,576 - TWO_WORDS.
    uint256 private constant LAST_CURSOR = 0x60be;
    uint256 private constant ENTRIES = 0x6100;

    constructor() payable {
        assembly ("memory-safe") {
            /// Ends the call and marks the entries from the current one on as not reached.
            function finish() {
                let cursor := mload(CURSOR)
                for { let remaining := mload(REMAINING) } remaining { remaining := sub(remaining, 1) } {
                    mstore8(cursor, NOT_REACHED)
                    cursor := add(cursor, 1)
                }
                return(ANSWER, sub(cursor, ANSWER))
            }

            /// Calls `selector(argument)` of the target; returns whether it succeeded, and the first word. Finishes
            /// instead unless the gas suffices for the read (one 64th stays here, EIP-150) and for the answer:
            /// 200 gas per byte that creation returns (EIP-2), 62 to mark each remaining entry, and up to 50,000 for
            /// the longest division and the longest words.
            function read(target, selector, argument) -> ok, value {
                let callGas := mload(CALL_GAS)
                let size := sub(add(mload(CURSOR), mload(REMAINING)), sub(ANSWER, TWO_WORDS))
                if lt(gas(), add(add(callGas, shr(5, callGas)), add(65000, shl(8, size)))) { finish() }
                mstore(0x00, shl(224, selector))
                mstore(0x04, argument)
                // Evaluated right to left: code, call, returndata.
                ok := and(
                    and(gt(returndatasize(), 31), staticcall(callGas, target, 0x00, 0x24, 0x00, 0x20)),
                    gt(extcodesize(target), 0)
                )
                value := mload(0x00)
            }

            /// floor(a * b / c) over the 512-bit product; fails when c is zero or the result exceeds a word.
            function mulDiv(a, b, c) -> ok, result {
                let low := mul(a, b)
                let high := mulmod(a, b, not(0))
                high := sub(sub(high, low), lt(high, low))
                ok := lt(high, c)
                if ok {
                    result := div(low, c)
                    if high {
                        // Long division, bit by bit; `high` is the remainder and stays below c.
                        result := 0
                        for { let bit := 256 } bit { bit := sub(bit, 1) } {
                            let carry := shr(255, high)
                            high := or(shl(1, high), shr(255, low))
                            low := shl(1, low)
                            result := shl(1, result)
                            if or(carry, iszero(lt(high, c))) {
                                high := sub(high, c)
                                result := or(result, 1)
                            }
                        }
                    }
                }
            }

            /// Reads the balance, then the conversion, then the two totals, as far as the kind and the results require.
            /// `extra` points to the fields that RATE, REPORT and PAIR entries have after their addresses.
            function readPosition(user, kind, token, pricer, extra) -> status, shares, assets {
                status := BALANCE_UNKNOWN
                let target := token
                let selector := 0x70a08231 // balanceOf(address)
                let argument := user
                // One loop step per read, so that the compiler inlines `read` only once.
                for { let step } lt(step, 4) { step := add(step, 1) } {
                    let ok, word := read(target, selector, argument)
                    switch step
                    case 0 {
                        if iszero(ok) { break }
                        shares := word
                        status := NO_POSITION
                        if iszero(shares) { break }
                        status := ASSETS_UNKNOWN
                        if eq(kind, BALANCE) { break }
                        target := pricer
                        selector := 0x07a2d13a // convertToAssets(uint256)
                        argument := shares
                        if gt(kind, BALANCE) {
                            selector := shr(224, mload(extra))
                            argument := shr(96, mload(add(extra, 4)))
                        }
                    }
                    case 1 {
                        assets := word
                        if and(ok, eq(kind, REPORT)) {
                            ok := gt(returndatasize(), 95)
                            if ok {
                                returndatacopy(0x00, 0x40, 0x20)
                                ok := iszero(mload(0x00))
                            }
                        }
                        if and(ok, eq(kind, PAIR)) {
                            target := argument
                            continue
                        }
                        if ok {
                            status := add(CONVERTED, shl(1, gt(kind, BALANCE)))
                            break
                        }
                        if iszero(eq(kind, CONVERT_OR_RATIO)) { break }
                        selector := 0x01e1d114 // totalAssets()
                    }
                    case 2 {
                        if iszero(ok) { break }
                        if eq(kind, PAIR) {
                            if iszero(shr(128, or(assets, word))) {
                                assets := or(shl(128, assets), word)
                                status := RATED
                            }
                            break
                        }
                        assets := word
                        target := token
                        selector := 0x18160ddd // totalSupply()
                    }
                    default {
                        if ok {
                            ok, assets := mulDiv(shares, assets, word)
                            if ok { status := RATIO }
                        }
                    }
                }
            }

            /// The chain's block number. On Arbitrum One `number` is about Ethereum's, and ArbSys returns the chain's
            /// own (arbBlockNumber()); all ones when that call fails.
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

            // The last 29 bytes of the code, left-aligned.
            codecopy(0x00, sub(codesize(), 29), 0x20)
            let tail := mload(0x00)
            let length := and(shr(24, tail), 0xffffff)
            mstore(REMAINING, and(shr(48, tail), 0xffff))
            mstore(CALL_GAS, and(shr(64, tail), 0xffffffff))
            let user := shr(96, tail)
            mstore(CURSOR, add(ANSWER, 24))
            mstore(ANSWER, or(shl(192, chainid()), or(shl(128, height()), shl(64, timestamp()))))
            let entry := ENTRIES
            codecopy(entry, sub(sub(codesize(), 29), length), length)

            for {} mload(REMAINING) { mstore(REMAINING, sub(mload(REMAINING), 1)) } {
                if gt(add(mload(CURSOR), mload(REMAINING)), LAST_CURSOR) { finish() }
                let kind := byte(0, mload(entry))
                let token := shr(96, mload(add(entry, 1)))
                let pricer := token
                entry := add(entry, 21)
                if and(kind, 1) {
                    pricer := shr(96, mload(entry))
                    entry := add(entry, 20)
                }
                kind := shr(1, kind)
                let status, shares, assets := readPosition(user, kind, token, pricer, entry)
                if gt(kind, BALANCE) { entry := add(entry, 24) }

                let cursor := mload(CURSOR)
                mstore8(cursor, status)
                cursor := add(cursor, 1)
                let words := add(gt(status, NOT_REACHED), gt(status, ASSETS_UNKNOWN))
                for { let word := shares } words { words := sub(words, 1) } {
                    let bits := 0
                    for {} shr(bits, word) { bits := add(bits, 8) } {}
                    mstore8(cursor, shr(3, bits))
                    mstore(add(cursor, 1), shl(sub(256, bits), word))
                    cursor := add(add(cursor, 1), shr(3, bits))
                    word := assets
                }
                mstore(CURSOR, cursor)
            }
            finish()
        }
    }
}
