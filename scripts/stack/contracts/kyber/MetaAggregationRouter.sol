// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Exchange} from "../Exchange.sol";

struct SwapDescription {
    address srcToken;
    address dstToken;
    address[] srcReceivers;
    uint256[] srcAmounts;
    address[] feeReceivers;
    uint256[] feeAmounts;
    address dstReceiver;
    uint256 amount;
    uint256 minReturnAmount;
    uint256 flags;
    bytes permit;
}

struct SwapExecution {
    address callTarget;
    address approveTarget;
    bytes targetData;
    SwapDescription desc;
    bytes clientData;
}

struct SimpleSwapData {
    address[] firstPools;
    uint256[] firstSwapAmounts;
    bytes[] swapDatas;
    uint256 deadline;
    bytes destTokenFeeData;
}

interface IAggregationExecutor {
    function callBytes(bytes calldata data) external payable;
    function swapSingleSequence(bytes calldata data) external;
    function finalTransactionProcessing(address tokenIn, address tokenOut, address to, bytes calldata feeData) external;
}

/// @notice Stand-in for KyberSwap's MetaAggregationRouterV2: takes the source token from its caller, lets an executor
/// swap it, and checks the receiver's gain. No permit, no partial fill, no generic call.
contract MetaAggregationRouter {
    using SafeERC20 for IERC20;

    address private constant NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
    uint256 private constant BPS = 10_000;
    uint256 private constant REQUIRES_EXTRA_ETH = 0x02;
    uint256 private constant SIMPLE_SWAP = 0x20;
    uint256 private constant FEE_ON_DST = 0x40;
    uint256 private constant FEE_IN_BPS = 0x80;

    event Swapped(
        address sender,
        address srcToken,
        address dstToken,
        address dstReceiver,
        uint256 spentAmount,
        uint256 returnAmount
    );
    event ClientData(bytes clientData);

    receive() external payable {}

    function swap(SwapExecution calldata execution)
        external
        payable
        returns (uint256 returnAmount, uint256 gasUsed)
    {
        uint256 gasBefore = gasleft();
        SwapDescription calldata desc = execution.desc;
        require(desc.minReturnAmount > 0, "Min return should not be 0");
        require(execution.targetData.length > 0, "executorData should be not zero");
        if (desc.flags & SIMPLE_SWAP != 0) {
            return swapSimpleMode(execution.callTarget, desc, execution.targetData, execution.clientData);
        }
        uint256 value = desc.srcToken == NATIVE ? desc.amount : 0;
        require(desc.flags & REQUIRES_EXTRA_ETH == 0 && msg.value == value, "Invalid msg.value");
        returnAmount = _swapThrough(execution.callTarget, desc, execution.targetData);
        emit ClientData(execution.clientData);
        gasUsed = gasBefore - gasleft();
    }

    function _swapThrough(address executor, SwapDescription calldata desc, bytes calldata data)
        private
        returns (uint256)
    {
        address receiver = desc.dstReceiver == address(0) ? msg.sender : desc.dstReceiver;
        uint256 before = _held(desc.dstToken, receiver);
        uint256 stuck = _held(desc.dstToken, address(this));
        uint256 amount = desc.flags & FEE_ON_DST != 0 ? desc.amount : _takeFee(desc, desc.srcToken, desc.amount);
        _feed(desc, amount);
        (bool ok,) = executor.call{value: desc.srcToken == NATIVE ? amount : 0}(
            abi.encodeCall(IAggregationExecutor.callBytes, (data))
        );
        require(ok, "Call failed");
        stuck = _held(desc.dstToken, address(this)) - stuck;
        if (desc.flags & FEE_ON_DST != 0) stuck = _takeFee(desc, desc.dstToken, stuck);
        if (stuck > 0) _send(desc.dstToken, receiver, stuck);
        return _check(desc, receiver, before);
    }

    function swapSimpleMode(
        address caller,
        SwapDescription calldata desc,
        bytes calldata executorData,
        bytes calldata clientData
    ) public returns (uint256 returnAmount, uint256 gasUsed) {
        uint256 gasBefore = gasleft();
        require(desc.srcToken != NATIVE, "src is eth, should use normal swap");
        returnAmount = _swapSimple(IAggregationExecutor(caller), desc, abi.decode(executorData, (SimpleSwapData)));
        emit ClientData(clientData);
        gasUsed = gasBefore - gasleft();
    }

    function _swapSimple(IAggregationExecutor caller, SwapDescription calldata desc, SimpleSwapData memory data)
        private
        returns (uint256)
    {
        address receiver = desc.dstReceiver == address(0) ? msg.sender : desc.dstReceiver;
        uint256 before = _held(desc.dstToken, receiver);
        uint256 left = _takeFee(desc, desc.srcToken, desc.amount);
        require(data.deadline >= block.timestamp, "ROUTER: Expired");
        for (uint256 i = 0; i < data.firstPools.length; ++i) {
            require(data.firstSwapAmounts[i] <= left, "invalid swap amount");
            left -= data.firstSwapAmounts[i];
            IERC20(desc.srcToken).safeTransferFrom(msg.sender, data.firstPools[i], data.firstSwapAmounts[i]);
            caller.swapSingleSequence(data.swapDatas[i]);
        }
        caller.finalTransactionProcessing(desc.srcToken, desc.dstToken, receiver, data.destTokenFeeData);
        return _check(desc, receiver, before);
    }

    function _feed(SwapDescription calldata desc, uint256 amount) private {
        require(desc.srcReceivers.length == desc.srcAmounts.length, "invalid srcReceivers length");
        uint256 total;
        for (uint256 i = 0; i < desc.srcReceivers.length; ++i) {
            total += desc.srcAmounts[i];
            if (desc.srcToken != NATIVE) {
                IERC20(desc.srcToken).safeTransferFrom(msg.sender, desc.srcReceivers[i], desc.srcAmounts[i]);
            }
        }
        require(total <= amount, "Exceeded desc.amount");
    }

    function _takeFee(SwapDescription calldata desc, address token, uint256 amount) private returns (uint256 left) {
        left = amount;
        for (uint256 i = 0; i < desc.feeReceivers.length; ++i) {
            uint256 fee = desc.flags & FEE_IN_BPS != 0 ? amount * desc.feeAmounts[i] / BPS : desc.feeAmounts[i];
            left -= fee;
            if (token == NATIVE || desc.flags & FEE_ON_DST != 0) _send(token, desc.feeReceivers[i], fee);
            else IERC20(token).safeTransferFrom(msg.sender, desc.feeReceivers[i], fee);
        }
    }

    function _check(SwapDescription calldata desc, address receiver, uint256 before)
        private
        returns (uint256 returnAmount)
    {
        returnAmount = _held(desc.dstToken, receiver) - before;
        require(returnAmount >= desc.minReturnAmount, "Return amount is not enough");
        emit Swapped(msg.sender, desc.srcToken, desc.dstToken, receiver, desc.amount, returnAmount);
    }

    function _held(address token, address account) private view returns (uint256) {
        return token == NATIVE ? account.balance : IERC20(token).balanceOf(account);
    }

    function _send(address token, address to, uint256 amount) private {
        if (token != NATIVE) return IERC20(token).safeTransfer(to, amount);
        (bool ok,) = to.call{value: amount}("");
        require(ok, "ETH transfer failed");
    }
}

