// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

/// @notice LI.FI's data of a bridge transfer.
struct BridgeData {
    bytes32 transactionId;
    string bridge;
    string integrator;
    address referrer;
    address sendingAssetId;
    address receiver;
    uint256 minAmount;
    uint256 destinationChainId;
    bool hasSourceSwaps;
    bool hasDestinationCall;
}

/// @notice One call of a route: a fee, a swap, or the destination call.
struct SwapData {
    address callTo;
    address approveTo;
    address sendingAssetId;
    address receivingAssetId;
    uint256 fromAmount;
    bytes callData;
    bool requiresDeposit;
}

/// @notice The Across facet's parameters for the SpokePool.
struct AcrossV4Data {
    bytes32 receiverAddress;
    bytes32 refundAddress;
    bytes32 sendingAssetId;
    bytes32 receivingAssetId;
    uint256 outputAmount;
    uint128 outputAmountMultiplier;
    bytes32 exclusiveRelayer;
    uint32 quoteTimestamp;
    uint32 fillDeadline;
    uint32 exclusivityParameter;
    bytes message;
}

/// @notice The Stargate facet's parameters for a pool, with LayerZero's names.
struct SendParam {
    uint32 dstEid;
    bytes32 to;
    uint256 amountLD;
    uint256 minAmountLD;
    bytes extraOptions;
    bytes composeMsg;
    bytes oftCmd;
}

struct MessagingFee {
    uint256 nativeFee;
    uint256 lzTokenFee;
}

struct StargateData {
    uint16 assetId;
    SendParam sendParams;
    MessagingFee fee;
    address payable refundAddress;
}

/// @notice The Celer facet's parameters for CCTP.
struct CelerCircleData {
    uint256 maxFee;
    uint32 minFinalityThreshold;
}

/// @notice The Polymer facet's parameters for CCTP.
struct PolymerCCTPData {
    uint256 polymerTokenFee;
    uint256 maxCCTPFee;
    bytes32 nonEVMReceiver;
    bytes32 solanaReceiverATA;
    uint32 minFinalityThreshold;
    address refundRecipient;
    bytes hookData;
}

/// @notice LI.FI's events and errors, with their real signatures.
interface LiFi {
    event LiFiTransferStarted(BridgeData bridgeData);
    event LiFiTransferCompleted(
        bytes32 indexed transactionId, address receivingAssetId, address receiver, uint256 amount, uint256 timestamp
    );
    event LiFiTransferRecovered(
        bytes32 indexed transactionId, address receivingAssetId, address receiver, uint256 amount, uint256 timestamp
    );
    event LiFiGenericSwapCompleted(
        bytes32 indexed transactionId,
        string integrator,
        string referrer,
        address receiver,
        address fromAssetId,
        address toAssetId,
        uint256 fromAmount,
        uint256 toAmount
    );
    event AssetSwapped(
        bytes32 transactionId,
        address dex,
        address fromAssetId,
        address toAssetId,
        uint256 fromAmount,
        uint256 toAmount,
        uint256 timestamp
    );

    error InsufficientBalance(uint256 required, uint256 balance);
    error CumulativeSlippageTooHigh(uint256 minAmount, uint256 receivedAmount);
    error TransferFromFailed();
    error TransferFailed();
    error UnAuthorized();
    error NoSwapFromZeroBalance();
    error InvalidContract();
    error InvalidAmount();
    error InvalidReceiver();
    error InformationMismatch();
    error CannotBridgeToSameNetwork();
    error ContractCallNotAllowed();
}
