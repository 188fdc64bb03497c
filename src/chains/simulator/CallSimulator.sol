// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title CallSimulator: simulates an account's calls, for nodes without eth_simulateV1
/// @notice Never deployed. A state override of an `eth_call` puts the runtime code at the user's own address, which
/// then makes the calls in order, as msg.sender and with its own balance. To all other callers it behaves as a plain
/// account: it accepts native currency and any call, returns nothing, and acknowledges ERC-721 and ERC-1155 transfers.
/// It approves no ERC-1271 signature.
contract CallSimulator {
    struct Call {
        address target;
        uint256 value;
        bytes data;
    }

    struct Read {
        address target;
        bytes data;
    }

    struct Result {
        bool ok;
        uint256 gasUsed;
        bytes returnData;
    }

    /// Chain and block of the simulation. `blockNumber` is the largest uint256 if it is unknown.
    struct Head {
        uint256 chainId;
        uint256 blockNumber;
        uint256 timestamp;
    }

    /// Maximum number of bytes of return data kept per call or read; longer data is truncated.
    uint256 private constant MAX_RETURN = 4096;
    uint256 private constant READ_GAS = 3_000_000;
    /// A call with value costs its caller 9,000 gas and gives the callee a 2,300 stipend; a transaction has neither.
    uint256 private constant VALUE_GAS = 6_700;

    /// @notice Makes the calls until one fails, and the reads before and after them.
    /// @return results One per call made; only the last can have failed.
    /// @return readsBefore The return data of each read before the calls; empty if the read failed.
    /// @return readsAfter The same after the last call made.
    /// @return head The chain and block of the simulation.
    function run(Call[] calldata calls, Read[] calldata reads)
        external
        payable
        returns (
            Result[] memory results,
            bytes[] memory readsBefore,
            bytes[] memory readsAfter,
            Head memory head
        )
    {
        if (msg.sender != tx.origin) beSilent();
        // The reads run in a frame that reverts, so that they leave no storage slot warm for the calls.
        (, bytes memory answer) = address(this).call(abi.encodeCall(this.readAndRevert, (reads)));
        readsBefore = abi.decode(answer, (bytes[]));
        results = new Result[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            results[i] = make(calls[i]);
            if (!results[i].ok) {
                assembly ("memory-safe") {
                    mstore(results, add(i, 1))
                }
                break;
            }
        }
        readsAfter = readAll(reads);
        head = Head(block.chainid, height(), block.timestamp);
    }

    /// @notice Makes the reads and returns their return data as revert data.
    function readAndRevert(Read[] calldata reads) external payable {
        if (msg.sender != address(this)) beSilent();
        bytes memory answer = abi.encode(readAll(reads));
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }

    receive() external payable {}

    fallback() external payable {
        bytes4 receipt = msg.sig;
        // onERC721Received, onERC1155Received, onERC1155BatchReceived: each returns its own selector.
        if (receipt == 0x150b7a02 || receipt == 0xf23a6e61 || receipt == 0xbc197c81) {
            assembly ("memory-safe") {
                mstore(0, receipt)
                return(0, 32)
            }
        }
    }

    function beSilent() private pure {
        assembly ("memory-safe") {
            return(0, 0)
        }
    }

    /// An eighth of the gas stays here, so that a call that burns all of its gas is still reported.
    function make(Call calldata call_) private returns (Result memory result) {
        (address target, uint256 value, bytes memory data) = (call_.target, call_.value, call_.data);
        bool ok;
        uint256 gasUsed;
        assembly ("memory-safe") {
            // A transaction's target is warm (EIP-2929); a call without gas warms it.
            pop(staticcall(0, target, 0, 0, 0, 0))
            let start := gas()
            ok := call(sub(start, shr(3, start)), target, value, add(data, 32), mload(data), 0, 0)
            gasUsed := sub(start, gas())
        }
        if (value != 0 && gasUsed > VALUE_GAS) gasUsed -= VALUE_GAS;
        return Result(ok, gasUsed, returned());
    }

    function readAll(Read[] calldata reads) private view returns (bytes[] memory answers) {
        answers = new bytes[](reads.length);
        for (uint256 i; i < reads.length; ++i) {
            (address target, bytes memory data) = (reads[i].target, reads[i].data);
            bool ok;
            assembly ("memory-safe") {
                ok := staticcall(READ_GAS, target, add(data, 32), mload(data), 0, 0)
            }
            if (ok) answers[i] = returned();
        }
    }

    /// Returns the chain's block number, or the largest uint256 if it is unknown. On Arbitrum One `block.number` is
    /// about Ethereum's; ArbSys returns the chain's own.
    function height() private view returns (uint256) {
        if (block.chainid != 42161) return block.number;
        (bool ok, bytes memory answer) = address(0x64).staticcall(abi.encodeWithSignature("arbBlockNumber()"));
        return ok && answer.length == 32 ? abi.decode(answer, (uint256)) : type(uint256).max;
    }

    function returned() private pure returns (bytes memory data) {
        assembly ("memory-safe") {
            let size := returndatasize()
            if gt(size, MAX_RETURN) { size := MAX_RETURN }
            data := mload(0x40)
            mstore(0x40, add(data, and(add(size, 63), not(31))))
            mstore(data, size)
            returndatacopy(add(data, 32), 0, size)
        }
    }
}
