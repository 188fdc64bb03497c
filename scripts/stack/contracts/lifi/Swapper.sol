// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {LiFi, SwapData} from "./Types.sol";

/// @notice Shared by Diamond, Executor and Receiver: transferring assets (the zero address is native) and running
/// swaps.
abstract contract Swapper is LiFi {
    using SafeERC20 for IERC20;

    receive() external payable {}

    function _held(address asset) internal view returns (uint256) {
        return asset == address(0) ? address(this).balance : IERC20(asset).balanceOf(address(this));
    }

    function _pull(address token, address from, uint256 amount) internal {
        if (amount == 0) revert InvalidAmount();
        bytes memory data = abi.encodeCall(IERC20.transferFrom, (from, address(this), amount));
        if (!_agreed(token, data)) revert TransferFromFailed();
    }

    function _send(address asset, address to, uint256 amount) internal {
        if (to == address(0)) revert InvalidReceiver();
        if (asset == address(0)) {
            (bool ok,) = to.call{value: amount}("");
            if (!ok) revert TransferFailed();
        } else if (!_agreed(asset, abi.encodeCall(IERC20.transfer, (to, amount)))) {
            revert TransferFailed();
        }
    }

    /// @dev Sets an unlimited allowance that stays, as LI.FI does.
    function _approveMax(address token, address spender, uint256 amount) internal {
        if (IERC20(token).allowance(address(this), spender) < amount) {
            IERC20(token).forceApprove(spender, type(uint256).max);
        }
    }

    /// @dev `strict` is the older library: it rejects a declared amount above the balance, whatever the call then
    /// takes.
    function _swap(bytes32 transactionId, SwapData calldata swap, bool strict) internal {
        if (swap.callTo.code.length == 0) revert InvalidContract();
        if (swap.fromAmount == 0) revert NoSwapFromZeroBalance();
        bool native = swap.sendingAssetId == address(0);
        uint256 sendable = _held(swap.sendingAssetId);
        uint256 before = _held(swap.receivingAssetId);
        if (!native) _approveMax(swap.sendingAssetId, swap.approveTo, swap.fromAmount);
        if (strict && sendable < swap.fromAmount) revert InsufficientBalance(swap.fromAmount, sendable);
        (bool ok, bytes memory answer) = swap.callTo.call{value: native ? swap.fromAmount : 0}(swap.callData);
        if (!ok) _revertWith(answer);
        uint256 afterwards = _held(swap.receivingAssetId);
        emit AssetSwapped(
            transactionId,
            swap.callTo,
            swap.sendingAssetId,
            swap.receivingAssetId,
            swap.fromAmount,
            afterwards > before ? afterwards - before : afterwards,
            block.timestamp
        );
    }

    /// @dev Forwards the leftovers of each swap's output except the last; `before` comes from {_receiving}.
    function _sendLeftovers(SwapData[] calldata swaps, uint256[] memory before, address to) internal {
        address last = swaps[swaps.length - 1].receivingAssetId;
        for (uint256 i = 0; i + 1 < swaps.length; ++i) {
            address asset = swaps[i].receivingAssetId;
            uint256 held = _held(asset);
            if (asset != last && held > before[i]) _send(asset, to, held - before[i]);
        }
    }

    /// @dev Balances of each swap's output token; native money of the call does not count.
    function _receiving(SwapData[] calldata swaps) internal view returns (uint256[] memory held) {
        held = new uint256[](swaps.length);
        for (uint256 i = 0; i < swaps.length; ++i) {
            address asset = swaps[i].receivingAssetId;
            held[i] = asset == address(0) ? address(this).balance - msg.value : _held(asset);
        }
    }

    function _revertWith(bytes memory reason) private pure {
        assembly ("memory-safe") {
            revert(add(reason, 32), mload(reason))
        }
    }

    /// @dev Tokens return true, or nothing as USDT does.
    function _agreed(address token, bytes memory data) private returns (bool) {
        (bool ok, bytes memory answer) = token.call(data);
        return ok && (answer.length == 0 || abi.decode(answer, (bool)));
    }
}
