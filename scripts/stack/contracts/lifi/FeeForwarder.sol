// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @notice Stands in for LI.FI's FeeForwarder: pays fees from its caller to their recipients and keeps nothing.
contract FeeForwarder {
    using SafeERC20 for IERC20;

    struct FeeDistribution {
        address recipient;
        uint256 amount;
    }

    error TransferFailed();

    event FeesForwarded(address indexed token, FeeDistribution[] distributions);

    function forwardERC20Fees(address token, FeeDistribution[] calldata distributions) external {
        for (uint256 i = 0; i < distributions.length; ++i) {
            IERC20(token).safeTransferFrom(msg.sender, distributions[i].recipient, distributions[i].amount);
        }
        emit FeesForwarded(token, distributions);
    }

    /// @notice Refunds the native money of the call that is not a fee.
    function forwardNativeFees(FeeDistribution[] calldata distributions) external payable {
        uint256 left = msg.value;
        for (uint256 i = 0; i < distributions.length; ++i) {
            left -= distributions[i].amount;
            _pay(distributions[i].recipient, distributions[i].amount);
        }
        if (left != 0) _pay(msg.sender, left);
        emit FeesForwarded(address(0), distributions);
    }

    function _pay(address to, uint256 amount) private {
        (bool ok,) = to.call{value: amount}("");
        if (!ok) revert TransferFailed();
    }
}
