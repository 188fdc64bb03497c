// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {CircleBridgeProxy, CircleTransmitter} from "./Circle.sol";
import {Swapper} from "./Swapper.sol";
import {BridgeData, CelerCircleData, PolymerCCTPData, SwapData} from "./Types.sol";

/// @notice The two facets over CCTP: Celer's proxy takes its own fee; Polymer's fee is named by the caller and paid
/// to Polymer before the rest is burned. Non-EVM destinations are not included.
abstract contract CircleFacets is Swapper {
    CircleBridgeProxy private immutable CIRCLE_BRIDGE_PROXY;
    CircleTransmitter private immutable TOKEN_MESSENGER;
    address private constant POLYMER_FEE_RECEIVER = 0x0000000000000000000000000000000000706f6c;

    event PolymerCCTPFeeSent(uint256 bridgeAmount, uint256 polymerFee, uint32 minFinalityThreshold);

    error InvalidCallData();
    error InvalidSendingToken();

    constructor(CircleBridgeProxy circleBridgeProxy) {
        CIRCLE_BRIDGE_PROXY = circleBridgeProxy;
        TOKEN_MESSENGER = circleBridgeProxy.transmitter();
    }

    function startBridgeTokensViaCelerCircleBridge(BridgeData memory bridgeData, CelerCircleData calldata celerData)
        external
    {
        if (bridgeData.hasSourceSwaps || bridgeData.hasDestinationCall) revert InformationMismatch();
        _validate(bridgeData);
        _take(bridgeData.sendingAssetId, bridgeData.minAmount);
        _startCeler(bridgeData, celerData);
    }

    function swapAndStartBridgeTokensViaCelerCircleBridge(
        BridgeData memory bridgeData,
        SwapData[] calldata swapData,
        CelerCircleData calldata celerData
    ) external payable {
        uint256 before = address(this).balance - msg.value;
        if (!bridgeData.hasSourceSwaps || bridgeData.hasDestinationCall) revert InformationMismatch();
        _validate(bridgeData);
        bridgeData.minAmount = _depositAndSwap(bridgeData, swapData, msg.sender, 0);
        _startCeler(bridgeData, celerData);
        _returnExcess(before, msg.sender);
    }

    function startBridgeTokensViaPolymerCCTP(BridgeData memory bridgeData, PolymerCCTPData calldata polymerData)
        external
    {
        if (bridgeData.hasSourceSwaps || bridgeData.hasDestinationCall) revert InformationMismatch();
        _validatePolymer(bridgeData, polymerData);
        _take(bridgeData.sendingAssetId, bridgeData.minAmount);
        _startPolymer(bridgeData, polymerData);
    }

    /// @notice Swap leftovers and excess native money go to the refund address in the data, not to the caller.
    function swapAndStartBridgeTokensViaPolymerCCTP(
        BridgeData memory bridgeData,
        SwapData[] calldata swapData,
        PolymerCCTPData calldata polymerData
    ) external payable {
        uint256 before = address(this).balance - msg.value;
        if (!bridgeData.hasSourceSwaps || bridgeData.hasDestinationCall) revert InformationMismatch();
        _validatePolymer(bridgeData, polymerData);
        address refundRecipient = polymerData.refundRecipient;
        if (refundRecipient == address(0)) revert InvalidCallData();
        if (swapData[swapData.length - 1].receivingAssetId != _usdc()) revert InvalidSendingToken();
        bridgeData.minAmount = _depositAndSwap(bridgeData, swapData, refundRecipient, 0);
        _startPolymer(bridgeData, polymerData);
        _returnExcess(before, refundRecipient);
    }

    function _validatePolymer(BridgeData memory bridgeData, PolymerCCTPData calldata polymerData) private view {
        _validate(bridgeData);
        if (bridgeData.sendingAssetId != _usdc()) revert InvalidSendingToken();
        if (polymerData.hookData.length > 0) revert InvalidCallData();
    }

    function _usdc() private view returns (address) {
        return address(TOKEN_MESSENGER.usdc());
    }

    function _startCeler(BridgeData memory bridgeData, CelerCircleData calldata celerData) private {
        _approveMax(bridgeData.sendingAssetId, address(CIRCLE_BRIDGE_PROXY), bridgeData.minAmount);
        CIRCLE_BRIDGE_PROXY.depositForBurn(
            bridgeData.minAmount,
            uint64(bridgeData.destinationChainId),
            bytes32(uint256(uint160(bridgeData.receiver))),
            bridgeData.sendingAssetId,
            celerData.maxFee,
            celerData.minFinalityThreshold
        );
        emit LiFiTransferStarted(bridgeData);
    }

    function _startPolymer(BridgeData memory bridgeData, PolymerCCTPData calldata polymerData) private {
        uint256 amount = bridgeData.minAmount - polymerData.polymerTokenFee;
        _send(bridgeData.sendingAssetId, POLYMER_FEE_RECEIVER, polymerData.polymerTokenFee);
        _approveMax(bridgeData.sendingAssetId, address(TOKEN_MESSENGER), amount);
        TOKEN_MESSENGER.depositForBurn(
            amount,
            uint32(bridgeData.destinationChainId),
            bytes32(uint256(uint160(bridgeData.receiver))),
            polymerData.maxCCTPFee,
            polymerData.minFinalityThreshold
        );
        emit PolymerCCTPFeeSent(bridgeData.minAmount, polymerData.polymerTokenFee, polymerData.minFinalityThreshold);
        emit LiFiTransferStarted(bridgeData);
    }

    function _validate(BridgeData memory bridgeData) internal view virtual;

    function _take(address asset, uint256 amount) internal virtual;

    function _depositAndSwap(
        BridgeData memory bridgeData,
        SwapData[] calldata swaps,
        address leftoverTo,
        uint256 reserve
    ) internal virtual returns (uint256 received);

    function _returnExcess(uint256 before, address to) internal virtual;
}
