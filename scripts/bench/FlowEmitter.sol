// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

/// @notice Emits Deposit and Withdraw events as ERC-4626 vaults do.
contract Emitter {
    event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
    event Withdraw(
        address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares
    );

    function deposit(address owner, uint256 assets) external {
        emit Deposit(msg.sender, owner, assets, assets * 2);
    }

    function withdraw(address owner, uint256 assets) external {
        emit Withdraw(msg.sender, owner, owner, assets, assets * 2);
    }

    /// @notice Emits `count` events for `users` users in turn; every third is a withdrawal.
    function many(uint256 count, uint256 users, uint256 seed) external {
        for (uint256 i = 0; i < count; ++i) {
            uint256 drawn = uint256(keccak256(abi.encode(seed, i)));
            address owner = address(uint160(0xA0000 + drawn % users));
            uint256 assets = 1 + (drawn >> 64) % 1_000_000;
            if (drawn % 3 == 0) emit Withdraw(msg.sender, owner, owner, assets, assets * 2);
            else emit Deposit(msg.sender, owner, assets, assets * 2);
        }
    }

    /// @notice The next addresses but three and but four, as contracts about a vault.
    function getAccessManagerAddress() external view returns (address) {
        return address(uint160(address(this)) + 4);
    }

    function feeManager() external view returns (address) {
        return address(uint160(address(this)) + 5);
    }

    /// @notice Emits any event with up to four topics.
    function raw(bytes32[] calldata topics, bytes calldata data) external {
        bytes32[4] memory t;
        for (uint256 i = 0; i < topics.length; ++i) t[i] = topics[i];
        bytes memory d = data;
        uint256 count = topics.length;
        assembly {
            let at := add(d, 32)
            let size := mload(d)
            switch count
            case 1 { log1(at, size, mload(t)) }
            case 2 { log2(at, size, mload(t), mload(add(t, 32))) }
            case 3 { log3(at, size, mload(t), mload(add(t, 32)), mload(add(t, 64))) }
            default { log4(at, size, mload(t), mload(add(t, 32)), mload(add(t, 64)), mload(add(t, 96))) }
        }
    }
}
