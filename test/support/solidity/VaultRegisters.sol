// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

/// @notice A list of vaults that its owner keeps, and a factory's log of the vaults that anybody made.
contract ListRegister {
    address[] private listed;

    event CreateVaultV2(
        address indexed owner, address indexed asset, bytes32 salt, address indexed newVaultV2
    );

    mapping(address => bool) public isVaultV2;

    function set(address[] calldata vaults) external {
        listed = vaults;
    }

    function verifiedArray() external view returns (address[] memory) {
        return listed;
    }

    function create(address vault) external {
        isVaultV2[vault] = true;
        emit CreateVaultV2(msg.sender, address(0), 0, vault);
    }

    /// Announces a vault that the factory did not make.
    function forge(address vault) external {
        emit CreateVaultV2(msg.sender, address(0), 0, vault);
    }
}
