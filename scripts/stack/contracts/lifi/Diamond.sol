// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {CircleBridgeProxy} from "./Circle.sol";
import {CircleFacets} from "./CircleFacets.sol";
import {StargatePool, TokenMessaging} from "./Stargate.sol";
import {AcrossV4Data, BridgeData, StargateData, SwapData} from "./Types.sol";

/// @notice The SpokePool functions that the Across facet uses.
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

/// @notice Stand-in for LI.FI's Diamond with five facets, AcrossFacetV4, StargateFacetV2, CelerCircleBridgeFacet,
/// PolymerCCTPFacet and GenericSwapFacetV3, written from their documented behaviour as one contract without upgrades.
contract Diamond is CircleFacets {
    uint256 private constant MULTIPLIER_BASE = 1e18;

    address public immutable owner = msg.sender;
    ISpokePool private immutable SPOKEPOOL;
    address private immutable WRAPPED_NATIVE;
    TokenMessaging private immutable TOKEN_MESSAGING;
    mapping(address target => mapping(bytes4 selector => bool)) private _allowed;

    struct SwapHead {
        bytes32 transactionId;
        string integrator;
        string referrer;
        address receiver;
        uint256 minAmountOut;
    }

    constructor(ISpokePool spokePool, TokenMessaging tokenMessaging, CircleBridgeProxy circleBridgeProxy)
        CircleFacets(circleBridgeProxy)
    {
        SPOKEPOOL = spokePool;
        TOKEN_MESSAGING = tokenMessaging;
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
        _validateAcross(bridgeData, acrossData);
        _take(bridgeData.sendingAssetId, bridgeData.minAmount);
        _startBridge(bridgeData, acrossData.outputAmount, acrossData);
        _returnExcess(before, msg.sender);
    }

    /// @notice Swaps first; the output amount is then a multiple of the swaps' output, rounded down, and the caller's
    /// amount is ignored.
    function swapAndStartBridgeTokensViaAcrossV4(
        BridgeData memory bridgeData,
        SwapData[] calldata swapData,
        AcrossV4Data calldata acrossData
    ) external payable {
        uint256 before = address(this).balance - msg.value;
        if (!bridgeData.hasSourceSwaps) revert InformationMismatch();
        _validateAcross(bridgeData, acrossData);
        bridgeData.minAmount = _depositAndSwap(bridgeData, swapData, msg.sender, 0);
        uint256 outputAmount = bridgeData.minAmount * acrossData.outputAmountMultiplier / MULTIPLIER_BASE;
        _startBridge(bridgeData, outputAmount, acrossData);
        _returnExcess(before, msg.sender);
    }

    function startBridgeTokensViaStargate(BridgeData memory bridgeData, StargateData memory stargateData)
        external
        payable
    {
        uint256 before = address(this).balance - msg.value;
        if (bridgeData.hasSourceSwaps) revert InformationMismatch();
        _validateStargate(bridgeData, stargateData);
        _take(bridgeData.sendingAssetId, bridgeData.minAmount);
        _startStargate(bridgeData, stargateData);
        _returnExcess(before, msg.sender);
    }

    function swapAndStartBridgeTokensViaStargate(
        BridgeData memory bridgeData,
        SwapData[] calldata swapData,
        StargateData memory stargateData
    ) external payable {
        uint256 before = address(this).balance - msg.value;
        if (!bridgeData.hasSourceSwaps) revert InformationMismatch();
        _validateStargate(bridgeData, stargateData);
        bridgeData.minAmount = _depositAndSwap(bridgeData, swapData, msg.sender, stargateData.fee.nativeFee);
        _startStargate(bridgeData, stargateData);
        _returnExcess(before, msg.sender);
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

    function _validate(BridgeData memory bridgeData) internal view override {
        if (bridgeData.receiver == address(0)) revert InvalidReceiver();
        if (bridgeData.minAmount == 0) revert InvalidAmount();
        if (bridgeData.destinationChainId == block.chainid) revert CannotBridgeToSameNetwork();
    }

    function _validateStargate(BridgeData memory bridgeData, StargateData memory stargateData) private view {
        _validate(bridgeData);
        bool called = stargateData.sendParams.composeMsg.length > 0;
        if (called != bridgeData.hasDestinationCall) revert InformationMismatch();
        if (called && stargateData.sendParams.oftCmd.length != 0) revert InformationMismatch();
        bool named = stargateData.sendParams.to == bytes32(uint256(uint160(bridgeData.receiver)));
        if (!called && !named) revert InformationMismatch();
    }

    /// @dev The caller's amount is overwritten with the bridged one.
    function _startStargate(BridgeData memory bridgeData, StargateData memory stargateData) private {
        address pool = TOKEN_MESSAGING.stargateImpls(stargateData.assetId);
        if (pool == address(0)) revert InvalidContract();
        bool native = bridgeData.sendingAssetId == address(0);
        if (!native) _approveMax(bridgeData.sendingAssetId, pool, bridgeData.minAmount);
        stargateData.sendParams.amountLD = bridgeData.minAmount;
        StargatePool(payable(pool)).sendToken{
            value: stargateData.fee.nativeFee + (native ? bridgeData.minAmount : 0)
        }(stargateData.sendParams, stargateData.fee, stargateData.refundAddress);
        emit LiFiTransferStarted(bridgeData);
    }

    function _validateAcross(BridgeData memory bridgeData, AcrossV4Data calldata acrossData) private view {
        _validate(bridgeData);
        if ((acrossData.message.length != 0) != bridgeData.hasDestinationCall) revert InformationMismatch();
        bool named = acrossData.receiverAddress == bytes32(uint256(uint160(bridgeData.receiver)));
        if (!bridgeData.hasDestinationCall && !named) revert InvalidReceiver();
    }

    /// @dev The depositor, who receives refunds, is the refund address and not the caller.
    function _startBridge(BridgeData memory bridgeData, uint256 outputAmount, AcrossV4Data memory acrossData) private {
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
        _runSwaps(head.transactionId, swaps, head.receiver, 0);
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

    /// @dev `reserve` is native money for the bridge's own fee.
    function _depositAndSwap(
        BridgeData memory bridgeData,
        SwapData[] calldata swaps,
        address leftoverTo,
        uint256 reserve
    ) internal override returns (uint256 received) {
        if (swaps.length == 0) revert InformationMismatch();
        address last = swaps[swaps.length - 1].receivingAssetId;
        uint256 before = _heldBefore(last);
        _runSwaps(bridgeData.transactionId, swaps, leftoverTo, reserve);
        received = _held(last) - before - (last == address(0) ? reserve : 0);
        if (received < bridgeData.minAmount) revert CumulativeSlippageTooHigh(bridgeData.minAmount, received);
    }

    function _runSwaps(bytes32 transactionId, SwapData[] calldata swaps, address leftoverTo, uint256 reserve) private {
        uint256[] memory outputs = _receiving(swaps);
        for (uint256 i = 0; i < swaps.length; ++i) {
            if (swaps[i].receivingAssetId == address(0)) outputs[i] += reserve;
        }
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

    function _take(address asset, uint256 amount) internal override {
        if (asset != address(0)) _pull(asset, msg.sender, amount);
        else if (amount == 0 || msg.value < amount) revert InvalidAmount();
    }

    function _heldBefore(address asset) private view returns (uint256) {
        return asset == address(0) ? address(this).balance - msg.value : _held(asset);
    }

    function _returnExcess(uint256 before, address to) internal override {
        if (address(this).balance > before) _send(address(0), to, address(this).balance - before);
    }
}
