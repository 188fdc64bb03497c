// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @notice Swaps listed tokens at fixed prices from its own balance; the zero address is native money.
contract Exchange {
    using SafeERC20 for IERC20;

    struct Listing {
        address token;
        uint8 decimals;
        uint256 price;
    }

    error NotListed(address token);
    error ValueMismatch(uint256 sent, uint256 expected);
    error ReturnAmountIsNotEnough(uint256 amountOut, uint256 minAmountOut);
    error TransferFailed();

    event Swapped(address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut, address to);

    uint256 private constant BPS = 10_000;
    /// @notice Fee of every swap, in basis points.
    uint256 public constant FEE_BPS = 10;
    /// @notice Slippage in basis points that quotes do not include. Anyone may set it.
    uint256 public slipBps;
    /// @dev Price of the smallest unit, in 10^-36 dollars.
    mapping(address token => uint256 price) private _prices;

    /// @param listings price in 10^-8 dollars for a whole token
    constructor(Listing[] memory listings) payable {
        for (uint256 i = 0; i < listings.length; ++i) {
            _prices[listings[i].token] = listings[i].price * 10 ** (28 - listings[i].decimals);
        }
    }

    receive() external payable {}

    function setSlip(uint256 bps) external {
        slipBps = bps;
    }

    function quote(address tokenIn, address tokenOut, uint256 amountIn) public view returns (uint256) {
        return amountIn * _priceOf(tokenIn) / _priceOf(tokenOut) * (BPS - FEE_BPS) / BPS;
    }

    function swap(address tokenIn, address tokenOut, uint256 amountIn, uint256 minAmountOut, address to)
        external
        payable
        returns (uint256 amountOut)
    {
        uint256 expected = tokenIn == address(0) ? amountIn : 0;
        if (msg.value != expected) revert ValueMismatch(msg.value, expected);
        if (tokenIn != address(0)) IERC20(tokenIn).safeTransferFrom(msg.sender, address(this), amountIn);
        amountOut = quote(tokenIn, tokenOut, amountIn) * (BPS - slipBps) / BPS;
        if (amountOut < minAmountOut) revert ReturnAmountIsNotEnough(amountOut, minAmountOut);
        if (tokenOut != address(0)) {
            IERC20(tokenOut).safeTransfer(to, amountOut);
        } else {
            (bool ok,) = to.call{value: amountOut}("");
            if (!ok) revert TransferFailed();
        }
        emit Swapped(tokenIn, tokenOut, amountIn, amountOut, to);
    }

    function _priceOf(address token) private view returns (uint256 price) {
        price = _prices[token];
        if (price == 0) revert NotListed(token);
    }
}
