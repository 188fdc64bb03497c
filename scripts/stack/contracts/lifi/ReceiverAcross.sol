// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Executor} from "./Executor.sol";
import {Swapper} from "./Swapper.sol";
import {SwapData} from "./Types.sol";

/// @notice Stand-in for LI.FI's ReceiverAcrossV4: passes the SpokePool's delivery to the Executor, or to the user
/// when a call fails.
contract ReceiverAcross is Swapper {
    using SafeERC20 for IERC20;

    Executor public immutable EXECUTOR;
    address public immutable SPOKEPOOL;

    constructor(Executor executor, address spokePool) {
        EXECUTOR = executor;
        SPOKEPOOL = spokePool;
    }

    function handleV3AcrossMessage(address tokenSent, uint256 amount, address, bytes calldata message) external {
        if (msg.sender != SPOKEPOOL) revert UnAuthorized();
        (bytes32 transactionId, SwapData[] memory swapData, address payable receiver) =
            abi.decode(message, (bytes32, SwapData[], address));
        IERC20(tokenSent).forceApprove(address(EXECUTOR), amount);
        try EXECUTOR.swapAndCompleteBridgeTokens(transactionId, swapData, tokenSent, receiver) {}
        catch {
            _recover(transactionId, tokenSent, receiver, amount);
        }
        IERC20(tokenSent).forceApprove(address(EXECUTOR), 0);
    }

    function _recover(bytes32 transactionId, address token, address receiver, uint256 amount) private {
        _send(token, receiver, amount);
        emit LiFiTransferRecovered(transactionId, token, receiver, amount, block.timestamp);
    }
}
