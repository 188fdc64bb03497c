// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {Swapper} from "./Swapper.sol";
import {AcrossV4Data, BridgeData, SwapData} from "./Types.sol";

/// @notice What the Across facet needs of the SpokePool.
interface ISpokePool {
    function wrappedNativeToken() external view returns (address);
    function deposit(
        bytes32 depositor,
        bytes32 recipient,
        bytes32 inputToken,
        bytes32 outputToken,
        uint256 inputAmount,
        uint256 outputAmount,
        uint256 destinationChainId,
        bytes32 exclusiveRelayer,
        uint32 quoteTimestamp,
        uint32 fillDeadline,
        uint32 exclusivityParameter,
        bytes calldata message
    ) external payable;
}

/// @notice Stands in for LI.FI's Diamond with two of its facets, AcrossFacetV4 and GenericSwapFacetV3, written from their
/// documented behaviour. One plain contract: nothing can be upgraded.
contract Diamond is Swapper {
    uint256 private constant MULTIPLIER_BASE = 1e18;

    address public immutable owner = msg.sender;
    ISpokePool private immutable SPOKEPOOL;
    address private immutable WRAPPED_NATIVE;
    mapping(address target => mapping(bytes4 selector => bool)) private _allowed;

    struct SwapHead {
        bytes32 transactionId;
        string integrator;
        string referrer;
        address receiver;
        uint256 minAmountOut;
    }

    constructor(ISpokePool spokePool) {
        SPOKEPOOL = spokePool;
        WRAPPED_NATIVE = spokePool.wrappedNativeToken();
    }

    function setContractSelectorWhitelist(address target, bytes4 selector, bool allowed) external {
        if (msg.sender != owner) revert UnAuthorized();
        _allowed[target][selector] = allowed;
    }

    function isContractSelectorWhitelisted(address target, bytes4 selector) external view returns (bool) {
        return _allowed[target][selector];
    }

    function startBridgeTokensViaAcrossV4(BridgeData memory bridgeData, AcrossV4Data calldata acrossData)
        external
        payable
    {
        uint256 before = address(this).balance - msg.value;
        if (bridgeData.hasSourceSwaps) revert InformationMismatch();
        _validate(bridgeData, acrossData);
        _take(bridgeData.sendingAssetId, bridgeData.minAmount);
        _startBridge(bridgeData, acrossData, acrossData.outputAmount);
        _returnExcess(before);
    }

    /// @notice Swaps first; the output amount is then a share of what the swaps gave, rounded down, and the one that the
    /// caller names is ignored.
    function swapAndStartBridgeTokensViaAcrossV4(
        BridgeData memory bridgeData,
        SwapData[] calldata swapData,
        AcrossV4Data calldata acrossData
    ) external payable {
        uint256 before = address(this).balance - msg.value;
        if (!bridgeData.hasSourceSwaps) revert InformationMismatch();
        _validate(bridgeData, acrossData);
        bridgeData.minAmount = _depositAndSwap(bridgeData.transactionId, bridgeData.minAmount, swapData, msg.sender);
        uint256 outputAmount = bridgeData.minAmount * acrossData.outputAmountMultiplier / MULTIPLIER_BASE;
        _startBridge(bridgeData, acrossData, outputAmount);
        _returnExcess(before);
    }

    function swapTokensSingleV3ERC20ToERC20(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData calldata swapData
    ) external {
        _singleSwap(SwapHead(transactionId, integrator, referrer, receiver, minAmountOut), swapData);
    }

    function swapTokensSingleV3ERC20ToNative(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData calldata swapData
    ) external {
        _singleSwap(SwapHead(transactionId, integrator, referrer, receiver, minAmountOut), swapData);
    }

    function swapTokensSingleV3NativeToERC20(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData calldata swapData
    ) external payable {
        _singleSwap(SwapHead(transactionId, integrator, referrer, receiver, minAmountOut), swapData);
    }

    function swapTokensMultipleV3ERC20ToERC20(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData[] calldata swapData
    ) external {
        _multipleSwap(SwapHead(transactionId, integrator, referrer, receiver, minAmountOut), swapData);
    }

    function swapTokensMultipleV3ERC20ToNative(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData[] calldata swapData
    ) external {
        _multipleSwap(SwapHead(transactionId, integrator, referrer, receiver, minAmountOut), swapData);
    }

    function swapTokensMultipleV3NativeToERC20(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData[] calldata swapData
    ) external payable {
        _multipleSwap(SwapHead(transactionId, integrator, referrer, receiver, minAmountOut), swapData);
    }

    function _validate(BridgeData memory bridgeData, AcrossV4Data calldata acrossData) private view {
        if (bridgeData.receiver == address(0)) revert InvalidReceiver();
        if (bridgeData.minAmount == 0) revert InvalidAmount();
        if (bridgeData.destinationChainId == block.chainid) revert CannotBridgeToSameNetwork();
        if ((acrossData.message.length != 0) != bridgeData.hasDestinationCall) revert InformationMismatch();
        bool named = acrossData.receiverAddress == bytes32(uint256(uint160(bridgeData.receiver)));
        if (!bridgeData.hasDestinationCall && !named) revert InvalidReceiver();
    }

    /// @dev The depositor, who gets refunds, is the refund address and not who calls.
    function _startBridge(BridgeData memory bridgeData, AcrossV4Data calldata acrossData, uint256 outputAmount) private {
        bool native = bridgeData.sendingAssetId == address(0);
        if (!native) _approveMax(bridgeData.sendingAssetId, address(SPOKEPOOL), bridgeData.minAmount);
        SPOKEPOOL.deposit{value: native ? bridgeData.minAmount : 0}(
            acrossData.refundAddress,
            acrossData.receiverAddress,
            native ? bytes32(uint256(uint160(WRAPPED_NATIVE))) : acrossData.sendingAssetId,
            acrossData.receivingAssetId,
            bridgeData.minAmount,
            outputAmount,
            bridgeData.destinationChainId,
            acrossData.exclusiveRelayer,
            acrossData.quoteTimestamp,
            acrossData.fillDeadline,
            acrossData.exclusivityParameter,
            acrossData.message
        );
        emit LiFiTransferStarted(bridgeData);
    }

    function _singleSwap(SwapHead memory head, SwapData calldata swap) private {
        if (head.receiver == address(0)) revert InvalidReceiver();
        uint256 before = _heldBefore(swap.receivingAssetId);
        _take(swap.sendingAssetId, swap.fromAmount);
        _callAllowed(head.transactionId, swap);
        _finishSwap(head, swap.sendingAssetId, swap.receivingAssetId, swap.fromAmount, before);
    }

    function _multipleSwap(SwapHead memory head, SwapData[] calldata swaps) private {
        if (head.receiver == address(0)) revert InvalidReceiver();
        SwapData calldata last = swaps[swaps.length - 1];
        uint256 before = _heldBefore(last.receivingAssetId);
        _runSwaps(head.transactionId, swaps, head.receiver);
        _finishSwap(head, swaps[0].sendingAssetId, last.receivingAssetId, swaps[0].fromAmount, before);
    }

    function _finishSwap(SwapHead memory head, address from, address to, uint256 fromAmount, uint256 before) private {
        uint256 received = _held(to) - before;
        if (received < head.minAmountOut) revert CumulativeSlippageTooHigh(head.minAmountOut, received);
        _send(to, head.receiver, received);
        emit LiFiGenericSwapCompleted(
            head.transactionId, head.integrator, head.referrer, head.receiver, from, to, fromAmount, received
        );
    }

    function _depositAndSwap(bytes32 transactionId, uint256 minAmount, SwapData[] calldata swaps, address leftoverTo)
        private
        returns (uint256 received)
    {
        if (swaps.length == 0) revert InformationMismatch();
        address last = swaps[swaps.length - 1].receivingAssetId;
        uint256 before = _heldBefore(last);
        _runSwaps(transactionId, swaps, leftoverTo);
        received = _held(last) - before;
        if (received < minAmount) revert CumulativeSlippageTooHigh(minAmount, received);
    }

    function _runSwaps(bytes32 transactionId, SwapData[] calldata swaps, address leftoverTo) private {
        uint256[] memory outputs = _receiving(swaps);
        for (uint256 i = 0; i < swaps.length; ++i) {
            if (swaps[i].requiresDeposit) _take(swaps[i].sendingAssetId, swaps[i].fromAmount);
        }
        for (uint256 i = 0; i < swaps.length; ++i) _callAllowed(transactionId, swaps[i]);
        _sendLeftovers(swaps, outputs, leftoverTo);
    }

    function _callAllowed(bytes32 transactionId, SwapData calldata swap) private {
        if (!_allowed[swap.callTo][bytes4(swap.callData)]) revert ContractCallNotAllowed();
        if (swap.sendingAssetId != address(0) && swap.approveTo != swap.callTo) revert ContractCallNotAllowed();
        _swap(transactionId, swap, false);
    }

    function _take(address asset, uint256 amount) private {
        if (asset != address(0)) _pull(asset, msg.sender, amount);
        else if (amount == 0 || msg.value < amount) revert InvalidAmount();
    }

    function _heldBefore(address asset) private view returns (uint256) {
        return asset == address(0) ? address(this).balance - msg.value : _held(asset);
    }

    function _returnExcess(uint256 before) private {
        if (address(this).balance > before) _send(address(0), msg.sender, address(this).balance - before);
    }
}
