// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

struct Call {
    address target;
    uint256 value;
    bytes data;
}

/// @notice An account that is the caller of its calls, whoever sends the transaction, like a Safe or an upgraded account.
contract BatchAccount {
    receive() external payable {}

    function execute(Call[] calldata calls) external payable {
        for (uint256 at = 0; at < calls.length; at++) {
            (bool done, bytes memory reason) = calls[at].target.call{value: calls[at].value}(calls[at].data);
            if (done) continue;
            assembly {
                revert(add(reason, 32), mload(reason))
            }
        }
    }
}

/// @notice Runs operations of accounts and reports each, like the EntryPoint of ERC-4337. It checks nothing.
contract Bundles {
    event UserOperationEvent(
        bytes32 indexed userOpHash,
        address indexed sender,
        address indexed paymaster,
        uint256 nonce,
        bool success,
        uint256 actualGasCost,
        uint256 actualGasUsed
    );

    function handleOps(address payable account, bytes32 operation, Call[] calldata calls) external {
        bool done = true;
        try BatchAccount(account).execute(calls) {} catch {
            done = false;
        }
        emit UserOperationEvent(operation, account, address(0), 0, done, 1, 1);
    }
}
