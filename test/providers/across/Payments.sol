// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

interface IToken {
    function balanceOf(address owner) external view returns (uint256);
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

/// @dev Tokens answer true, or nothing as USDT does.
abstract contract Payments {
    error TransferRefused(address token);

    function _pay(address token, bytes memory data) internal {
        (bool ok, bytes memory answer) = token.call(data);
        if (!ok || (answer.length != 0 && !abi.decode(answer, (bool)))) revert TransferRefused(token);
    }

    function _transfer(address token, address to, uint256 amount) internal {
        _pay(token, abi.encodeWithSignature("transfer(address,uint256)", to, amount));
    }

    function _transferFrom(address token, address from, address to, uint256 amount) internal {
        _pay(token, abi.encodeWithSignature("transferFrom(address,address,uint256)", from, to, amount));
    }
}
