// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface IWrappedNative {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

interface IMessageHandler {
    function handleV3AcrossMessage(address token, uint256 amount, address relayer, bytes calldata message) external;
}

/// @notice Stands in for Across' SpokePool, written from its documented behaviour: what depositors, relayers and those
/// who read its events and state see of it. No slow fills, updates by signature, bundles or pauses.
/// `fillRelayShort`, `executeRefund` and the record of deposits are ours; all else has the real signatures, checks and events.
contract SpokePool {
    using SafeERC20 for IERC20;

    struct V3RelayData {
        bytes32 depositor;
        bytes32 recipient;
        bytes32 exclusiveRelayer;
        bytes32 inputToken;
        bytes32 outputToken;
        uint256 inputAmount;
        uint256 outputAmount;
        uint256 originChainId;
        uint256 depositId;
        uint32 fillDeadline;
        uint32 exclusivityDeadline;
        bytes message;
    }

    struct V3RelayExecutionEventInfo {
        bytes32 updatedRecipient;
        bytes32 updatedMessageHash;
        uint256 updatedOutputAmount;
        uint8 fillType;
    }

    error InvalidQuoteTimestamp();
    error InvalidFillDeadline();
    error InvalidExclusiveRelayer();
    error MsgValueDoesNotMatchInputAmount();
    error ExpiredFillDeadline();
    error NotExclusiveRelayer();
    error RelayFilled();
    error InvalidEVMAddress();
    /// @notice Ours: only the owner may refund.
    error NotOwner();
    /// @notice Ours: no such deposit was made here, or it was refunded already.
    error NothingToRefund();
    /// @notice Ours: the deposit can still be filled.
    error FillDeadlineNotReached();

    event FundsDeposited(
        bytes32 inputToken,
        bytes32 outputToken,
        uint256 inputAmount,
        uint256 outputAmount,
        uint256 indexed destinationChainId,
        uint256 indexed depositId,
        uint32 quoteTimestamp,
        uint32 fillDeadline,
        uint32 exclusivityDeadline,
        bytes32 indexed depositor,
        bytes32 recipient,
        bytes32 exclusiveRelayer,
        bytes message
    );
    event FilledRelay(
        bytes32 inputToken,
        bytes32 outputToken,
        uint256 inputAmount,
        uint256 outputAmount,
        uint256 repaymentChainId,
        uint256 indexed originChainId,
        uint256 indexed depositId,
        uint32 fillDeadline,
        uint32 exclusivityDeadline,
        bytes32 exclusiveRelayer,
        bytes32 indexed relayer,
        bytes32 depositor,
        bytes32 recipient,
        bytes32 messageHash,
        V3RelayExecutionEventInfo relayExecutionInfo
    );
    event ExecutedRelayerRefundRoot(
        uint256 amountToReturn,
        uint256 indexed chainId,
        uint256[] refundAmounts,
        uint32 indexed rootBundleId,
        uint32 indexed leafId,
        address l2TokenAddress,
        address[] refundAddresses,
        bool deferredRefunds,
        address caller
    );

    uint32 public constant MAX_EXCLUSIVITY_PERIOD_SECONDS = 31_536_000;
    uint8 private constant FAST_FILL = 0;
    uint256 private constant FILLED = 2;

    address public immutable owner = msg.sender;
    address public immutable wrappedNativeToken;
    uint32 public immutable depositQuoteTimeBuffer;
    uint32 public immutable fillDeadlineBuffer;
    uint256 public numberOfDeposits = 1;
    uint32 private _bundles;
    /// @notice By relay hash: 0 unfilled, 1 slow fill requested, 2 filled.
    mapping(bytes32 relayHash => uint256 status) public fillStatuses;
    mapping(bytes32 relayHash => bool open) private _refundable;

    constructor(address wrappedNative, uint32 quoteTimeBuffer, uint32 deadlineBuffer) {
        wrappedNativeToken = wrappedNative;
        depositQuoteTimeBuffer = quoteTimeBuffer;
        fillDeadlineBuffer = deadlineBuffer;
    }

    receive() external payable {}

    function getCurrentTime() public view returns (uint256) {
        return block.timestamp;
    }

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
    ) external payable {
        V3RelayData memory relay = V3RelayData({
            depositor: depositor,
            recipient: recipient,
            exclusiveRelayer: exclusiveRelayer,
            inputToken: inputToken,
            outputToken: outputToken,
            inputAmount: inputAmount,
            outputAmount: outputAmount,
            originChainId: block.chainid,
            depositId: 0,
            fillDeadline: fillDeadline,
            exclusivityDeadline: exclusivityParameter,
            message: message
        });
        _deposit(relay, destinationChainId, quoteTimestamp);
    }

    function depositV3(
        address depositor,
        address recipient,
        address inputToken,
        address outputToken,
        uint256 inputAmount,
        uint256 outputAmount,
        uint256 destinationChainId,
        address exclusiveRelayer,
        uint32 quoteTimestamp,
        uint32 fillDeadline,
        uint32 exclusivityParameter,
        bytes calldata message
    ) external payable {
        V3RelayData memory relay = V3RelayData({
            depositor: _word(depositor),
            recipient: _word(recipient),
            exclusiveRelayer: _word(exclusiveRelayer),
            inputToken: _word(inputToken),
            outputToken: _word(outputToken),
            inputAmount: inputAmount,
            outputAmount: outputAmount,
            originChainId: block.chainid,
            depositId: 0,
            fillDeadline: fillDeadline,
            exclusivityDeadline: exclusivityParameter,
            message: message
        });
        _deposit(relay, destinationChainId, quoteTimestamp);
    }

    function fillRelay(V3RelayData calldata relayData, uint256 repaymentChainId, bytes32 repaymentAddress) external {
        _fill(relayData, repaymentChainId, repaymentAddress, 0);
    }

    /// @notice Ours: fills as `fillRelay` does, but `missing` of the output token never reaches the recipient, as with a
    /// token that takes a fee. The event tells of the whole amount, as the real one would; the recipient's handler is
    /// told what arrived.
    function fillRelayShort(
        V3RelayData calldata relayData,
        uint256 repaymentChainId,
        bytes32 repaymentAddress,
        uint256 missing
    ) external {
        _fill(relayData, repaymentChainId, repaymentAddress, missing);
    }

    /// @notice Ours, in place of the root bundles that pay refunds in reality: pays a deposit that nobody filled back to
    /// its depositor, a native one in wrapped native. `early` does so before the fill deadline, for nobody wants to wait
    /// two hours here; that the deposit is not filled on the other chain is the caller's word.
    function executeRefund(V3RelayData calldata relayData, uint256 destinationChainId, bool early) external {
        if (msg.sender != owner) revert NotOwner();
        if (!early && relayData.fillDeadline >= block.timestamp) revert FillDeadlineNotReached();
        bytes32 relayHash = keccak256(abi.encode(relayData, destinationChainId));
        if (!_refundable[relayHash]) revert NothingToRefund();
        delete _refundable[relayHash];
        uint256[] memory amounts = new uint256[](1);
        address[] memory addresses = new address[](1);
        amounts[0] = relayData.inputAmount;
        addresses[0] = _address(relayData.depositor);
        address token = _address(relayData.inputToken);
        IERC20(token).safeTransfer(addresses[0], amounts[0]);
        emit ExecutedRelayerRefundRoot(0, block.chainid, amounts, _bundles++, 0, token, addresses, false, msg.sender);
    }

    function getV3RelayHash(V3RelayData memory relayData) public view returns (bytes32) {
        return keccak256(abi.encode(relayData, block.chainid));
    }

    function _deposit(V3RelayData memory relay, uint256 destinationChainId, uint32 quoteTimestamp) private {
        _address(relay.depositor);
        if (quoteTimestamp > block.timestamp || block.timestamp - quoteTimestamp > depositQuoteTimeBuffer) {
            revert InvalidQuoteTimestamp();
        }
        if (relay.fillDeadline > block.timestamp + fillDeadlineBuffer) revert InvalidFillDeadline();
        uint32 exclusivity = relay.exclusivityDeadline;
        if (exclusivity != 0) {
            if (relay.exclusiveRelayer == 0) revert InvalidExclusiveRelayer();
            if (exclusivity <= MAX_EXCLUSIVITY_PERIOD_SECONDS) {
                relay.exclusivityDeadline = exclusivity + uint32(block.timestamp);
            }
        }
        _take(_address(relay.inputToken), relay.inputAmount);
        relay.depositId = numberOfDeposits++;
        _refundable[keccak256(abi.encode(relay, destinationChainId))] = true;
        emit FundsDeposited(
            relay.inputToken,
            relay.outputToken,
            relay.inputAmount,
            relay.outputAmount,
            destinationChainId,
            relay.depositId,
            quoteTimestamp,
            relay.fillDeadline,
            relay.exclusivityDeadline,
            relay.depositor,
            relay.recipient,
            relay.exclusiveRelayer,
            relay.message
        );
    }

    function _fill(V3RelayData calldata relay, uint256 repaymentChainId, bytes32 repaymentAddress, uint256 missing)
        private
    {
        if (relay.exclusivityDeadline >= block.timestamp && _address(relay.exclusiveRelayer) != msg.sender) {
            revert NotExclusiveRelayer();
        }
        if (relay.fillDeadline < block.timestamp) revert ExpiredFillDeadline();
        bytes32 relayHash = getV3RelayHash(relay);
        if (fillStatuses[relayHash] == FILLED) revert RelayFilled();
        fillStatuses[relayHash] = FILLED;
        _report(relay, repaymentChainId, repaymentAddress);
        address recipient = _address(relay.recipient);
        address token = _address(relay.outputToken);
        uint256 amount = relay.outputAmount - missing;
        _deliver(token, recipient, amount);
        if (relay.message.length != 0 && recipient.code.length != 0) {
            IMessageHandler(recipient).handleV3AcrossMessage(token, amount, msg.sender, relay.message);
        }
    }

    function _report(V3RelayData calldata relay, uint256 repaymentChainId, bytes32 repaymentAddress) private {
        bytes32 messageHash = relay.message.length == 0 ? bytes32(0) : keccak256(relay.message);
        emit FilledRelay(
            relay.inputToken,
            relay.outputToken,
            relay.inputAmount,
            relay.outputAmount,
            repaymentChainId,
            relay.originChainId,
            relay.depositId,
            relay.fillDeadline,
            relay.exclusivityDeadline,
            relay.exclusiveRelayer,
            repaymentAddress,
            relay.depositor,
            relay.recipient,
            messageHash,
            V3RelayExecutionEventInfo(relay.recipient, messageHash, relay.outputAmount, FAST_FILL)
        );
    }

    /// @dev Native is taken for the wrapped token only, and in full.
    function _take(address token, uint256 amount) private {
        if (token == wrappedNativeToken && msg.value != 0) {
            if (msg.value != amount) revert MsgValueDoesNotMatchInputAmount();
            IWrappedNative(token).deposit{value: amount}();
        } else {
            if (msg.value != 0) revert MsgValueDoesNotMatchInputAmount();
            IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
        }
    }

    /// @dev Wrapped native reaches an account without code unwrapped.
    function _deliver(address token, address to, uint256 amount) private {
        if (token != wrappedNativeToken) return IERC20(token).safeTransferFrom(msg.sender, to, amount);
        IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
        if (to.code.length != 0) return IERC20(token).safeTransfer(to, amount);
        IWrappedNative(token).withdraw(amount);
        (bool ok,) = to.call{value: amount}("");
        require(ok, "native transfer failed");
    }

    function _word(address account) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }

    function _address(bytes32 word) private pure returns (address) {
        if (uint256(word) >> 160 != 0) revert InvalidEVMAddress();
        return address(uint160(uint256(word)));
    }
}
