// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

/// @notice Lets the local relayer make one delivery's calls fail, as a vault that refuses would. Anyone may use it: this is
/// for local chains only.
abstract contract Sabotage {
    mapping(bytes32 messageHash => bool) private _doomed;

    /// @notice The calls of the next delivery with this message fail.
    function failOnce(bytes32 messageHash) external {
        _doomed[messageHash] = true;
    }

    /// @dev Says whether a delivery is to fail, once.
    function _isDoomed(bytes calldata message) internal returns (bool doomed) {
        bytes32 messageHash = keccak256(message);
        doomed = _doomed[messageHash];
        if (doomed) delete _doomed[messageHash];
    }
}
