// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

/// @title Many reads at one block on a chain without Multicall3.
/// @notice Exists only inside an `eth_call` without a destination: its constructor makes the calls and returns
/// `abi.encode(uint256 blockNumber, uint256 timestamp, uint256 chainId, Result[] results)` in place of code.
/// What it returns is therefore bound by the code size limit of EIP-170 (24,576 bytes) and its input by the
/// init code limit of EIP-3860 (49,152 bytes); the caller splits accordingly.
/// A call to PROGRAM runs its data as creation code, and what that returns is the answer: another program of ours
/// that exists only inside an `eth_call`, at the same block.
contract Aggregator {
    address private constant PROGRAM = address(type(uint160).max);

    struct Call {
        address target;
        bytes data;
    }

    struct Result {
        bool ok;
        bytes data;
    }

    constructor(Call[] memory calls) {
        Result[] memory results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; ++i) {
            if (calls[i].target == PROGRAM) {
                bytes memory code = calls[i].data;
                address made;
                assembly ("memory-safe") {
                    made := create(0, add(code, 32), mload(code))
                }
                (results[i].ok, results[i].data) = (made != address(0), made.code);
            } else {
                (results[i].ok, results[i].data) = calls[i].target.staticcall(calls[i].data);
            }
        }
        bytes memory answer = abi.encode(block.number, block.timestamp, block.chainid, results);
        assembly ("memory-safe") {
            return(add(answer, 32), mload(answer))
        }
    }
}
