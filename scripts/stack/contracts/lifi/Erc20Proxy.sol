// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {LiFi} from "./Types.sol";

/// @notice Stand-in for LI.FI's ERC20Proxy: holds users' approvals for calls on one chain and transfers for the
/// Executor.
contract Erc20Proxy is LiFi {
    address public immutable owner = msg.sender;
    mapping(address caller => bool) public authorizedCallers;

    function setAuthorizedCaller(address caller, bool authorized) external {
        if (msg.sender != owner) revert UnAuthorized();
        authorizedCallers[caller] = authorized;
    }

    function transferFrom(address token, address from, address to, uint256 amount) external {
        if (!authorizedCallers[msg.sender]) revert UnAuthorized();
        (bool ok, bytes memory answer) = token.call(abi.encodeCall(IERC20.transferFrom, (from, to, amount)));
        if (!ok || (answer.length != 0 && !abi.decode(answer, (bool)))) revert TransferFromFailed();
    }
}
