// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {Erc20Proxy} from "./Erc20Proxy.sol";
import {Swapper} from "./Swapper.sol";
import {SwapData} from "./Types.sol";

/// @notice Stand-in for LI.FI's Executor, which makes calls: on one chain for the user, after a bridge for the
/// Receiver. The remaining asset and the last output go to `receiver`.
contract Executor is Swapper, ReentrancyGuard {
    Erc20Proxy public immutable erc20Proxy;
    /// @notice True for version 2.0.0, which reverts when it holds less than a call declares.
    bool public immutable strict;

    constructor(Erc20Proxy proxy, bool strict_) {
        erc20Proxy = proxy;
        strict = strict_;
    }

    /// @notice Calls on one chain; tokens come from the caller through the ERC20Proxy.
    function swapAndExecute(
        bytes32 transactionId,
        SwapData[] calldata swapData,
        address transferredAssetId,
        address payable receiver,
        uint256 amount
    ) external payable nonReentrant {
        uint256 before = _heldBefore(transferredAssetId);
        uint256 finalBefore = _heldBefore(swapData[swapData.length - 1].receivingAssetId);
        if (transferredAssetId != address(0)) {
            erc20Proxy.transferFrom(transferredAssetId, msg.sender, address(this), amount);
        }
        _process(transactionId, swapData, transferredAssetId, receiver, before, finalBefore);
    }

    /// @notice Calls after a bridge; takes the Receiver's whole allowance.
    function swapAndCompleteBridgeTokens(
        bytes32 transactionId,
        SwapData[] calldata swapData,
        address transferredAssetId,
        address payable receiver
    ) external payable nonReentrant {
        uint256 before = _heldBefore(transferredAssetId);
        uint256 finalBefore = _heldBefore(swapData[swapData.length - 1].receivingAssetId);
        if (transferredAssetId != address(0)) {
            uint256 allowed = IERC20(transferredAssetId).allowance(msg.sender, address(this));
            _pull(transferredAssetId, msg.sender, allowed);
        }
        _process(transactionId, swapData, transferredAssetId, receiver, before, finalBefore);
    }

    function _process(
        bytes32 transactionId,
        SwapData[] calldata swapData,
        address transferred,
        address payable receiver,
        uint256 before,
        uint256 finalBefore
    ) private {
        uint256[] memory outputs = _receiving(swapData);
        for (uint256 i = 0; i < swapData.length; ++i) {
            if (swapData[i].callTo == address(erc20Proxy)) revert UnAuthorized();
            _swap(transactionId, swapData[i], strict);
        }
        _sendLeftovers(swapData, outputs, receiver);
        uint256 held = _held(transferred);
        if (held > before) _send(transferred, receiver, held - before);
        address last = swapData[swapData.length - 1].receivingAssetId;
        uint256 output = _held(last);
        if (output > finalBefore) _send(last, receiver, output - finalBefore);
        emit LiFiTransferCompleted(transactionId, transferred, receiver, output, block.timestamp);
    }

    function _heldBefore(address asset) private view returns (uint256) {
        return asset == address(0) ? address(this).balance - msg.value : _held(asset);
    }
}
