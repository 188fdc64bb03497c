// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Exchange} from "../Exchange.sol";

struct GenericData {
    address srcToken;
    address destToken;
    uint256 fromAmount;
    uint256 toAmount;
    uint256 quotedAmount;
    bytes32 metadata;
    address beneficiary;
}

/// @notice Stand-in for Velora's Augustus V6.2: sends the source token to an executor, lets it swap, and checks its own
/// balance before fees, surplus and the unit that it keeps. No permit, no other function, no blacklist.
contract AugustusV6 {
    using SafeERC20 for IERC20;

    address private constant NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
    uint256 private constant BPS = 10_000;
    uint256 private constant MAX_FEE_BPS = 200;
    uint256 private constant FEE_MASK = 0x3fff;
    uint256 private constant CAP_SURPLUS = 1 << 92;
    uint256 private constant SURPLUS_CAP_BPS = 100;
    uint256 private constant SURPLUS_EPSILON = 11;
    /// @notice Receives surplus over the quoted amount.
    address public constant FEE_WALLET = address(uint160(uint256(keccak256("velora fee wallet"))));

    error InsufficientReturnAmount();
    error InvalidToAmount();
    error IncorrectEthAmount();

    receive() external payable {}

    function swapExactAmountIn(
        address executor,
        GenericData calldata swapData,
        uint256 partnerAndFee,
        bytes calldata,
        bytes calldata executorData
    ) external payable returns (uint256 receivedAmount, uint256 paraswapShare, uint256 partnerShare) {
        if (swapData.toAmount == 0) revert InvalidToAmount();
        bool native = swapData.srcToken == NATIVE;
        if (msg.value != (native ? swapData.fromAmount : 0)) revert IncorrectEthAmount();
        if (!native) IERC20(swapData.srcToken).safeTransferFrom(msg.sender, executor, swapData.fromAmount);
        AugustusExecutor(payable(executor)).execute{value: msg.value}(executorData, swapData.fromAmount);
        receivedAmount = _held(swapData.destToken);
        if (receivedAmount < swapData.toAmount) revert InsufficientReturnAmount();
        return _payOut(swapData, partnerAndFee, receivedAmount);
    }

    function _payOut(GenericData calldata swapData, uint256 partnerAndFee, uint256 received)
        private
        returns (uint256, uint256, uint256)
    {
        address receiver = swapData.beneficiary == address(0) ? msg.sender : swapData.beneficiary;
        address partner = address(uint160(partnerAndFee >> 96));
        uint256 fee = partner == address(0) ? 0 : partnerAndFee & FEE_MASK;
        if (fee > 0) {
            fee = received * (fee > MAX_FEE_BPS ? MAX_FEE_BPS : fee) / BPS;
            _send(swapData.destToken, partner, fee);
            _send(swapData.destToken, receiver, received - fee - 1);
            return (received - fee - 1, 0, fee);
        }
        uint256 surplus = received > swapData.quotedAmount + SURPLUS_EPSILON ? received - swapData.quotedAmount : 0;
        uint256 cap = swapData.quotedAmount * SURPLUS_CAP_BPS / BPS;
        if (partnerAndFee & CAP_SURPLUS != 0 && surplus > cap) surplus = cap;
        _send(swapData.destToken, receiver, received - surplus - 1);
        if (surplus > 0) _send(swapData.destToken, FEE_WALLET, surplus);
        return (received - surplus - 1, surplus, 0);
    }

    function _held(address token) private view returns (uint256) {
        return token == NATIVE ? address(this).balance : IERC20(token).balanceOf(address(this));
    }

    function _send(address token, address to, uint256 amount) private {
        if (token != NATIVE) return IERC20(token).safeTransfer(to, amount);
        (bool ok,) = to.call{value: amount}("");
        require(ok, "ETH transfer failed");
    }
}

/// @notice Stand-in for Velora's executor: swaps what it was given on the exchange, keeps a pool's fee and pays its caller.
contract AugustusExecutor {
    using SafeERC20 for IERC20;

    uint256 private constant BPS = 10_000;
    /// @notice Fee of the pools, in basis points.
    uint256 public constant POOL_FEE_BPS = 25;
    Exchange private immutable EXCHANGE;

    constructor(Exchange exchange) {
        EXCHANGE = exchange;
    }

    receive() external payable {}

    /// @param data the tokens of the swap; the zero address is native money
    function execute(bytes calldata data, uint256 amountIn) external payable {
        (address tokenIn, address tokenOut) = abi.decode(data, (address, address));
        uint256 amount = amountIn * (BPS - POOL_FEE_BPS) / BPS;
        bool native = tokenIn == address(0);
        if (!native) IERC20(tokenIn).forceApprove(address(EXCHANGE), amount);
        EXCHANGE.swap{value: native ? amount : 0}(tokenIn, tokenOut, amount, 0, msg.sender);
    }
}