/// @notice Stand-in for KyberSwap's executor: swaps what it was given on the exchange and keeps a pool's fee.
contract AggregationExecutor is IAggregationExecutor {
    using SafeERC20 for IERC20;

    uint256 private constant BPS = 10_000;
    /// @notice Fee of the pools, in basis points.
    uint256 public constant POOL_FEE_BPS = 30;
    Exchange private immutable EXCHANGE;

    /// @dev The zero address is native money.
    struct Sequence {
        address tokenIn;
        address tokenOut;
        uint256 amountIn;
        address to;
        uint256 deadline;
    }

    constructor(Exchange exchange) {
        EXCHANGE = exchange;
    }

    receive() external payable {}

    function callBytes(bytes calldata data) external payable {
        _swap(abi.decode(data, (Sequence)));
    }

    function swapSingleSequence(bytes calldata data) external {
        _swap(abi.decode(data, (Sequence)));
    }

    /// @dev Each sequence pays its receiver directly.
    function finalTransactionProcessing(address, address, address, bytes calldata) external {}

    function _swap(Sequence memory sequence) private {
        require(sequence.deadline >= block.timestamp, "Executor: Expired");
        uint256 amount = sequence.amountIn * (BPS - POOL_FEE_BPS) / BPS;
        bool native = sequence.tokenIn == address(0);
        if (!native) IERC20(sequence.tokenIn).forceApprove(address(EXCHANGE), amount);
        EXCHANGE.swap{value: native ? amount : 0}(sequence.tokenIn, sequence.tokenOut, amount, 0, sequence.to);
    }
}
